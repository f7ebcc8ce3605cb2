//! The border to Python: no panic crosses it, and every error of the core becomes an exception of `shardway.errors`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyNone, PyString};
use shardway_core::{Error, ErrorCode};

/// Runs the body of an export. A panic becomes `InternalError` (`PyO3`'s own `PanicException` is no `Exception`, so
/// a program could not catch it with the rest), and the next call works.
#[inline]
pub(crate) fn guard<T>(py: Python<'_>, body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    // Unwind safe: the core builds a snapshot whole before it swaps it in, and its locks do not poison.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(payload) => Err(panicked(py, payload.as_ref())),
    }
}

#[cold]
fn panicked(py: Python<'_>, payload: &(dyn Any + Send)) -> PyErr {
    let said = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let message = format!("a panic in the native library: {said}; the call had no effect, please report this");
    exception(py, ErrorCode::Internal, "", &message)
}

/// The exception of an error of the core.
#[cold]
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error.code(), error.place(), &error.to_string())
}

/// The exception of an error of the core about one argument, told about the place where the caller wrote it.
#[cold]
pub(crate) fn raise_at(py: Python<'_>, error: &Error, place: &str) -> PyErr {
    let message = error.to_string();
    let message = message.strip_prefix(error.place()).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&message);
    exception(py, error.code(), place, &format!("{place}: {message}"))
}

/// The exception of `code`, made of `place` and `message` (the whole sentence, place included).
#[cold]
pub(crate) fn exception(py: Python<'_>, code: ErrorCode, place: &str, message: &str) -> PyErr {
    static KINDS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let kind = KINDS
        .get_or_try_init(py, || {
            let kinds = py.import("shardway.errors")?.getattr("ERRORS_BY_CODE")?;
            Ok::<_, PyErr>(kinds.cast_into::<PyDict>()?.unbind())
        })
        .and_then(|kinds| kinds.bind(py).as_any().get_item(code.as_i32()));
    match kind {
        Ok(kind) => instance(&kind, place, message),
        Err(error) => error,
    }
}

/// `InvalidArgumentTypeError`: `value` at `place` has a type that is not taken there; `right` says what is.
#[cold]
pub(crate) fn wrong_type(place: &str, value: &Bound<'_, PyAny>, right: &str) -> PyErr {
    static KIND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let kind = KIND.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("shardway.errors")?.getattr("InvalidArgumentTypeError")?.unbind())
    });
    match kind {
        Ok(kind) => instance(kind.bind(py), place, &format!("{place}: {}; {right}", describe(value))),
        Err(error) => error,
    }
}

/// `InvalidArgumentError` about `place`.
#[cold]
pub(crate) fn invalid(py: Python<'_>, place: &str, message: &str) -> PyErr {
    exception(py, ErrorCode::InvalidArgument, place, &format!("{place}: {message}"))
}

/// `InvalidTopologyError` about `place`.
#[cold]
pub(crate) fn invalid_topology(py: Python<'_>, place: &str, message: &str) -> PyErr {
    exception(py, ErrorCode::InvalidTopology, place, &format!("{place}: {message}"))
}

fn instance(kind: &Bound<'_, PyAny>, place: &str, message: &str) -> PyErr {
    let py = kind.py();
    let made = PyDict::new(py).into_any();
    match made.set_item("place", place).and_then(|()| kind.call((message,), made.cast::<PyDict>().ok())) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// What a wrong value is, for a message: its type, and the value itself where that is short and safe to print.
pub(crate) fn describe(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type();
    let name = kind.qualname().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    let plain = value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyNone>()
        || value.cast_exact::<PyString>().is_ok_and(|text| text.len().is_ok_and(|length| length <= 100));
    // The repr of anything else may be long, slow or fail.
    let text = if plain { value.repr().ok() } else { None };
    match text.map(|text| text.to_string()).filter(|text| text.len() <= 120) {
        Some(text) => format!("{text} of type {name}"),
        None => format!("a value of type {name}"),
    }
}

/// The UTF-8 of a `str`, without a copy. A lone surrogate has none: that is an error which names it.
#[inline]
pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>, place: impl Fn() -> String) -> PyResult<&'a str> {
    text.to_str().map_err(|error| surrogate(text.py(), &error, &place()))
}

#[cold]
fn surrogate(py: Python<'_>, error: &PyErr, place: &str) -> PyErr {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return error.clone_ref(py);
    }
    let value = error.value(py);
    let start = value.getattr("start").and_then(|start| start.extract::<usize>());
    let unit = start.as_ref().ok().and_then(|start| value.getattr("object").ok()?.get_item(start).ok());
    let unit =
        unit.and_then(|unit| py.import("builtins").ok()?.call_method1("ord", (unit,)).ok()?.extract::<u32>().ok());
    let message = match (start, unit) {
        (Ok(start), Some(unit)) => {
            format!("the lone surrogate U+{unit:04X} at character {start} has no UTF-8; use well-formed text, or bytes")
        }
        _ => "not well-formed text; use text without lone surrogates, or bytes".to_owned(),
    };
    invalid(py, place, &message)
}
