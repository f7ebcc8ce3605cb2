//! Groups: the keys of a batch by owner, in Arrow's list layout. Group `g` belongs to `nodes[g]` and has the
//! key numbers `indices[offsets[g]]` up to `indices[offsets[g + 1]]`. Groups come in the order in which
//! their first key does; key numbers ascend in each. Node indices are those of the snapshot they keep.

use std::sync::Arc;

use shardway_core::{Groups, PackedKeys, Result};

use crate::border::{self, Handle, Lend, Out};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::snapshot::shardway_snapshot_t;

/// Keys of a batch by owner. Immutable and counted; keeps its snapshot alive.
#[allow(non_camel_case_types)]
pub struct shardway_groups_t {
    _opaque: [u8; 0],
}

impl Handle for shardway_groups_t {
    type Inner = Groups;
}

/// A batch with 32-bit offsets. Without keys both pointers are ignored.
///
/// # Safety
/// As [`border::slice`], for `data` and for `n_keys + 1` offsets.
pub(crate) unsafe fn narrow<'a>(
    data: *const u8,
    data_length: usize,
    offsets: *const u32,
    n_keys: usize,
) -> Result<PackedKeys<'a>> {
    if n_keys == 0 {
        return PackedKeys::new(&[], &[0]);
    }
    // SAFETY: promised by the caller.
    unsafe {
        let offsets = border::slice(offsets, one_more(n_keys)?, "offsets")?;
        PackedKeys::new(border::slice(data, data_length, "data")?, offsets)
    }
}

/// A batch with 64-bit offsets. Without keys both pointers are ignored.
///
/// # Safety
/// As [`border::slice`], for `data` and for `n_keys + 1` offsets.
pub(crate) unsafe fn wide<'a>(
    data: *const u8,
    data_length: usize,
    offsets: *const u64,
    n_keys: usize,
) -> Result<PackedKeys<'a>> {
    if n_keys == 0 {
        return PackedKeys::new_wide(&[], &[0]);
    }
    // SAFETY: promised by the caller.
    unsafe {
        let offsets = border::slice(offsets, one_more(n_keys)?, "offsets")?;
        PackedKeys::new_wide(border::slice(data, data_length, "data")?, offsets)
    }
}

fn one_more(n_keys: usize) -> Result<usize> {
    n_keys.checked_add(1).ok_or_else(|| border::bad("n_keys", format!("is {n_keys}, more than any batch can have")))
}

/// Gives the number of groups.
///
/// Does: one for each node that owns a key of the batch.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_count(groups: *const shardway_groups_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(groups) }.map_or(0, Groups::len))
}

/// Gives the number of keys in all groups: that of the batch.
///
/// Does: also the length of the array of indices.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_key_count(groups: *const shardway_groups_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(groups) }.map_or(0, |groups| groups.indices().len()))
}

/// Gives the revision of the snapshot that the groups belong to.
///
/// Does: all keys were looked up in it.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_revision(groups: *const shardway_groups_t) -> u64 {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(groups) }.map_or(0, |groups| groups.snapshot().revision()))
}

/// Gives one group.
///
/// Does: writes the node that owns group `group`, and points to the numbers of its keys, from 0 in the order of the
/// batch.
/// Owns: lends; lives as long as the groups.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `group` is not below the count or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_get(
    groups: *const shardway_groups_t,
    group: usize,
    node: *mut u32,
    indices: *mut *const u32,
    n_indices: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let (node, out) = (Out::new(node, "node")?, Lend::new(indices, "indices", n_indices, "n_indices")?);
            let groups = border::look(groups, "groups")?;
            let (owner, indices) = groups.iter().nth(group).ok_or_else(|| {
                border::bad(
                    "group",
                    format!("is {group}, but there are {} groups; give a number below that", groups.len()),
                )
            })?;
            node.set(owner);
            out.set(indices);
            Ok(())
        })
    }
}

/// Gives the owners of all groups.
///
/// Does: points to one node index for each group.
/// Owns: lends; lives as long as the groups. NULL for NULL and when there is no group.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_nodes(groups: *const shardway_groups_t) -> *const u32 {
    border::answer(std::ptr::null(), || {
        // SAFETY: the header's promise about handles.
        unsafe { border::glance(groups) }.map_or(std::ptr::null(), |groups| border::start(groups.nodes()))
    })
}

/// Gives where each group begins in the array of indices.
///
/// Does: points to one offset for each group and one more, the end of the last.
/// Owns: lends; lives as long as the groups. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_offsets(groups: *const shardway_groups_t) -> *const u32 {
    border::answer(std::ptr::null(), || {
        // SAFETY: the header's promise about handles.
        unsafe { border::glance(groups) }.map_or(std::ptr::null(), |groups| border::start(groups.offsets()))
    })
}

/// Gives the numbers of all keys, group after group.
///
/// Does: points to one number for each key of the batch.
/// Owns: lends; lives as long as the groups. NULL for NULL and when there is no key.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_indices(groups: *const shardway_groups_t) -> *const u32 {
    border::answer(std::ptr::null(), || {
        // SAFETY: the header's promise about handles.
        unsafe { border::glance(groups) }.map_or(std::ptr::null(), |groups| border::start(groups.indices()))
    })
}

/// Gives the snapshot that the groups belong to.
///
/// Does: it has the names of the nodes.
/// Owns: the caller owns `*snapshot`, and frees it with shardway_snapshot_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_snapshot(
    groups: *const shardway_groups_t,
    snapshot: *mut *mut shardway_snapshot_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(snapshot, "snapshot")?;
            out.set(border::give(Arc::clone(border::look(groups, "groups")?.snapshot())));
            Ok(())
        })
    }
}

/// Counts one more owner of groups.
///
/// Does: nothing else; no copy is made.
/// Owns: the caller owns the answer, and frees it with shardway_groups_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_clone(groups: *const shardway_groups_t) -> *mut shardway_groups_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(groups) })
}

/// Gives groups back.
///
/// Does: counts one owner less; the last one frees it and what it lent. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_groups_free(groups: *mut shardway_groups_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(groups) });
}
