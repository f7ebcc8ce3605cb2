//! Health on a router: outcomes and time go in, admissions and events come out.

use std::ffi::c_char;
use std::sync::PoisonError;

use shardway_core::Outcome;

use super::{core, shardway_router_t};
use crate::border::{self, Out, OutStructs};
use crate::error::{shardway_error_t, shardway_status_t};
use crate::event::{self, shardway_event_t};

/// What answers for the next tick that is due when there is none.
pub const SHARDWAY_NO_TICK: u64 = 18_446_744_073_709_551_615;

/// Asks whether a request may go to a node now. Ask before each send.
///
/// Does: writes one of the SHARDWAY_ADMISSION constants. After SHARDWAY_ADMISSION_PROBE, report how it ended.
/// Owns: nothing. `now_ms` is of any clock of the caller's that never goes back.
/// Threads: any, at once.
/// Errors: SHARDWAY_UNKNOWN_NODE; SHARDWAY_INVALID_ARGUMENT when the id is not UTF-8 or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_admit(
    router: *const shardway_router_t,
    id: *const c_char,
    id_length: usize,
    now_ms: u64,
    admission: *mut i32,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(admission, "admission")?;
            out.set(core(router)?.admit(border::text(id, id_length, "id")?, now_ms)? as i32);
            Ok(())
        })
    }
}

/// Tells how a request to a node ended.
///
/// Does: counts for the node's health. `outcome` is one of the SHARDWAY_OUTCOME constants; `sent_ms` is when
/// the request was sent and `now_ms` when it ended, of the clock that shardway_router_admit was given. A report
/// of a request sent before the node's last change is ignored. Writes what it led to to `*event`, whose
/// kind is SHARDWAY_EVENT_NONE when nothing happened.
/// Owns: `event` is the caller's, and may be NULL.
/// Threads: any, at once; lookups do not wait.
/// Errors: SHARDWAY_UNKNOWN_NODE; SHARDWAY_INVALID_ARGUMENT when the outcome is unknown, the id is not UTF-8,
/// `struct_size` is too small or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_report(
    router: *const shardway_router_t,
    id: *const c_char,
    id_length: usize,
    outcome: i32,
    sent_ms: u64,
    now_ms: u64,
    event: *mut shardway_event_t,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let mut out = OutStructs::new(event, usize::from(!event.is_null()), "event")?;
            let id = border::text(id, id_length, "id")?;
            let known = Outcome::ALL.into_iter().find(|known| *known as i32 == outcome);
            let outcome = known.ok_or_else(|| {
                border::bad("outcome", format!("is {outcome}; give one of the SHARDWAY_OUTCOME constants"))
            })?;
            let happened = core(router)?.report(id, outcome, sent_ms, now_ms)?;
            if out.capacity() > 0 {
                event::copy(happened.as_ref(), 0, &mut out);
            }
            Ok(())
        })
    }
}

/// Lets time pass.
///
/// Does: nodes whose time is up may be probed and, with `eject_failed_host`, get their keys back. Tells what
/// happened since the last tick, apart from what shardway_router_report told. Events that do not fit
/// `n_capacity` are kept and come first in the next tick: when `*n_events` equals `n_capacity`, tick again.
/// A capacity of 0 drops them.
/// Owns: `events` is the caller's, room for `n_capacity`; set `struct_size` of the first.
/// Threads: any, at once; lookups do not wait. Each event is given once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `struct_size` is too small or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_tick(
    router: *const shardway_router_t,
    now_ms: u64,
    events: *mut shardway_event_t,
    n_capacity: usize,
    n_events: *mut usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let count = Out::new(n_events, "n_events")?;
            let mut out = OutStructs::new(events, n_capacity, "events")?;
            let ticking = border::look(router, "router")?;
            let mut pending = ticking.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.extend(ticking.router.tick(now_ms));
            let fits = pending.len().min(out.capacity());
            for (index, event) in pending.drain(..fits).enumerate() {
                event::copy(Some(&event), index, &mut out);
            }
            if out.capacity() == 0 {
                pending.clear();
            }
            count.set(fits);
            Ok(())
        })
    }
}

/// Gives the time of the next tick that can change something.
///
/// Does: writes ms of the caller's clock, or SHARDWAY_NO_TICK when no node waits for its time.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_router_next_tick(
    router: *const shardway_router_t,
    next_tick_ms: *mut u64,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let out = Out::new(next_tick_ms, "next_tick_ms")?;
            out.set(core(router)?.next_tick_ms().unwrap_or(SHARDWAY_NO_TICK));
            Ok(())
        })
    }
}
