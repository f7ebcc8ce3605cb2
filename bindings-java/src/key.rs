//! Keys as they cross: a kind, with bytes or a number.

use jni::Env;
use jni::objects::JByteArray;
use jni::sys::{jint, jlong};
use shardway_core::{Error, ErrorCode, Key};

use crate::border::{Answer, bytes};

/// Bytes, or the UTF-8 of a `String`.
pub(crate) const BYTES: jint = 0;
/// A `long`.
pub(crate) const I64: jint = 1;
/// An `int`, `short` or `byte`.
pub(crate) const I32: jint = 2;
/// A `boolean`, as 0 or 1.
pub(crate) const BOOL: jint = 3;

/// A number as the key that `kind` makes of it.
pub(crate) fn number(kind: jint, value: jlong) -> Option<Key<'static>> {
    match kind {
        I64 => Some(Key::I64(value)),
        I32 => Some(Key::I32(value as i32)),
        BOOL => Some(Key::Bool(value != 0)),
        _ => None,
    }
}

/// Bytes of a batch as the key that `kind` makes of them: a number is eight bytes, big-endian.
pub(crate) fn item(kind: jint, data: &[u8]) -> Answer<Key<'_>> {
    if kind == BYTES {
        return Ok(Key::Bytes(data));
    }
    data.try_into().ok().and_then(|data| number(kind, i64::from_be_bytes(data))).ok_or_else(|| unknown(kind).into())
}

/// Calls `body` with a key.
pub(crate) fn with_key<T>(
    env: &Env<'_>,
    kind: jint,
    data: &JByteArray<'_>,
    value: jlong,
    body: impl FnOnce(Key<'_>) -> shardway_core::Result<T>,
) -> Answer<T> {
    if kind == BYTES {
        return Ok(body(Key::Bytes(&bytes(env, data)?))?);
    }
    Ok(body(number(kind, value).ok_or_else(|| unknown(kind))?)?)
}

fn unknown(kind: jint) -> Error {
    Error::new(ErrorCode::Internal, "key", format!("key: kind {kind} is unknown to the native library"))
}
