//! A panic on demand, to prove that none crosses the border. Behind the feature `panic-test`; not in the header.

use std::ffi::c_char;

use crate::border;
use crate::error::{shardway_error_t, shardway_status_t};

/// Panics with a message of the caller's.
///
/// Does: never succeeds.
/// Owns: nothing.
/// Threads: any, at once.
/// Errors: SHARDWAY_INTERNAL, always.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
#[allow(clippy::panic, clippy::missing_panics_doc)]
pub unsafe extern "C" fn shardway_test_panic(
    message: *const c_char,
    message_length: usize,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters.
    unsafe {
        border::status(error, || {
            let message = border::text(message, message_length, "message")?;
            panic!("{message}");
        })
    }
}
