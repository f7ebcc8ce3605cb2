//! Snapshots: one view of nodes and ring that never changes. Node indices are those of its nodes.
//! A request takes one and keeps it to its end.

pub mod lookup;

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use shardway_core::{Error, ErrorCode, Snapshot};

use crate::border::{self, Handle, Lend, Out, OutStructs};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::key::{self, shardway_key_t};
use crate::node::{self, shardway_node_t};
use crate::partitions::{PartitionsOf, shardway_partitions_t};
use crate::topology::shardway_topology_t;

/// A compiled topology and which of its nodes are ejected. Immutable and counted.
#[allow(non_camel_case_types)]
pub struct shardway_snapshot_t {
    _opaque: [u8; 0],
}

impl Handle for shardway_snapshot_t {
    type Inner = Snapshot;
}

/// Gives the number of nodes.
///
/// Does: nodes are numbered from 0 in the order of the topology.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_node_count(snapshot: *const shardway_snapshot_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(snapshot) }.map_or(0, |snapshot| snapshot.nodes().len()))
}

/// Gives all that is declared about a node.
///
/// Does: fills in `*node` for the node numbered `index`.
/// Owns: `*node` is the caller's; its texts are lent and live as long as the snapshot.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `index` is not below the count, `struct_size` is too small or a
/// pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_node(
    snapshot: *const shardway_snapshot_t,
    index: u32,
    node: *mut shardway_node_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = OutStructs::new(node, 1, "node")?;
            node::lend(border::look(snapshot, "snapshot")?.nodes(), index, out)
        })
    }
}

/// Gives the id of a node.
///
/// Does: points to the id of the node numbered `index`; UTF-8 without NUL.
/// Owns: lends; lives as long as the snapshot.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `index` is not below the count or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_node_id(
    snapshot: *const shardway_snapshot_t,
    index: u32,
    id: *mut *const c_char,
    id_length: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Lend::new(id.cast::<*const u8>(), "id", id_length, "id_length")?;
            let snapshot = border::look(snapshot, "snapshot")?;
            out.set(node::find(snapshot.nodes(), index)?.id.as_bytes());
            Ok(())
        })
    }
}

/// Gives the index of a node by its id.
///
/// Does: looks among all nodes, the ejected ones included.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: SHARDWAY_UNKNOWN_NODE; SHARDWAY_INVALID_ARGUMENT when the id is not UTF-8 or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_index_of(
    snapshot: *const shardway_snapshot_t,
    id: *const c_char,
    id_length: usize,
    index: *mut u32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(index, "index")?;
            let id = border::text(id, id_length, "id")?;
            let index = border::look(snapshot, "snapshot")?.index_of(id);
            out.set(index.ok_or_else(|| {
                Error::new(
                    ErrorCode::UnknownNode,
                    "id",
                    format!("id: no node {id:?} in this snapshot; use the id of a declared node"),
                )
            })?);
            Ok(())
        })
    }
}

/// Tells whether a node is ejected.
///
/// Does: writes 1 to `*ejected` when it is, else 0.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `index` is not below the count or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_is_ejected(
    snapshot: *const shardway_snapshot_t,
    index: u32,
    ejected: *mut i32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(ejected, "ejected")?;
            let snapshot = border::look(snapshot, "snapshot")?;
            node::find(snapshot.nodes(), index)?;
            out.set(i32::from(snapshot.is_ejected(index)));
            Ok(())
        })
    }
}

/// Gives the revision of a snapshot: what the answers of lookups carry.
///
/// Does: it is the topology's own, or the router's count where the topology declares none.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_revision(snapshot: *const shardway_snapshot_t) -> u64 {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(snapshot) }.map_or(0, Snapshot::revision))
}

/// Gives the fingerprint of the topology of a snapshot.
///
/// Does: as shardway_topology_fingerprint.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_fingerprint(snapshot: *const shardway_snapshot_t) -> u64 {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(snapshot) }.map_or(0, Snapshot::fingerprint))
}

/// Gives the number of points on the ring of a snapshot.
///
/// Does: 0 when no node can own a key.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_point_count(snapshot: *const shardway_snapshot_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(snapshot) }.map_or(0, Snapshot::points))
}

/// Gives the hash of a key, as lookups see it.
///
/// Does: the answer is what shardway_snapshot_route_hash and shardway_snapshot_group_hashes take.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when the scheme does not take such a key or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_hash(
    snapshot: *const shardway_snapshot_t,
    key: *const c_void,
    key_length: usize,
    hash: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(hash, "hash")?;
            out.set(border::look(snapshot, "snapshot")?.hash(border::slice(key.cast(), key_length, "key")?)?);
            Ok(())
        })
    }
}

/// Gives the hash of a typed key, as lookups see it.
///
/// Does: as shardway_snapshot_hash, for keys whose bytes depend on the scheme. The way to group typed keys.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: as shardway_snapshot_hash.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_hash_typed(
    snapshot: *const shardway_snapshot_t,
    key: *const shardway_key_t,
    hash: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(hash, "hash")?;
            out.set(border::look(snapshot, "snapshot")?.hash(key::typed(key)?)?);
            Ok(())
        })
    }
}

/// Gives the topology of a snapshot.
///
/// Does: makes a copy: keep it if it is needed often.
/// Owns: the caller owns `*topology`, and frees it with shardway_topology_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_topology(
    snapshot: *const shardway_snapshot_t,
    topology: *mut *mut shardway_topology_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(topology, "topology")?;
            out.set(border::give(Arc::new(border::look(snapshot, "snapshot")?.topology().clone())));
            Ok(())
        })
    }
}

/// Gives the logical partitions of a snapshot.
///
/// Does: copies nothing: what it gives keeps the snapshot alive.
/// Owns: the caller owns `*partitions`, and frees it with shardway_partitions_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_partitions(
    snapshot: *const shardway_snapshot_t,
    partitions: *mut *mut shardway_partitions_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(partitions, "partitions")?;
            out.set(border::give(Arc::new(PartitionsOf::Snapshot(border::share(snapshot, "snapshot")?))));
            Ok(())
        })
    }
}

/// Counts one more owner of a snapshot.
///
/// Does: nothing else; no copy is made.
/// Owns: the caller owns the answer, and frees it with shardway_snapshot_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_clone(snapshot: *const shardway_snapshot_t) -> *mut shardway_snapshot_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(snapshot) })
}

/// Gives a snapshot back.
///
/// Does: counts one owner less; the last one frees it and what it lent. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_snapshot_free(snapshot: *mut shardway_snapshot_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(snapshot) });
}
