//! Topologies: what an operator declares. Read from a JSON document, checked once, never changed.

use std::ffi::c_char;
use std::sync::Arc;

use shardway_core::Topology;

use crate::border::{self, Handle, Lend, Out, OutStructs};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::node::{self, shardway_node_t};
use crate::text::{self, shardway_text_t};

/// A checked declaration of nodes, scheme, partitions and policies. Immutable and counted.
#[allow(non_camel_case_types)]
pub struct shardway_topology_t {
    _opaque: [u8; 0],
}

impl Handle for shardway_topology_t {
    type Inner = Topology;
}

/// Reads a topology from its JSON document.
///
/// Does: parses and checks `json_length` bytes of UTF-8. Strict: an unknown field, a duplicate, a wrong type
/// or a bound that is passed is refused.
/// Owns: the caller owns `*topology`, and frees it with shardway_topology_free. The text is not kept.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_TOPOLOGY with the place in the document; SHARDWAY_UNSUPPORTED;
/// SHARDWAY_INVALID_ARGUMENT when the text is not UTF-8 or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_from_json(
    json: *const c_char,
    json_length: usize,
    topology: *mut *mut shardway_topology_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(topology, "topology")?;
            let json = border::text(json, json_length, "json")?;
            out.set(border::give(Arc::new(Topology::from_json(json)?)));
            Ok(())
        })
    }
}

/// Writes a topology as its JSON document, every default spelled out.
///
/// Does: makes text that shardway_topology_from_json reads back to an equal topology.
/// Owns: the caller owns `*json`, and frees it with shardway_text_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_to_json(
    topology: *const shardway_topology_t,
    json: *mut *mut shardway_text_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(json, "json")?;
            text::hand_over(border::look(topology, "topology")?.to_json(), out);
            Ok(())
        })
    }
}

/// Gives the fingerprint of a topology: 64 bits over all it declares but the revision.
///
/// Does: equal declarations have equal fingerprints on every machine. In `ring-v1` the order of nodes does
/// not matter; in `finagle` it is part of the declaration.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_fingerprint(topology: *const shardway_topology_t) -> u64 {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(topology) }.map_or(0, Topology::fingerprint))
}

/// Gives the revision that a topology declares.
///
/// Does: 0 means that it declares none; then the router that publishes it numbers it.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_revision(topology: *const shardway_topology_t) -> u64 {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(topology) }.and_then(Topology::revision).unwrap_or(0))
}

/// Compares two topologies.
///
/// Does: answers 1 when both declare the same with the same revision, else 0. Two NULLs are equal.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_equals(
    topology: *const shardway_topology_t,
    other: *const shardway_topology_t,
) -> i32 {
    // SAFETY: the header's promise about handles.
    border::answer(0, || i32::from(unsafe { border::glance(topology) == border::glance(other) }))
}

/// Gives the number of nodes.
///
/// Does: nodes are numbered from 0 in the order of the document.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_node_count(topology: *const shardway_topology_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(topology) }.map_or(0, |topology| topology.nodes().len()))
}

/// Gives all that is declared about a node.
///
/// Does: fills in `*node` for the node numbered `index`.
/// Owns: `*node` is the caller's; its texts are lent and live as long as the topology.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `index` is not below the count, `struct_size` is too small or a
/// pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_node(
    topology: *const shardway_topology_t,
    index: u32,
    node: *mut shardway_node_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = OutStructs::new(node, 1, "node")?;
            node::lend(border::look(topology, "topology")?.nodes(), index, out)
        })
    }
}

/// Gives the id of a node.
///
/// Does: points to the id of the node numbered `index`; UTF-8 without NUL.
/// Owns: lends; lives as long as the topology.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `index` is not below the count or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_node_id(
    topology: *const shardway_topology_t,
    index: u32,
    id: *mut *const c_char,
    id_length: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters; a byte and a `char` are one size.
    unsafe {
        border::status(error, || {
            let out = Lend::new(id.cast::<*const u8>(), "id", id_length, "id_length")?;
            let topology = border::look(topology, "topology")?;
            out.set(node::find(topology.nodes(), index)?.id.as_bytes());
            Ok(())
        })
    }
}

/// Counts one more owner of a topology.
///
/// Does: nothing else; no copy is made.
/// Owns: the caller owns the answer, and frees it with shardway_topology_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_clone(topology: *const shardway_topology_t) -> *mut shardway_topology_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(topology) })
}

/// Gives a topology back.
///
/// Does: counts one owner less; the last one frees it and what it lent. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_topology_free(topology: *mut shardway_topology_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(topology) });
}
