//! `Explanation`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::border::guard;

/// Why a key is where it is, step by step. ``str()`` is the text for people. Frozen, comparable.
#[pyclass(frozen, eq, module = "shardway")]
#[derive(PartialEq, Eq)]
pub(crate) struct Explanation(pub(crate) shardway_core::Explanation);

#[pymethods]
impl Explanation {
    /// The scheme's name.
    #[getter]
    fn scheme(&self, py: Python<'_>) -> PyResult<&'static str> {
        guard(py, || Ok(self.0.scheme))
    }

    /// The key hasher's name.
    #[getter]
    fn key_hasher(&self, py: Python<'_>) -> PyResult<&'static str> {
        guard(py, || Ok(self.0.key_hasher))
    }

    /// The hash of the key.
    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.0.hash))
    }

    /// The position on the ring that the hash leads to.
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.0.position))
    }

    /// The point that takes the position: the first that is not below it, else the lowest. None on an empty ring.
    #[getter]
    fn point(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        guard(py, || Ok(self.0.point))
    }

    /// The node that has the point. It differs from ``owner`` when it is ejected.
    #[getter]
    fn point_node(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        guard(py, || Ok(self.0.point_node.as_deref()))
    }

    /// The owner; None when no node can own a key.
    #[getter]
    fn owner(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        guard(py, || Ok(self.0.owner.as_deref()))
    }

    /// The next distinct owners, in the order in which they would take over; at most three.
    #[getter]
    fn next(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        guard(py, || Ok(self.0.next.clone()))
    }

    /// The ejected nodes.
    #[getter]
    fn ejected(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        guard(py, || Ok(self.0.ejected.clone()))
    }

    /// The revision in force.
    #[getter]
    fn revision(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.0.revision))
    }

    /// The topology's fingerprint.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.0.fingerprint))
    }

    /// The attributes by name, made of plain values.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guard(py, || Ok(py.import("json")?.call_method1("loads", (self.0.to_json(),))?.cast_into::<PyDict>()?))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || Ok(self.0.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let owner = self.0.owner.as_deref().map(|owner| PyString::new(py, owner));
            let owner =
                owner.map_or_else(|| Ok("None".to_owned()), |owner| owner.repr().map(|text| text.to_string()))?;
            Ok(format!("<Explanation owner={owner}, hash={:#x}, revision {}>", self.0.hash, self.0.revision))
        })
    }
}
