//! Partition tables: the partitions in force, for a caller that maps instances itself. A map that would be
//! empty never replaces one that is not, so that a glitch of discovery loses no traffic.

use std::sync::Arc;

use shardway_core::PartitionTable;

use crate::border::{self, Growing, Handle, Out, OutStructs};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::partitions::{self, PartitionsOf, shardway_instance_t, shardway_partitions_t};

/// The partitions in force and the counts of their updates. Counted; safe for any number of threads at once.
#[allow(non_camel_case_types)]
pub struct shardway_partition_table_t {
    _opaque: [u8; 0],
}

impl Handle for shardway_partition_table_t {
    type Inner = PartitionTable;
}

/// Counters (they only rise) and gauges of a partition table, of one moment. The caller's struct.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_partition_stats_t {
    /// In: `sizeof(shardway_partition_stats_t)`.
    pub struct_size: usize,
    /// Counter: maps that were put in force and differ from the one before.
    pub partition_updates: u64,
    /// Counter: maps that were put in force.
    pub snap_updates: u64,
    /// Counter: updates that could not be used; the old map stayed.
    pub update_failures: u64,
    /// Gauge: partitions in force.
    pub nodes: u64,
}

// SAFETY: repr(C), begins with its size, integers only.
unsafe impl Growing for shardway_partition_stats_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Makes a table without partitions.
///
/// Does: nothing else; fill it with shardway_partition_table_update.
/// Owns: the caller owns `*partition_table`, and frees it with shardway_partition_table_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_new(
    partition_table: *mut *mut shardway_partition_table_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            Out::new(partition_table, "partition_table")?.set(border::give(Arc::new(PartitionTable::new())));
            Ok(())
        })
    }
}

/// Puts the map of instances in force.
///
/// Does: builds it as shardway_partitions_build does, then swaps. Writes 1 to `*updated`, or 0 when the new map
/// would be empty: then the old one stays, and `update_failures` counts one more.
/// Owns: nothing of the array is kept. `updated` may be NULL.
/// Threads: any, at once; readers do not wait.
/// Errors: SHARDWAY_INVALID_ARGUMENT with the instance and field that is malformed, or when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_update(
    partition_table: *const shardway_partition_table_t,
    instances: *const shardway_instance_t,
    n_instances: usize,
    updated: *mut i32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::maybe(updated, "updated")?;
            let table = border::look(partition_table, "partition_table")?;
            let map = shardway_core::PartitionMap::build(&partitions::instances(instances, n_instances)?);
            Out::set_wanted(out, i32::from(table.update(map)));
            Ok(())
        })
    }
}

/// Counts an update whose evaluation failed at the caller's.
///
/// Does: the map in force stays.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_update_failed(
    partition_table: *const shardway_partition_table_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            border::look(partition_table, "partition_table")?.update_failed();
            Ok(())
        })
    }
}

/// Gives the partitions in force.
///
/// Does: later updates do not change them: take them for a request and keep them to its end.
/// Owns: the caller owns `*partitions`, and frees it with shardway_partitions_free.
/// Threads: any, at once; takes no lock.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_current(
    partition_table: *const shardway_partition_table_t,
    partitions: *mut *mut shardway_partitions_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(partitions, "partitions")?;
            let current = border::look(partition_table, "partition_table")?.current();
            out.set(border::give(Arc::new(PartitionsOf::Map(current))));
            Ok(())
        })
    }
}

/// Gives the counters and gauges of a table.
///
/// Does: copies them, as they are at one moment.
/// Owns: `stats` is the caller's.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `struct_size` is too small or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_stats(
    partition_table: *const shardway_partition_table_t,
    stats: *mut shardway_partition_stats_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let mut out = OutStructs::new(stats, 1, "stats")?;
            let stats = border::look(partition_table, "partition_table")?.stats();
            out.set(
                0,
                &shardway_partition_stats_t {
                    struct_size: 0,
                    partition_updates: stats.partition_updates,
                    snap_updates: stats.snap_updates,
                    update_failures: stats.update_failures,
                    nodes: stats.nodes,
                },
            );
            Ok(())
        })
    }
}

/// Counts one more owner of a table.
///
/// Does: nothing else; no copy is made.
/// Owns: the caller owns the answer, and frees it with shardway_partition_table_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_clone(
    partition_table: *const shardway_partition_table_t,
) -> *mut shardway_partition_table_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(partition_table) })
}

/// Gives a table back.
///
/// Does: counts one owner less; the last one frees it. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partition_table_free(partition_table: *mut shardway_partition_table_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(partition_table) });
}
