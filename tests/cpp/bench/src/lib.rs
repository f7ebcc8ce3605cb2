//! The core's own `route` and `group` over keys of one length, for `bench.cpp`.

use std::slice;

use shardway_core::{PackedKeys, Router, Topology};

/// A router of a document; null when the document is wrong. Never freed: the program ends with it.
///
/// # Safety
///
/// `json` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn core_router(json: *const u8, length: usize) -> *const Router {
    // SAFETY: the caller's promise.
    let json = unsafe { slice::from_raw_parts(json, length) };
    let router = std::str::from_utf8(json).ok().and_then(|json| Router::new(Topology::from_json(json).ok()?, 0).ok());
    router.map_or(std::ptr::null(), |router| Box::into_raw(Box::new(router)).cast_const())
}

/// Routes `count` keys of `size` bytes each, one after the other; the sum of the owners.
///
/// # Safety
///
/// `router` comes from `core_router`; `data` points to `count * size` bytes; `size` is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn core_route_all(router: *const Router, data: *const u8, count: usize, size: usize) -> u64 {
    // SAFETY: the caller's promise.
    let (router, data) = unsafe { (&*router, slice::from_raw_parts(data, count * size)) };
    data.chunks_exact(size).filter_map(|key| router.route(key).ok()).map(|route| u64::from(route.node)).sum()
}

/// Groups a packed batch; the number of groups, 0 for an error.
///
/// # Safety
///
/// `router` comes from `core_router`; `data` points to `length` bytes and `offsets` to `count + 1` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn core_group(
    router: *const Router,
    data: *const u8,
    length: usize,
    offsets: *const u32,
    count: usize,
) -> u64 {
    // SAFETY: the caller's promise.
    let (router, data, offsets) =
        unsafe { (&*router, slice::from_raw_parts(data, length), slice::from_raw_parts(offsets, count + 1)) };
    let groups = PackedKeys::new(data, offsets).and_then(|keys| router.group_packed(keys));
    groups.map_or(0, |groups| groups.len() as u64)
}
