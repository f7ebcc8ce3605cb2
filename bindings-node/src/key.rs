//! Keys as they come over the border: bytes and what they stand for. `lib/keys.ts` writes them.

use shardway_core::{ErrorCode, Key};

use crate::border::{Result, fault};

/// Text or bytes.
const BYTES: u32 = 0;
/// A 64-bit integer: eight bytes, big-endian.
const I64: u32 = 1;
/// A 32-bit integer, in the same eight bytes.
const I32: u32 = 2;
/// A truth value: one byte.
const BOOL: u32 = 3;

/// The key of the core; `None` for what the host layer never writes.
#[inline]
pub(crate) fn decode(kind: u32, bytes: &[u8]) -> Option<Key<'_>> {
    let long = || bytes.try_into().ok().map(i64::from_be_bytes);
    match kind {
        BYTES => Some(Key::Bytes(bytes)),
        I64 => long().map(Key::I64),
        I32 => long().map(|value| Key::I32(value as i32)),
        BOOL => bytes.first().map(|&byte| Key::Bool(byte != 0)),
        _ => None,
    }
}

/// The key of the core, or an error.
pub(crate) fn key(kind: u32, bytes: &[u8]) -> Result<Key<'_>> {
    decode(kind, bytes).ok_or_else(|| {
        let message = format!("key: kind {kind} with {} bytes; kinds 0 to 3 are right", bytes.len());
        fault(ErrorCode::InvalidArgument, "key", message)
    })
}
