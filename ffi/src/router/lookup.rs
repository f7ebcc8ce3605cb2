//! Lookups on a router: in the snapshot in force at the call. They take no lock.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::{core, shardway_router_t};
use crate::border::{self, Out};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::explain;
use crate::groups::{self, shardway_groups_t};
use crate::key::{self, shardway_key_t};
use crate::text::{self, shardway_text_t};

/// Gives the node that owns a key.
///
/// Does: writes the node's index, which means something only in the snapshots of `*revision`. For the name,
/// call shardway_router_route_id, or route on a snapshot.
/// Owns: nothing. `revision` may be NULL.
/// Threads: any, at once; takes no lock and allocates nothing.
/// Errors: SHARDWAY_SHARD_NOT_AVAILABLE when no node can own a key; SHARDWAY_INVALID_ARGUMENT when the scheme
/// does not take such a key or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_route(
    router: *const shardway_router_t,
    key: *const c_void,
    key_length: usize,
    node: *mut u32,
    revision: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (node, revision) = (Out::new(node, "node")?, Out::maybe(revision, "revision")?);
            let route = core(router)?.route(border::slice(key.cast(), key_length, "key")?)?;
            node.set(route.node);
            Out::set_wanted(revision, route.revision);
            Ok(())
        })
    }
}

/// Gives the id of the node that owns a key.
///
/// Does: copies the id and a NUL to `id`. Room of SHARDWAY_NODE_ID_CAPACITY is always enough.
/// Owns: `id` is the caller's. `id_length` (without NUL) and `revision` may be NULL.
/// Threads: any, at once; takes no lock.
/// Errors: SHARDWAY_SHARD_NOT_AVAILABLE when no node can own a key; SHARDWAY_INVALID_ARGUMENT when `id_capacity`
/// is too small, the scheme does not take such a key or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_route_id(
    router: *const shardway_router_t,
    key: *const c_void,
    key_length: usize,
    id: *mut c_char,
    id_capacity: usize,
    id_length: *mut usize,
    revision: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (length, revision) = (Out::maybe(id_length, "id_length")?, Out::maybe(revision, "revision")?);
            let room = border::slice_mut(id, id_capacity, "id")?;
            let snapshot = core(router)?.snapshot();
            let route = snapshot.route(border::slice(key.cast(), key_length, "key")?)?;
            let name = snapshot.node(route.node).map_or("", |node| node.id.as_str());
            border::copy_text(name, room, "id_capacity")?;
            Out::set_wanted(length, name.len());
            Out::set_wanted(revision, route.revision);
            Ok(())
        })
    }
}

/// Gives the node that owns a typed key: a number, text, bytes.
///
/// Does: as shardway_router_route, for keys whose bytes depend on the scheme.
/// Owns: nothing. `revision` may be NULL.
/// Threads: any, at once; takes no lock and allocates nothing.
/// Errors: as shardway_router_route.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_route_typed(
    router: *const shardway_router_t,
    key: *const shardway_key_t,
    node: *mut u32,
    revision: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (node, revision) = (Out::new(node, "node")?, Out::maybe(revision, "revision")?);
            let route = core(router)?.route(key::typed(key)?)?;
            node.set(route.node);
            Out::set_wanted(revision, route.revision);
            Ok(())
        })
    }
}

/// Gives the node that owns a hash, for a hash function that the library does not have.
///
/// Does: as shardway_router_route, with `hash` in the place of the key's hash.
/// Owns: nothing. `revision` may be NULL.
/// Threads: any, at once; takes no lock and allocates nothing.
/// Errors: SHARDWAY_SHARD_NOT_AVAILABLE when no node can own a key; SHARDWAY_INVALID_ARGUMENT when a pointer is
/// NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_route_hash(
    router: *const shardway_router_t,
    hash: u64,
    node: *mut u32,
    revision: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (node, revision) = (Out::new(node, "node")?, Out::maybe(revision, "revision")?);
            let route = core(router)?.route_hash(hash)?;
            node.set(route.node);
            Out::set_wanted(revision, route.revision);
            Ok(())
        })
    }
}

/// Gives the owner of a key and the nodes that come after it.
///
/// Does: writes up to `n_wanted` distinct nodes, the owner first; fewer when there are fewer.
/// Owns: `nodes` is the caller's, room for `n_wanted`. `revision` may be NULL.
/// Threads: any, at once; takes no lock.
/// Errors: as shardway_router_route.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_replicas(
    router: *const shardway_router_t,
    key: *const c_void,
    key_length: usize,
    nodes: *mut u32,
    n_wanted: usize,
    n_nodes: *mut usize,
    revision: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (count, revision) = (Out::new(n_nodes, "n_nodes")?, Out::maybe(revision, "revision")?);
            let nodes = border::slice_mut(nodes, n_wanted, "nodes")?;
            let replicas = core(router)?.replicas(border::slice(key.cast(), key_length, "key")?, nodes)?;
            count.set(replicas.n);
            Out::set_wanted(revision, replicas.revision);
            Ok(())
        })
    }
}

/// Gives the owner of a typed key and the nodes that come after it.
///
/// Does: as shardway_router_replicas, for keys whose bytes depend on the scheme.
/// Owns: `nodes` is the caller's, room for `n_wanted`. `revision` may be NULL.
/// Threads: any, at once; takes no lock.
/// Errors: as shardway_router_route.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_replicas_typed(
    router: *const shardway_router_t,
    key: *const shardway_key_t,
    nodes: *mut u32,
    n_wanted: usize,
    n_nodes: *mut usize,
    revision: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (count, revision) = (Out::new(n_nodes, "n_nodes")?, Out::maybe(revision, "revision")?);
            let nodes = border::slice_mut(nodes, n_wanted, "nodes")?;
            let replicas = core(router)?.replicas(key::typed(key)?, nodes)?;
            count.set(replicas.n);
            Out::set_wanted(revision, replicas.revision);
            Ok(())
        })
    }
}

/// Groups a batch of keys by owner.
///
/// Does: key `i` is `data[offsets[i]]` up to `data[offsets[i + 1]]` (Arrow's layout of binary columns). There
/// are `n_keys + 1` offsets; they are checked before use. 0 keys ignore both pointers.
/// Owns: the caller owns `*groups`, and frees it with shardway_groups_free. Nothing of the batch is kept.
/// Threads: any, at once; all keys are looked up in one snapshot.
/// Errors: SHARDWAY_SHARD_NOT_AVAILABLE when no node can own a key; SHARDWAY_INVALID_ARGUMENT with the offset
/// that is wrong, when the scheme does not take such a key, or when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_group(
    router: *const shardway_router_t,
    data: *const c_void,
    data_length: usize,
    offsets: *const u32,
    n_keys: usize,
    groups: *mut *mut shardway_groups_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(groups, "groups")?;
            let keys = groups::narrow(data.cast(), data_length, offsets, n_keys)?;
            out.set(border::give(Arc::new(core(router)?.group_packed(keys)?)));
            Ok(())
        })
    }
}

/// Groups a batch of keys by owner, with 64-bit offsets.
///
/// Does: as shardway_router_group, for batches of 4 GiB and more (Arrow's large layout).
/// Owns: the caller owns `*groups`, and frees it with shardway_groups_free. Nothing of the batch is kept.
/// Threads: any, at once; all keys are looked up in one snapshot.
/// Errors: as shardway_router_group.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_group_large(
    router: *const shardway_router_t,
    data: *const c_void,
    data_length: usize,
    offsets: *const u64,
    n_keys: usize,
    groups: *mut *mut shardway_groups_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(groups, "groups")?;
            let keys = groups::wide(data.cast(), data_length, offsets, n_keys)?;
            out.set(border::give(Arc::new(core(router)?.group_packed(keys)?)));
            Ok(())
        })
    }
}

/// Groups a batch of hashes by owner, for a hash function that the library does not have.
///
/// Does: as shardway_router_group, with each hash in the place of a key's hash.
/// Owns: the caller owns `*groups`, and frees it with shardway_groups_free. Nothing of the batch is kept.
/// Threads: any, at once; all hashes are looked up in one snapshot.
/// Errors: SHARDWAY_SHARD_NOT_AVAILABLE when no node can own a key; SHARDWAY_INVALID_ARGUMENT when a pointer is
/// NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_group_hashes(
    router: *const shardway_router_t,
    hashes: *const u64,
    n_hashes: usize,
    groups: *mut *mut shardway_groups_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(groups, "groups")?;
            let hashes = border::slice(hashes, n_hashes, "hashes")?;
            out.set(border::give(Arc::new(core(router)?.group_hashes(hashes)?)));
            Ok(())
        })
    }
}

/// Explains why a key has its owner.
///
/// Does: tells hash, point, owner, the next owners, what is ejected, revision and fingerprint. `format` is
/// SHARDWAY_EXPLAIN_TEXT, for people (the wording may change), or SHARDWAY_EXPLAIN_JSON, for programs.
/// Owns: the caller owns `*text`, and frees it with shardway_text_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when the scheme does not take such a key, the format is unknown or a
/// pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_explain(
    router: *const shardway_router_t,
    key: *const c_void,
    key_length: usize,
    format: i32,
    text: *mut *mut shardway_text_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(text, "text")?;
            let explanation = core(router)?.explain(border::slice(key.cast(), key_length, "key")?)?;
            text::hand_over(explain::written(&explanation, format)?, out);
            Ok(())
        })
    }
}

/// Explains why a typed key has its owner.
///
/// Does: as shardway_router_explain, for keys whose bytes depend on the scheme.
/// Owns: the caller owns `*text`, and frees it with shardway_text_free.
/// Threads: any, at once.
/// Errors: as shardway_router_explain.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_explain_typed(
    router: *const shardway_router_t,
    key: *const shardway_key_t,
    format: i32,
    text: *mut *mut shardway_text_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(text, "text")?;
            let explanation = core(router)?.explain(key::typed(key)?)?;
            text::hand_over(explain::written(&explanation, format)?, out);
            Ok(())
        })
    }
}
