//! The border to Node: no panic crosses it, and every error of the core becomes an `Error` that the host layer
//! turns into its own class.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shardway_core::{Error, ErrorCode};

/// An error on its way out. Its status, which JavaScript sees as `code`, is the number of the kind, a bar and the
/// place; `lib/native.ts` takes it apart.
pub(crate) type JsError = napi::Error<String>;

/// The result of every export.
pub(crate) type Result<T> = std::result::Result<T, JsError>;

/// Runs the body of an export. A panic becomes an error of the kind `Internal`, and the next call works.
#[inline]
pub(crate) fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    // Unwind safe: the core builds a snapshot whole before it swaps it in, and its locks do not poison.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(payload) => Err(panicked(payload.as_ref())),
    }
}

#[cold]
fn panicked(payload: &(dyn Any + Send)) -> JsError {
    let said = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let message = format!("a panic in the native library: {said}; the call had no effect, please report this");
    fault(ErrorCode::Internal, "", message)
}

/// The error of `code` about `place`.
#[cold]
pub(crate) fn fault(code: ErrorCode, place: &str, message: String) -> JsError {
    napi::Error::new(format!("{}|{place}", code.as_i32()), message)
}

/// What becomes of an error of the core.
#[cold]
pub(crate) fn raise(error: Error) -> JsError {
    fault(error.code(), error.place(), error.to_string())
}
