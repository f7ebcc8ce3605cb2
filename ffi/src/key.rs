//! Typed keys, for callers whose keys are not bytes. Most keys are: pass them as pointer and length.

use std::ffi::c_void;

use shardway_core::host::{key_i64, key_thrift};
use shardway_core::{Key, Result};

use crate::border::{self, Growing, Out};
use crate::error::{shardway_error_t, shardway_status_t};

/// A key of bytes: `data` and `length`.
pub const SHARDWAY_KEY_BYTES: i32 = 0;

/// A key of text: `data` and `length`, UTF-8.
pub const SHARDWAY_KEY_TEXT: i32 = 1;

/// A 64-bit integer: `integer`.
pub const SHARDWAY_KEY_I64: i32 = 2;

/// A 32-bit integer: `integer`, -2,147,483,648 to 2,147,483,647.
pub const SHARDWAY_KEY_I32: i32 = 3;

/// A truth value: `integer`, 0 or 1. Only a scheme with `thrift_keys` takes it.
pub const SHARDWAY_KEY_BOOL: i32 = 4;

/// A typed key. What it becomes depends on the scheme: text is its UTF-8 bytes and an integer its eight
/// bytes, big-endian two's complement; with `thrift_keys`, the JVM `hashCode()` of the value.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_key_t {
    /// `sizeof(shardway_key_t)`.
    pub struct_size: usize,
    /// One of the `SHARDWAY_KEY_` constants.
    pub kind: i32,
    /// 0. Keeps the layout the same everywhere.
    pub reserved: i32,
    /// The value of a key that is a number.
    pub integer: i64,
    /// The bytes of a key that is bytes or text.
    pub data: *const c_void,
    /// Length of `data` in bytes; 0 ignores `data`.
    pub length: usize,
}

// SAFETY: repr(C), begins with its size, pointers and integers only.
unsafe impl Growing for shardway_key_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The key that C means.
///
/// # Safety
/// `key` is NULL or points to a struct of the size that it says, with data as long as it says.
pub(crate) unsafe fn typed<'a>(key: *const shardway_key_t) -> Result<Key<'a>> {
    let empty = shardway_key_t { struct_size: 0, kind: 0, reserved: 0, integer: 0, data: std::ptr::null(), length: 0 };
    // SAFETY: promised by the caller.
    let key = unsafe { border::read_struct(key, empty, "key") }?;
    match key.kind {
        // SAFETY: promised by the caller.
        SHARDWAY_KEY_BYTES => unsafe { border::slice(key.data.cast(), key.length, "key.data") }.map(Key::Bytes),
        // SAFETY: promised by the caller.
        SHARDWAY_KEY_TEXT => unsafe { border::text(key.data.cast(), key.length, "key.data") }.map(Key::Str),
        SHARDWAY_KEY_I64 => Ok(Key::I64(key.integer)),
        SHARDWAY_KEY_I32 => i32::try_from(key.integer).map(Key::I32).map_err(|_| {
            border::bad("key.integer", format!("is {}, which has more than 32 bits; use SHARDWAY_KEY_I64", key.integer))
        }),
        SHARDWAY_KEY_BOOL => border::flag(key.integer, "key.integer").map(Key::Bool),
        other => Err(border::bad("key.kind", format!("is {other}; give one of the SHARDWAY_KEY_ constants, 0 to 4"))),
    }
}

/// Gives the bytes of an integer key, for batches of integers.
///
/// Does: writes `value` to `bytes` as 8 bytes, big-endian two's complement. A scheme with `thrift_keys` takes
/// other bytes: see shardway_key_thrift.
/// Owns: `bytes` is the caller's, room for 8.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when `bytes` is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_key_i64(
    value: i64,
    bytes: *mut u8,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters; an array of bytes has no alignment.
    unsafe {
        border::status(error, || {
            Out::new(bytes.cast::<[u8; 8]>(), "bytes")?.set(key_i64(value));
            Ok(())
        })
    }
}

/// Gives the bytes that a scheme with `thrift_keys` hashes for a key, for a hash computed elsewhere.
///
/// Does: writes the JVM `hashCode()` of the value to `bytes`, 4 bytes big-endian. To route such a key, call a
/// `_typed` function; to group many, hash each with shardway_snapshot_hash_typed and group the hashes.
/// Owns: `bytes` is the caller's, room for 4.
/// Threads: any, at once.
/// Errors: SHARDWAY_INVALID_ARGUMENT when the key is malformed or bytes that are not UTF-8, or a pointer is NULL.
/// Since: 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shardway_key_thrift(
    key: *const shardway_key_t,
    bytes: *mut u8,
    error: *mut shardway_error_t,
) -> shardway_status_t {
    // SAFETY: the header's promises about parameters; an array of bytes has no alignment.
    unsafe {
        border::status(error, || {
            let out = Out::new(bytes.cast::<[u8; 4]>(), "bytes")?;
            out.set(key_thrift(typed(key)?)?);
            Ok(())
        })
    }
}
