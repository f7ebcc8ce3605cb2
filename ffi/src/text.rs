//! Text that the library made and the caller frees: a document, an explanation.

use std::ffi::c_char;
use std::sync::Arc;

use crate::border::{self, Handle, Out};

/// A text of the library's making. Immutable and counted. UTF-8; a NUL follows its last byte.
#[allow(non_camel_case_types)]
pub struct shardway_text_t {
    _opaque: [u8; 0],
}

/// The bytes with a NUL after them. The length is told, so a NUL among them is fine.
pub(crate) struct Terminated(Vec<u8>);

impl Handle for shardway_text_t {
    type Inner = Terminated;
}

/// Hands `text` to C.
pub(crate) fn hand_over(text: String, out: Out<*mut shardway_text_t>) {
    let mut bytes = text.into_bytes();
    bytes.push(0);
    out.set(border::give(Arc::new(Terminated(bytes))));
}

/// Gives the bytes of a text.
///
/// Does: nothing but point; a NUL follows the last byte.
/// Owns: lends; lives as long as the text. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_text_data(text: *const shardway_text_t) -> *const c_char {
    border::answer(std::ptr::null(), || {
        // SAFETY: the header's promise about handles.
        unsafe { border::glance(text) }.map_or(std::ptr::null(), |text| text.0.as_ptr().cast())
    })
}

/// Gives the length of a text in bytes, without its NUL.
///
/// Does: nothing else.
/// Owns: nothing. 0 for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_text_length(text: *const shardway_text_t) -> usize {
    // SAFETY: the header's promise about handles.
    border::answer(0, || unsafe { border::glance(text) }.map_or(0, |text| text.0.len() - 1))
}

/// Counts one more owner of a text.
///
/// Does: nothing else; no copy is made.
/// Owns: the caller owns the answer, and frees it with shardway_text_free. NULL for NULL.
/// Threads: any, at once.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_text_clone(text: *const shardway_text_t) -> *mut shardway_text_t {
    // SAFETY: the header's promise about handles.
    border::answer(std::ptr::null_mut(), || unsafe { border::retain(text) })
}

/// Gives a text back.
///
/// Does: counts one owner less; the last one frees it and what it lent. NULL is fine.
/// Owns: takes the caller's reference.
/// Threads: any, as long as nobody still uses this reference.
/// Errors: none.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_text_free(text: *mut shardway_text_t) {
    // SAFETY: the header's promise about handles.
    border::nothing(|| unsafe { border::release(text) });
}
