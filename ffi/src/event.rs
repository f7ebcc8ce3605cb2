//! Events: what happened to a node's health. Copied out, since a router lends nothing.

use std::ffi::c_char;

use shardway_core::{Event, MAX_NAME_BYTES};

use crate::border::{Growing, OutStructs};

/// Room for any node id, in bytes, its terminating NUL included.
pub const SHARDWAY_NODE_ID_CAPACITY: usize = 1028;

const _: () = assert!(SHARDWAY_NODE_ID_CAPACITY > MAX_NAME_BYTES);

/// The kind of an event that is none: nothing happened.
pub const SHARDWAY_EVENT_NONE: i32 = -1;

/// Something that happened to a node. The caller's struct; the library copies everything into it.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_event_t {
    /// In: `sizeof(shardway_event_t)`. In an array, set that of the first; the library sets the others.
    pub struct_size: usize,
    /// When, in ms of the caller's clock.
    pub at_ms: u64,
    /// Of `SHARDWAY_EVENT_EJECTED`: when the node may be probed, in ms of the caller's clock. Else `at_ms`.
    pub until_ms: u64,
    /// Length of `node` in bytes, without NUL.
    pub node_length: usize,
    /// One of the `SHARDWAY_EVENT_` constants.
    pub kind: i32,
    /// Id of the node. UTF-8, never cut, ends with NUL.
    pub node: [c_char; SHARDWAY_NODE_ID_CAPACITY],
}

// SAFETY: repr(C), begins with its size, integers only, no padding.
unsafe impl Growing for shardway_event_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Copies `event` to place `index`; `None` as `SHARDWAY_EVENT_NONE`.
pub(crate) fn copy(event: Option<&Event>, index: usize, out: &mut OutStructs<shardway_event_t>) {
    let mut copy = shardway_event_t {
        struct_size: 0,
        at_ms: 0,
        until_ms: 0,
        node_length: 0,
        kind: SHARDWAY_EVENT_NONE,
        node: [0; SHARDWAY_NODE_ID_CAPACITY],
    };
    if let Some(event) = event {
        copy.at_ms = event.at_ms;
        copy.until_ms = event.until_ms;
        copy.kind = event.kind as i32;
        copy.node_length = event.node.len();
        for (to, from) in copy.node.iter_mut().zip(event.node.bytes()) {
            *to = from as c_char;
        }
    }
    out.set(index, &copy);
}
