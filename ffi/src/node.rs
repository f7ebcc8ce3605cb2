//! Nodes, as a topology or a snapshot lends them.

use std::ffi::c_char;

use shardway_core::{Error, Node, Result};

use crate::border::{self, Growing, OutStructs};

/// A node. The caller's struct; what its pointers point to is lent by the topology or snapshot that filled
/// it in, and lives as long as that. Text is UTF-8 with its length and no NUL.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_node_t {
    /// In: `sizeof(shardway_node_t)`.
    pub struct_size: usize,
    /// The node's name, unique in its topology.
    pub id: *const c_char,
    /// Length of `id` in bytes, 1 to 1,024.
    pub id_length: usize,
    /// Host name or address; NULL when none is declared.
    pub host: *const c_char,
    /// Length of `host` in bytes; 0 when none is declared.
    pub host_length: usize,
    /// Failure domain; NULL when none is declared.
    pub zone: *const c_char,
    /// Length of `zone` in bytes; 0 when none is declared.
    pub zone_length: usize,
    /// Share of the keys relative to other nodes; 0 owns none.
    pub weight: u32,
    /// TCP port, 1 to 65,535; 0 when none is declared.
    pub port: u32,
    /// Shard id of service discovery; 0 when `has_shard_id` is 0.
    pub shard_id: i32,
    /// 1 when a shard id is declared, else 0.
    pub has_shard_id: i32,
}

// SAFETY: repr(C), begins with its size, pointers and integers only.
unsafe impl Growing for shardway_node_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Lends node `index` of `nodes`.
pub(crate) fn lend(nodes: &[Node], index: u32, mut out: OutStructs<shardway_node_t>) -> Result<()> {
    let node = find(nodes, index)?;
    let (host, host_length) = optional(node.host.as_deref());
    let (zone, zone_length) = optional(node.zone.as_deref());
    out.set(
        0,
        &shardway_node_t {
            struct_size: 0,
            id: border::start(node.id.as_bytes()).cast(),
            id_length: node.id.len(),
            host,
            host_length,
            zone,
            zone_length,
            weight: node.weight,
            port: node.port.map_or(0, u32::from),
            shard_id: node.shard_id.unwrap_or(0),
            has_shard_id: i32::from(node.shard_id.is_some()),
        },
    );
    Ok(())
}

/// Node `index` of `nodes`, or an error that says how many there are.
pub(crate) fn find(nodes: &[Node], index: u32) -> Result<&Node> {
    nodes.get(index as usize).ok_or_else(|| no_such(index, nodes.len()))
}

/// The error of an index above the last node.
pub(crate) fn no_such(index: u32, count: usize) -> Error {
    border::bad("index", format!("is {index}, but there are {count} nodes; give an index below that"))
}

fn optional(text: Option<&str>) -> (*const c_char, usize) {
    text.map_or((std::ptr::null(), 0), |text| (border::start(text.as_bytes()).cast(), text.len()))
}
