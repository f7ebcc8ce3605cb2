//! Routers: the one handle with state. It holds the snapshot in force, counters and the nodes' health.
//! Lookups take no lock; `const` here includes the calls that publish or eject: all may run at once.
//! A router lends nothing, since a publish elsewhere may drop it: it copies out, or gives a snapshot.

pub mod health;
pub mod lookup;

use std::collections::VecDeque;
use std::ffi::c_char;
use std::sync::{Arc, Mutex};

use shardway_core::{Event, Router};

use crate::border::{self, Handle, Out, OutStructs};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::snapshot::shardway_snapshot_t;
use crate::stats::{self, shardway_stats_t};
use crate::topology::shardway_topology_t;

/// The snapshot in force and what changes it. Counted; safe for any number of threads at once.
#[allow(non_camel_case_types)]
pub struct shardway_router_t {
    _opaque: [u8; 0],
}

/// The core's router, and the events that did not fit the array of the last tick.
pub(crate) struct Ticking {
    router: Router,
    pending: Mutex<VecDeque<Event>>,
}

impl Handle for shardway_router_t {
    type Inner = Ticking;
}

/// The core's router behind a handle.
///
/// # Safety
/// As [`border::look`].
unsafe fn core<'a>(router: *const shardway_router_t) -> shardway_core::Result<&'a Router> {
    // SAFETY: promised by the caller.
    Ok(&unsafe { border::look(router, "router") }?.router)
}

/// Makes a router whose snapshot in force is that of a topology.
///
/// Does: compiles the topology. `seed` feeds the jitter of backoff times and nothing else: give each process
/// another one.
/// Owns: the caller owns `*router`, and frees it with shardway_router_free. The topology stays the caller's.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_TOPOLOGY or SHARDWAY_UNSUPPORTED when it cannot be compiled;
/// SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_new(
    topology: *const shardway_topology_t,
    seed: u64,
    router: *mut *mut shardway_router_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(router, "router")?;
            let router = Router::new(border::look(topology, "topology")?.clone(), seed)?;
            out.set(border::give(Arc::new(Ticking { router, pending: Mutex::default() })));
            Ok(())
        })
    }
}

/// Gives the snapshot in force.
///
/// Does: later publishes and ejections do not change it: take one for a request and keep it to its end.
/// Owns: the caller owns `*snapshot`, and frees it with shardway_snapshot_free.
/// Threads: any, at once; takes no lock.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_snapshot(
    router: *const shardway_router_t,
    snapshot: *mut *mut shardway_snapshot_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(snapshot, "snapshot")?;
            out.set(border::give(core(router)?.snapshot()));
            Ok(())
        })
    }
}

/// Puts a topology in force.
///
/// Does: compiles it, then swaps; lookups go on meanwhile, none sees half of it. Writes one of the
/// SHARDWAY_PUBLISH constants to `*result`. A topology with a revision must not be older than the one in
/// force, nor have its revision and other content; one without gets the next number.
/// Owns: the topology stays the caller's. `result` may be NULL.
/// Threads: any, at once; publishers wait for each other, lookups wait for none.
/// Errors: SHARDWAY_STALE_REVISION and SHARDWAY_REVISION_CONFLICT, from the revisions;
/// SHARDWAY_INVALID_TOPOLOGY or SHARDWAY_UNSUPPORTED when it cannot be compiled; SHARDWAY_INVALID_ARGUMENT
/// when a pointer is NULL. After any error the old topology is in force.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_publish(
    router: *const shardway_router_t,
    topology: *const shardway_topology_t,
    result: *mut i32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let result = Out::maybe(result, "result")?;
            let topology = border::look(topology, "topology")?.clone();
            Out::set_wanted(result, core(router)?.publish(topology)? as i32);
            Ok(())
        })
    }
}

/// Takes a node out: its keys go to the nodes after it, no other key moves.
///
/// Does: writes 1 to `*changed`, or 0 when it was so already. Lasts until shardway_router_revive. What failure
/// accrual holds against the node is kept apart.
/// Owns: nothing. `changed` may be NULL.
/// Threads: any, at once; lookups do not wait.
/// Errors: SHARDWAY_UNKNOWN_NODE; SHARDWAY_INVALID_ARGUMENT when the id is not UTF-8 or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_eject(
    router: *const shardway_router_t,
    id: *const c_char,
    id_length: usize,
    changed: *mut i32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::maybe(changed, "changed")?;
            let changed = core(router)?.eject(border::text(id, id_length, "id")?)?;
            Out::set_wanted(out, i32::from(changed));
            Ok(())
        })
    }
}

/// Gives back what shardway_router_eject took: the node gets exactly its own keys again.
///
/// Does: writes 1 to `*changed`, or 0 when nothing was taken. A node that failure accrual marked dead stays dead.
/// Owns: nothing. `changed` may be NULL.
/// Threads: any, at once; lookups do not wait.
/// Errors: SHARDWAY_UNKNOWN_NODE; SHARDWAY_INVALID_ARGUMENT when the id is not UTF-8 or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_revive(
    router: *const shardway_router_t,
    id: *const c_char,
    id_length: usize,
    changed: *mut i32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::maybe(changed, "changed")?;
            let changed = core(router)?.revive(border::text(id, id_length, "id")?)?;
            Out::set_wanted(out, i32::from(changed));
            Ok(())
        })
    }
}

/// Gives the counters and gauges of a router.
///
/// Does: copies them, as they are at one moment.
/// Owns: `stats` is the caller's.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `struct_size` is too small or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_stats(
    router: *const shardway_router_t,
    stats: *mut shardway_stats_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = OutStructs::new(stats, 1, "stats")?;
            stats::copy(&core(router)?.stats(), out);
            Ok(())
        })
    }
}

/// Counts one more owner of a router.
///
/// Does: nothing else; both names are one router.
/// Owns: the caller owns the answer, and frees it with shardway_router_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_clone(router: *const shardway_router_t) -> *mut shardway_router_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(router) })
}

/// Gives a router back.
///
/// Does: counts one owner less; the last one frees it. Snapshots and groups taken from it live on. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_free(router: *mut shardway_router_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(router) });
}
