//! Logical partitions: which instances serve which partition, in both directions. Overlaps are fine.
//! A snapshot has those its topology declares; a caller with a mapping of its own builds them of instances.

use std::ffi::c_char;
use std::sync::Arc;

use shardway_core::{Instance, PartitionMap, Result, Serves, Snapshot};

use crate::border::{self, Growing, Handle, Lend, Out, OutStructs};
use crate::error::{shardway_error_t, shardway_status_t};

/// The instance is its own partition, numbered by its shard id.
pub const SHARDWAY_SERVES_OWN: i32 = 0;

/// The instance serves the partitions of `list`.
pub const SHARDWAY_SERVES_LIST: i32 = 1;

/// The mapping failed for this instance, for the reason given.
pub const SHARDWAY_SERVES_FAILED: i32 = 2;

/// Partitions to instances and back. Immutable and counted.
#[allow(non_camel_case_types)]
pub struct shardway_partitions_t {
    _opaque: [u8; 0],
}

/// Where the map is kept.
pub(crate) enum PartitionsOf {
    /// Inside a snapshot, which stays alive for it.
    Snapshot(Arc<Snapshot>),
    /// On its own.
    Map(Arc<PartitionMap>),
}

impl PartitionsOf {
    fn map(&self) -> &PartitionMap {
        match self {
            Self::Snapshot(snapshot) => snapshot.partitions(),
            Self::Map(map) => map,
        }
    }
}

impl Handle for shardway_partitions_t {
    type Inner = PartitionsOf;
}

/// An instance, as a mapping sees it. The caller's struct.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_instance_t {
    /// In: `sizeof(shardway_instance_t)`, the same in all of an array.
    pub struct_size: usize,
    /// Its number in whatever list of nodes the caller keeps.
    pub node: u32,
    /// 1 when it has a shard id, else 0.
    pub has_shard_id: i32,
    /// Its shard id.
    pub shard_id: i32,
    /// One of the `SHARDWAY_SERVES_` constants.
    pub serves: i32,
    /// Of `SHARDWAY_SERVES_LIST`: ids of partitions; repeats count once.
    pub list: *const i32,
    /// How many ids `list` has; 0 ignores `list`.
    pub n_list: usize,
    /// Of `SHARDWAY_SERVES_FAILED`: why, UTF-8.
    pub reason: *const c_char,
    /// Length of `reason` in bytes; 0 ignores `reason`.
    pub reason_length: usize,
}

// SAFETY: repr(C), begins with its size, pointers and integers only.
unsafe impl Growing for shardway_instance_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// An instance that serves no partition because something is wrong with it. The caller's struct; what
/// `reason` points to is lent by the partitions, and lives as long as they.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_left_out_t {
    /// In: `sizeof(shardway_left_out_t)`.
    pub struct_size: usize,
    /// Its number.
    pub node: u32,
    /// What is wrong: `SHARDWAY_NO_SHARD_ID` or `SHARDWAY_PARTITIONING_STRATEGY`.
    pub code: shardway_status_t,
    /// A sentence for the log. UTF-8 without NUL.
    pub reason: *const c_char,
    /// Length of `reason` in bytes.
    pub reason_length: usize,
}

// SAFETY: repr(C), begins with its size, pointers and integers only.
unsafe impl Growing for shardway_left_out_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// What C says about instances, copied.
///
/// # Safety
/// `instances` is NULL or points to `n_instances` structs of the size that the first one says.
pub(crate) unsafe fn instances(instances: *const shardway_instance_t, n_instances: usize) -> Result<Vec<Instance>> {
    if n_instances == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: promised by the caller.
    let stride = unsafe { border::struct_size(instances, "instances") }?;
    (0..n_instances)
        .map(|index| {
            let place = instances.wrapping_byte_add(index * stride);
            // SAFETY: inside the array, as promised by the caller.
            unsafe { instance(place, stride) }.map_err(|error| border::inside(&error, &format!("instances[{index}]")))
        })
        .collect()
}

/// # Safety
/// `place` points to a struct that begins with its size, with data as long as it says.
unsafe fn instance(place: *const shardway_instance_t, stride: usize) -> Result<Instance> {
    let empty = shardway_instance_t {
        struct_size: 0,
        node: 0,
        has_shard_id: 0,
        shard_id: 0,
        serves: 0,
        list: std::ptr::null(),
        n_list: 0,
        reason: std::ptr::null(),
        reason_length: 0,
    };
    // SAFETY: promised by the caller.
    let given = unsafe { border::read_struct(place, empty, "struct_size") }?;
    if given.struct_size != stride {
        return Err(border::bad("struct_size", format!("is {}; that of the first is {stride}", given.struct_size)));
    }
    let serves = match given.serves {
        SHARDWAY_SERVES_OWN => Serves::Own,
        // SAFETY: promised by the caller.
        SHARDWAY_SERVES_LIST => Serves::List(unsafe { border::slice(given.list, given.n_list, "list") }?.to_vec()),
        SHARDWAY_SERVES_FAILED => {
            // SAFETY: promised by the caller.
            Serves::Failed(unsafe { border::text(given.reason, given.reason_length, "reason") }?.to_owned())
        }
        other => return Err(border::bad("serves", format!("is {other}; give one of the SHARDWAY_SERVES_ constants"))),
    };
    let has_shard_id = border::flag(given.has_shard_id, "has_shard_id")?;
    Ok(Instance { node: given.node, shard_id: has_shard_id.then_some(given.shard_id), serves })
}

/// The map behind a handle.
///
/// # Safety
/// As [`border::look`].
unsafe fn look<'a>(partitions: *const shardway_partitions_t) -> Result<&'a PartitionMap> {
    // SAFETY: promised by the caller.
    Ok(unsafe { border::look(partitions, "partitions") }?.map())
}

/// Builds the map of instances.
///
/// Does: what is wrong with an instance leaves out that instance only: see shardway_partitions_left_out. Nothing
/// of the array is kept.
/// Owns: the caller owns `*partitions`, and frees it with shardway_partitions_free.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT with the instance and field that is malformed, or when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_build(
    instances: *const shardway_instance_t,
    n_instances: usize,
    partitions: *mut *mut shardway_partitions_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(partitions, "partitions")?;
            let map = PartitionMap::build(&self::instances(instances, n_instances)?);
            out.set(border::give(Arc::new(PartitionsOf::Map(Arc::new(map)))));
            Ok(())
        })
    }
}

/// Gives the number of partitions that are served.
///
/// Does: 0 also when every instance was left out.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_count(partitions: *const shardway_partitions_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(partitions) }.map_or(0, |partitions| partitions.map().len()))
}

/// Gives the ids of all partitions, ascending.
///
/// Does: writes the first `n_capacity` of them at most; shardway_partitions_count tells how many there are.
/// Owns: `ids` is the caller's, room for `n_capacity`.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_ids(
    partitions: *const shardway_partitions_t,
    ids: *mut i32,
    n_capacity: usize,
    n_ids: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let count = Out::new(n_ids, "n_ids")?;
            let room = border::slice_mut(ids, n_capacity, "ids")?;
            let map = look(partitions)?;
            for (to, id) in room.iter_mut().zip(map.partitions()) {
                *to = id;
            }
            count.set(n_capacity.min(map.len()));
            Ok(())
        })
    }
}

/// Gives the instances that serve a partition, ascending.
///
/// Does: points to their numbers; there is at least one.
/// Owns: lends; lives as long as the partitions.
/// Threads: any, at once.
/// Errors: SHARDWAY_NO_PARTITION when none serves it; SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_nodes_of(
    partitions: *const shardway_partitions_t,
    partition: i32,
    nodes: *mut *const u32,
    n_nodes: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Lend::new(nodes, "nodes", n_nodes, "n_nodes")?;
            out.set(look(partitions)?.nodes_of(partition)?);
            Ok(())
        })
    }
}

/// Gives the partitions that an instance serves, ascending.
///
/// Does: points to their ids; none for an instance that is unknown or was left out.
/// Owns: lends; lives as long as the partitions. NULL when there is none.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_of_node(
    partitions: *const shardway_partitions_t,
    node: u32,
    ids: *mut *const i32,
    n_ids: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Lend::new(ids, "ids", n_ids, "n_ids")?;
            out.set(look(partitions)?.partitions_of(node));
            Ok(())
        })
    }
}

/// Gives the number of instances that were left out.
///
/// Does: they come in the order in which they were given.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_left_out_count(partitions: *const shardway_partitions_t) -> usize {
    border::answer(0, || {
        // SAFETY: the header's promise about handles.
        unsafe { border::glance(partitions) }.map_or(0, |partitions| partitions.map().left_out().len())
    })
}

/// Tells which instance was left out, and why.
///
/// Does: fills in `*left_out` for number `index` of those left out.
/// Owns: `*left_out` is the caller's; its reason is lent and lives as long as the partitions.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `index` is not below the count, `struct_size` is too small or a
/// pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_left_out(
    partitions: *const shardway_partitions_t,
    index: usize,
    left_out: *mut shardway_left_out_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let mut out = OutStructs::new(left_out, 1, "left_out")?;
            let all = look(partitions)?.left_out();
            let left = all.get(index).ok_or_else(|| {
                border::bad("index", format!("is {index}, but {} were left out; give an index below that", all.len()))
            })?;
            let reason = border::start(left.reason.as_bytes()).cast();
            let (node, code, reason_length) = (left.node, left.code.as_i32(), left.reason.len());
            out.set(0, &shardway_left_out_t { struct_size: 0, node, code, reason, reason_length });
            Ok(())
        })
    }
}

/// Counts one more owner of partitions.
///
/// Does: nothing else; no copy is made.
/// Owns: the caller owns the answer, and frees it with shardway_partitions_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_clone(
    partitions: *const shardway_partitions_t,
) -> *mut shardway_partitions_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(partitions) })
}

/// Gives partitions back.
///
/// Does: counts one owner less; the last one frees it and what it lent. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_partitions_free(partitions: *mut shardway_partitions_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(partitions) });
}
