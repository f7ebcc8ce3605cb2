//! `Event`, and the words for outcomes, admissions and publishes.

use pyo3::prelude::*;
use pyo3::types::PyString;
use shardway_core::Outcome;

use crate::border::{describe, guard, invalid, wrong_type};

/// A change of a node's state. Frozen, comparable.
#[pyclass(frozen, eq, hash, module = "shardway")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Event {
    kind: &'static str,
    node: String,
    at_ms: u64,
    until_ms: u64,
}

impl From<shardway_core::Event> for Event {
    fn from(event: shardway_core::Event) -> Self {
        Self { kind: event.kind.name(), node: event.node, at_ms: event.at_ms, until_ms: event.until_ms }
    }
}

#[pymethods]
impl Event {
    /// What happened: ``"ejected"`` (marked dead), ``"probing"`` (its time is up) or ``"revived"``.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        guard(py, || Ok(self.kind))
    }

    /// The node's id.
    #[getter]
    fn node(&self, py: Python<'_>) -> PyResult<&str> {
        guard(py, || Ok(self.node.as_str()))
    }

    /// When, in milliseconds of the caller's clock.
    #[getter]
    fn at_ms(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.at_ms))
    }

    /// For ``"ejected"`` the time at which it may be probed, else the same as ``at_ms``.
    #[getter]
    fn until_ms(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.until_ms))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let node = PyString::new(py, &self.node).repr()?;
            Ok(format!("Event(kind='{}', node={node}, at_ms={}, until_ms={})", self.kind, self.at_ms, self.until_ms))
        })
    }
}

/// The outcome of a word.
pub(crate) fn outcome(word: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    let names = Outcome::ALL.map(Outcome::name).join("\", \"");
    let Ok(text) = word.cast::<PyString>() else {
        return Err(wrong_type("outcome", word, &format!("one of \"{names}\" is right")));
    };
    let found = Outcome::ALL.into_iter().find(|outcome| text.to_str().is_ok_and(|text| text == outcome.name()));
    found.ok_or_else(|| invalid(word.py(), "outcome", &format!("{}; one of \"{names}\" is right", describe(word))))
}
