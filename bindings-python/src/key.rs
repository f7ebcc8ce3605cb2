//! Keys: what Python objects are keys, and how the core sees them. `docs/keys.md` has the table.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyMemoryView, PyString};
use shardway_core::Key;

use crate::border::{invalid, utf8, wrong_type};

const RIGHT: &str = "a key is str, bytes, bytearray, memoryview or int";

/// Hands `key` to `body` as the core's key. `place` names it in errors.
///
/// `str` and `bytes` are lent without a copy: they are immutable and the caller holds them for the call.
#[inline]
pub(crate) fn with_key<T>(
    key: &Bound<'_, PyAny>,
    place: impl Fn() -> String,
    body: impl FnOnce(Key<'_>) -> PyResult<T>,
) -> PyResult<T> {
    // The exact types first: that is a comparison of pointers.
    if let Ok(text) = key.cast_exact::<PyString>() {
        return body(Key::Str(utf8(text, place)?));
    }
    if let Ok(bytes) = key.cast_exact::<PyBytes>() {
        return body(Key::Bytes(bytes.as_bytes()));
    }
    if key.is_exact_instance_of::<PyInt>() {
        return body(Key::I64(long(key, place)?));
    }
    unusual(key, &place(), body)
}

#[cold]
#[inline(never)]
fn unusual<T>(key: &Bound<'_, PyAny>, place: &str, body: impl FnOnce(Key<'_>) -> PyResult<T>) -> PyResult<T> {
    if let Ok(text) = key.cast::<PyString>() {
        return body(Key::Str(utf8(text, || place.to_owned())?));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return body(Key::Bytes(bytes.as_bytes()));
    }
    if let Ok(truth) = key.cast::<PyBool>() {
        return body(Key::Bool(truth.is_true()));
    }
    if key.is_instance_of::<PyInt>() {
        let value = long(key, || place.to_owned())?;
        return match i32::try_from(value) {
            Ok(value) if key.is_instance(i32_type(key.py())?)? => body(Key::I32(value)),
            _ => body(Key::I64(value)),
        };
    }
    // What can change is copied: another thread may write to it.
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        return body(Key::Bytes(&bytes.to_vec()));
    }
    if key.is_instance_of::<PyMemoryView>() {
        if key.getattr("itemsize")?.extract::<usize>()? != 1 {
            return Err(invalid(key.py(), place, "a memoryview of items wider than a byte; cast it to \"B\" first"));
        }
        let copy = key.call_method0("tobytes")?;
        return body(Key::Bytes(copy.cast::<PyBytes>()?.as_bytes()));
    }
    Err(wrong_type(place, key, RIGHT))
}

#[inline]
fn long(key: &Bound<'_, PyAny>, place: impl Fn() -> String) -> PyResult<i64> {
    key.extract::<i64>().map_err(|_| {
        let bits = key.call_method0("bit_length").and_then(|bits| bits.extract::<u64>()).unwrap_or(0);
        let message = format!("an int of {bits} bits; from -2**63 to 2**63 - 1 is right");
        invalid(key.py(), &place(), &message)
    })
}

/// `shardway.keys.I32`, the `int` that counts as a JVM Integer where a profile asks for the JVM's hash code.
fn i32_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static KIND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let kind = KIND.get_or_try_init(py, || Ok::<_, PyErr>(py.import("shardway.keys")?.getattr("I32")?.unbind()))?;
    Ok(kind.bind(py))
}
