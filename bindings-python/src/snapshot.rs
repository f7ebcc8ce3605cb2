//! `Snapshot`, and the lookups that it shares with `Router`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use shardway_core::{Error, ErrorCode};

use crate::border::{guard, raise};
use crate::explain::Explanation;
use crate::group::{self, Packed};
use crate::key::with_key;
use crate::names::View;
use crate::node::{Node, count, hash_of, id_text, number};
use crate::partition::{left_out, partition_names};
use crate::topology::{Topology, node_tuple};

/// One consistent view of the ring: who holds it sees no change. Frozen; safe for many threads.
///
/// Made by :meth:`Router.snapshot`. Its lookups are those of the router.
#[pyclass(frozen, module = "shardway", weakref)]
pub(crate) struct Snapshot {
    view: View,
    nodes: PyOnceLock<Py<PyTuple>>,
}

impl From<View> for Snapshot {
    fn from(view: View) -> Self {
        Self { view, nodes: PyOnceLock::new() }
    }
}

impl Snapshot {
    fn index_of(&self, id: &Bound<'_, PyAny>) -> PyResult<u32> {
        let text = id_text(id)?;
        self.view.snapshot.index_of(text).ok_or_else(|| {
            let message = format!("id: no node {text:?} in this snapshot; use the id of a declared node");
            raise(id.py(), &Error::new(ErrorCode::UnknownNode, "id", message))
        })
    }

    fn all_nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let nodes =
            self.nodes.get_or_try_init(py, || Ok::<_, PyErr>(node_tuple(py, self.view.snapshot.nodes())?.unbind()))?;
        Ok(nodes.bind(py).clone())
    }
}

/// How a single key is called in errors.
pub(crate) fn key_place() -> String {
    "key".to_owned()
}

/// The owner of a key.
pub(crate) fn route<'py>(view: &View, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = key.py();
    let route = with_key(key, key_place, |key| view.snapshot.route(key).map_err(|error| raise(py, &error)))?;
    Ok(view.names.get(py, route.node))
}

/// The owner of a key with this hash.
pub(crate) fn route_hash<'py>(view: &View, hash: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = hash.py();
    let route = view.snapshot.route_hash(hash_of(hash, "hash")?).map_err(|error| raise(py, &error))?;
    Ok(view.names.get(py, route.node))
}

/// The first distinct owners of a key.
pub(crate) fn replicas<'py>(
    view: &View,
    key: &Bound<'py, PyAny>,
    n: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = key.py();
    let room = count(n, "n")?.min(view.snapshot.nodes().len());
    let mut owners = vec![0; room];
    let found =
        with_key(key, key_place, |key| view.snapshot.replicas(key, &mut owners).map_err(|error| raise(py, &error)))?;
    PyList::new(py, owners[..found.n].iter().map(|&node| view.names.get(py, node)))
}

/// Why a key is where it is.
pub(crate) fn explain(view: &View, key: &Bound<'_, PyAny>) -> PyResult<Explanation> {
    let py = key.py();
    with_key(key, key_place, |key| view.snapshot.explain(key).map(Explanation).map_err(|error| raise(py, &error)))
}

#[pymethods]
impl Snapshot {
    /// Give the id of the node that owns ``key``. Raises as :meth:`Router.route`.
    #[pyo3(signature = (key, /))]
    fn route<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        guard(key.py(), || route(&self.view, key))
    }

    /// Give the id of the node that owns a key with this hash. As :meth:`Router.route_hash`.
    #[pyo3(signature = (hash, /))]
    fn route_hash<'py>(&self, hash: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        guard(hash.py(), || route_hash(&self.view, hash))
    }

    /// Give the ids of the first ``n`` distinct nodes for ``key``. As :meth:`Router.replicas`.
    #[pyo3(signature = (key, n))]
    fn replicas<'py>(&self, key: &Bound<'py, PyAny>, n: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        guard(key.py(), || replicas(&self.view, key, n))
    }

    /// Group keys by owner. As :meth:`Router.group`.
    #[pyo3(signature = (keys, /))]
    fn group<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        guard(keys.py(), || group::group(&self.view, keys))
    }

    /// Group keys' numbers by owner. As :meth:`Router.group_indices`.
    #[pyo3(signature = (keys, /))]
    fn group_indices<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        guard(keys.py(), || group::group_indices(&self.view, keys))
    }

    /// Group the keys of a packed batch, with the GIL released. As :meth:`Router.group_packed`.
    #[pyo3(signature = (data, offsets))]
    fn group_packed<'py>(&self, data: &Bound<'py, PyAny>, offsets: &Bound<'py, PyAny>) -> PyResult<Packed<'py>> {
        guard(data.py(), || group::group_packed(&self.view, data, offsets))
    }

    /// Group keys whose hashes the caller computed, with the GIL released. As :meth:`Router.group_hashes`.
    #[pyo3(signature = (hashes, /))]
    fn group_hashes<'py>(&self, hashes: &Bound<'py, PyAny>) -> PyResult<Packed<'py>> {
        guard(hashes.py(), || group::group_hashes(&self.view, hashes))
    }

    /// Tell why a key is where it is. As :meth:`Router.explain`.
    #[pyo3(signature = (key, /))]
    fn explain(&self, key: &Bound<'_, PyAny>) -> PyResult<Explanation> {
        guard(key.py(), || explain(&self.view, key))
    }

    /// Give the 64-bit hash of ``key``, as the scheme and the key hasher define it. Raises as :meth:`Router.route`.
    #[pyo3(signature = (key, /))]
    fn hash(&self, key: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = key.py();
        guard(py, || with_key(key, key_place, |key| self.view.snapshot.hash(key).map_err(|error| raise(py, &error))))
    }

    /// The nodes, in the order in which they were declared.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guard(py, || self.all_nodes(py))
    }

    /// Give the node with an id.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    #[pyo3(signature = (id, /))]
    fn node<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Node>> {
        let py = id.py();
        guard(py, || {
            let index = self.index_of(id)? as usize;
            Bound::new(py, Node(self.view.snapshot.nodes()[index].clone()))
        })
    }

    /// Tell whether a node's keys are taken away, by hand or by failure accrual.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    #[pyo3(signature = (id, /))]
    fn is_ejected(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        guard(id.py(), || Ok(self.view.snapshot.is_ejected(self.index_of(id)?)))
    }

    /// The revision.
    #[getter]
    fn revision(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.view.snapshot.revision()))
    }

    /// The fingerprint of the topology.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.view.snapshot.fingerprint()))
    }

    /// The topology this was compiled from.
    #[getter]
    fn topology(&self, py: Python<'_>) -> PyResult<Topology> {
        guard(py, || Ok(Topology::from(self.view.snapshot.topology().clone())))
    }

    /// The ids of all logical partitions, ascending.
    #[getter]
    fn partition_ids(&self, py: Python<'_>) -> PyResult<Vec<i32>> {
        guard(py, || Ok(self.view.snapshot.partitions().partitions().collect()))
    }

    /// Give the ids of the nodes that serve a partition, in the order of declaration.
    ///
    /// Raises:
    ///     NoPartitionError: there is none.
    #[pyo3(signature = (partition, /))]
    fn partition_nodes<'py>(&self, partition: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = partition.py();
        guard(py, || {
            let partition = number(partition, "partition", i32::MIN, i32::MAX)?;
            partition_names(py, self.view.snapshot.partitions(), partition, |node| self.view.names.get(py, node))
        })
    }

    /// Give the ids of the partitions that a node serves, ascending; none for a node that was left out.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    #[pyo3(signature = (id, /))]
    fn partitions_of(&self, id: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        guard(id.py(), || Ok(self.view.snapshot.partitions().partitions_of(self.index_of(id)?).to_vec()))
    }

    /// The nodes that serve no partition because something is wrong with them: ``(id, code_name, reason)``.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guard(py, || left_out(py, self.view.snapshot.partitions(), |node| self.view.names.get(py, node)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        guard(py, || Ok(self.view.snapshot.nodes().len()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let snapshot = &self.view.snapshot;
            let (nodes, ejected) = (snapshot.nodes().len(), snapshot.ejected().count());
            Ok(format!("<Snapshot revision {}, {nodes} nodes, {ejected} ejected>", snapshot.revision()))
        })
    }
}
