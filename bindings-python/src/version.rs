//! What the library is: its version, its error codes, its key hashers.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use shardway_core::{ErrorCode, KeyHasher};

use crate::border::guard;

/// The version of the native library, for instance ``"0.1.0"``. It is that of the package it was built for.
#[pyfunction]
pub(crate) fn version(py: Python<'_>) -> PyResult<&'static str> {
    guard(py, || Ok(env!("CARGO_PKG_VERSION")))
}

/// Check that the Python files and the native library are of one version. Called once, by the import of shardway.
///
/// Args:
///     expected: the version of the Python files.
///
/// Raises:
///     ImportError: the versions differ; the text has both.
#[pyfunction]
#[pyo3(signature = (expected, /))]
pub(crate) fn require_version(py: Python<'_>, expected: &str) -> PyResult<()> {
    guard(py, || {
        let native = env!("CARGO_PKG_VERSION");
        if expected == native {
            return Ok(());
        }
        Err(PyImportError::new_err(format!(
            "shardway: the Python files are version {expected}, the native library is version {native}; \
             reinstall the package so that both are the same"
        )))
    })
}

/// Every kind of error, in the order of their numbers: ``(code, name, advice)``.
#[pyfunction]
pub(crate) fn error_codes(py: Python<'_>) -> PyResult<Vec<(i32, &'static str, &'static str)>> {
    guard(py, || Ok(ErrorCode::ALL.into_iter().map(|code| (code.as_i32(), code.name(), code.advice())).collect()))
}

/// The names that ``Topology(key_hasher=...)`` takes.
#[pyfunction]
pub(crate) fn key_hashers(py: Python<'_>) -> PyResult<Vec<&'static str>> {
    guard(py, || Ok(KeyHasher::ALL.into_iter().map(KeyHasher::name).collect()))
}

/// Panic inside the native library. Only in builds for the test of the panic boundary.
#[cfg(feature = "panic-test")]
#[pyfunction]
pub(crate) fn _panic_on_demand(py: Python<'_>) -> PyResult<()> {
    guard(py, || panic!("on demand"))
}
