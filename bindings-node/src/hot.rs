//! The hot way in: one bare function a router. The usual conversions of a string, and of the receiver of a method,
//! cost several times the lookup: here text is written to the stack and looked up; any other key the caller has
//! written to a buffer that both sides know, and passes its length only.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use napi::bindgen_prelude::{ArrayBuffer, BigInt, External, JsValue, Unknown};
use napi::{Env, sys};
use napi_derive::napi;
use shardway_core::{ErrorCode, Key, Router};

use crate::border::{Result, fault, guard};
use crate::key::decode;

/// Answered where it takes the slow way to tell: another revision is in force, or the lookup fails.
const ASK: i32 = -1;

/// What a hot function holds. It lives as long as the function.
struct Hot {
    router: Arc<Router>,
    /// The revision whose indices the caller can read.
    revision: u64,
    /// The memory of the buffer. `keep` holds the buffer, and its owner never detaches it.
    data: *const u8,
    len: usize,
    keep: sys::napi_ref,
}

impl Hot {
    /// The owner's index of the key that lies in the buffer; `code` is four times its length plus its kind.
    fn route_written(&self, code: u32) -> i32 {
        let len = (code >> 2) as usize;
        if len > self.len {
            return ASK;
        }
        // SAFETY: `keep` holds the buffer, which has at least `len` bytes; only this thread writes to it.
        let bytes = unsafe { std::slice::from_raw_parts(self.data, len) };
        decode(code & 3, bytes).map_or(ASK, |key| self.route(key))
    }

    /// The owner's index of text, given as UTF-8.
    fn route_text(&self, text: &[u8]) -> i32 {
        // Node writes a lone surrogate as U+FFFD; where there is one, the slow way looks at the text itself.
        if text.contains(&REPLACED[0]) && text.windows(REPLACED.len()).any(|window| window == REPLACED) {
            return ASK;
        }
        self.route(Key::Bytes(text))
    }

    #[inline]
    fn route(&self, key: Key<'_>) -> i32 {
        match self.router.route(key) {
            Ok(route) if route.revision == self.revision => route.node as i32,
            _ => ASK,
        }
    }
}

/// U+FFFD in UTF-8.
const REPLACED: [u8; 3] = [0xEF, 0xBF, 0xBD];

/// Room for text, in bytes; longer text goes the slow way. Node writes a closing zero too.
const ROOM: usize = 1024;

/// Makes a function of one argument, a string or `4 * length + kind` of the key at the start of `buffer`, that gives
/// the index of the key's owner in the snapshot of `revision`, or -1 where it takes `snapshot_route` to tell.
#[napi]
pub(crate) fn router_hot(
    env: Env,
    router: &External<Arc<Router>>,
    buffer: ArrayBuffer<'_>,
    revision: BigInt,
) -> Result<Unknown<'static>> {
    guard(|| {
        let (_, revision, _) = revision.get_u64();
        let (raw, mut keep) = (env.raw(), ptr::null_mut());
        // SAFETY: the environment and the value are those of this very call.
        let status = unsafe { sys::napi_create_reference(raw, buffer.raw(), 1, &raw mut keep) };
        ok(status)?;
        let (data, len) = (buffer.as_ptr(), buffer.len());
        let hot = Box::into_raw(Box::new(Hot { router: Arc::clone(router), revision, data, len, keep }));
        let mut function = ptr::null_mut();
        // SAFETY: `hot` lives until the finalizer of the function has it, which is its only other holder.
        let status = unsafe {
            match sys::napi_create_function(raw, ptr::null(), 0, Some(call), hot.cast(), &raw mut function) {
                sys::Status::napi_ok => {
                    sys::napi_add_finalizer(raw, function, hot.cast(), Some(release), ptr::null_mut(), ptr::null_mut())
                }
                failed => failed,
            }
        };
        ok(status)?;
        // SAFETY: the function was made in this environment just now.
        Ok(unsafe { Unknown::from_raw_unchecked(raw, function) })
    })
}

fn ok(status: sys::napi_status) -> Result<()> {
    if status == sys::Status::napi_ok {
        return Ok(());
    }
    Err(fault(ErrorCode::Internal, "", format!("Node-API refused with status {status}; please report this")))
}

/// The hot function's body.
unsafe extern "C" fn call(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let (mut count, mut argument, mut hot) = (1, ptr::null_mut(), ptr::null_mut());
    // SAFETY: Node gives the environment and the call's own info; `hot` is what the function was made with.
    let hot = unsafe {
        sys::napi_get_cb_info(env, info, &raw mut count, &raw mut argument, ptr::null_mut(), &raw mut hot);
        &*hot.cast::<Hot>()
    };
    let mut room = [MaybeUninit::<u8>::uninit(); ROOM];
    let mut len = 0;
    // SAFETY: Node writes at most `ROOM` bytes, and says how many before the closing zero.
    let status =
        unsafe { sys::napi_get_value_string_utf8(env, argument, room.as_mut_ptr().cast(), ROOM, &raw mut len) };
    // A panic is told by the slow way, which meets it again.
    let node = catch_unwind(AssertUnwindSafe(|| {
        if status != sys::Status::napi_ok {
            let mut code = u32::MAX;
            // SAFETY: as above; what is no number leaves a code that is refused.
            unsafe { sys::napi_get_value_uint32(env, argument, &raw mut code) };
            return hot.route_written(code);
        }
        if len + 4 >= ROOM {
            return ASK; // perhaps cut: no character of UTF-8 is longer than four bytes
        }
        // SAFETY: Node wrote these bytes.
        hot.route_text(unsafe { std::slice::from_raw_parts(room.as_ptr().cast(), len) })
    }))
    .unwrap_or(ASK);
    let mut answer = ptr::null_mut();
    // SAFETY: as above.
    unsafe { sys::napi_create_int32(env, node, &raw mut answer) };
    answer
}

/// Frees what a hot function held.
unsafe extern "C" fn release(env: sys::napi_env, hot: *mut std::ffi::c_void, _hint: *mut std::ffi::c_void) {
    // SAFETY: called once, when the function is gone; `hot` came from `Box::into_raw`.
    let hot = unsafe { Box::from_raw(hot.cast::<Hot>()) };
    let reference = hot.keep;
    // Nothing here can unwind into Node: the drop of a router frees memory only.
    drop(hot);
    // SAFETY: the reference was made in this environment.
    unsafe { sys::napi_delete_reference(env, reference) };
}
