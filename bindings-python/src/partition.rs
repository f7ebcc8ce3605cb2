//! `PartitionMap`, and the partition readers that it shares with `Snapshot`.

use std::collections::HashMap;

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping, PyString};
use shardway_core::{Error, ErrorCode, Instance, PartitionMap as CoreMap, Serves};

use crate::border::{guard, invalid, raise, utf8, wrong_type};
use crate::node::{id_text, number, text};

/// Logical partitions: which instances serve which partition, in both directions. Frozen; safe for many threads.
///
/// What is wrong with an instance leaves out that instance only: see :attr:`left_out`.
///
/// Args:
///     instances: an iterable of ``(node id, shard id or None, what it serves)``. What it serves is an iterable of
///         partition ids (repeats count once), ``None`` for a partition of its own, numbered by its shard id, or the
///         exception (or its text) with which its mapping failed.
///
/// Raises:
///     InvalidArgumentError: a number out of 32 bits, or an id that comes twice; ``place`` names it, as in
///         ``"instances[2].shard_id"``.
///     InvalidArgumentTypeError: an instance is of another form.
#[pyclass(frozen, module = "shardway", weakref)]
pub(crate) struct PartitionMap {
    map: CoreMap,
    ids: Vec<Py<PyString>>,
    places: HashMap<String, u32>,
}

impl PartitionMap {
    fn name<'py>(&self, py: Python<'py>, node: u32) -> Bound<'py, PyString> {
        self.ids[node as usize].bind(py).clone()
    }
}

/// The names of the nodes that serve a partition.
pub(crate) fn partition_names<'py>(
    py: Python<'py>,
    map: &CoreMap,
    partition: i32,
    name: impl Fn(u32) -> Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyList>> {
    let nodes = map.nodes_of(partition).map_err(|error| raise(py, &error))?;
    PyList::new(py, nodes.iter().map(|&node| name(node)))
}

/// The instances that were left out: id, name of the code, reason.
pub(crate) fn left_out<'py>(
    py: Python<'py>,
    map: &CoreMap,
    name: impl Fn(u32) -> Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, map.left_out().iter().map(|left| (name(left.node), left.code.name(), left.reason.as_str())))
}

/// What an instance serves.
fn serves(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Serves> {
    const RIGHT: &str = "partition ids, None (its own) or the exception of a failed mapping is right";
    if value.is_none() {
        return Ok(Serves::Own);
    }
    if value.is_instance_of::<PyBaseException>() {
        let kind = value.get_type().qualname()?;
        // An exception whose text cannot be had is still a failure, with a name.
        let said = value.str().map_or_else(|_| String::new(), |said| said.to_string_lossy().into_owned());
        return Ok(Serves::Failed(if said.is_empty() { kind.to_string() } else { format!("{kind}: {said}") }));
    }
    if let Ok(reason) = value.cast::<PyString>() {
        return Ok(Serves::Failed(utf8(reason, || place.to_owned())?.to_owned()));
    }
    if value.cast::<PyMapping>().is_ok() {
        return Err(wrong_type(place, value, RIGHT));
    }
    let ids = value.try_iter().map_err(|_| wrong_type(place, value, RIGHT))?;
    let ids = ids.enumerate().map(|(count, id)| number(&id?, &format!("{place}[{count}]"), i32::MIN, i32::MAX));
    Ok(Serves::List(ids.collect::<PyResult<_>>()?))
}

#[pymethods]
impl PartitionMap {
    #[new]
    #[pyo3(signature = (instances, /))]
    fn new(instances: &Bound<'_, PyAny>) -> PyResult<Self> {
        const RIGHT: &str = "an iterable of (node id, shard id, partition ids) is right";
        let py = instances.py();
        guard(py, || {
            let (mut ids, mut places, mut read) = (Vec::new(), HashMap::new(), Vec::new());
            let items = instances.try_iter().map_err(|_| wrong_type("instances", instances, RIGHT))?;
            for (place, item) in items.enumerate() {
                let (item, place_text) = (item?, format!("instances[{place}]"));
                let parts = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>)>();
                let (id, shard_id, served) = parts.map_err(|_| wrong_type(&place_text, &item, RIGHT))?;
                let (id_place, shard_place) = (format!("{place_text}.id"), format!("{place_text}.shard_id"));
                let name = text(&id, &id_place)?;
                let shard_id = (!shard_id.is_none()).then_some(shard_id);
                let shard_id = shard_id.map(|id| number(&id, &shard_place, i32::MIN, i32::MAX)).transpose()?;
                let serves = serves(&served, &format!("{place_text}.serves"))?;
                let node = u32::try_from(place).map_err(|_| invalid(py, "instances", "more than 32 bits can count"))?;
                ids.push(PyString::new(py, &name).unbind());
                if let Some(first) = places.insert(name, node) {
                    return Err(invalid(
                        py,
                        &id_place,
                        &format!("the id of instances[{first}]; each id once is right"),
                    ));
                }
                read.push(Instance { node, shard_id, serves });
            }
            Ok(Self { map: CoreMap::build(&read), ids, places })
        })
    }

    /// The ids of all partitions, ascending.
    #[getter]
    fn ids(&self, py: Python<'_>) -> PyResult<Vec<i32>> {
        guard(py, || Ok(self.map.partitions().collect()))
    }

    /// Give the ids of the nodes that serve a partition, in the order of the instances.
    ///
    /// Raises:
    ///     NoPartitionError: there is none.
    #[pyo3(signature = (partition, /))]
    fn nodes<'py>(&self, partition: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = partition.py();
        guard(py, || {
            let partition = number(partition, "partition", i32::MIN, i32::MAX)?;
            partition_names(py, &self.map, partition, |node| self.name(py, node))
        })
    }

    /// Give the ids of the partitions that a node serves, ascending; none for an instance that was left out.
    ///
    /// Raises:
    ///     UnknownNodeError: no instance has this id.
    #[pyo3(signature = (id, /))]
    fn partitions_of(&self, id: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        guard(id.py(), || {
            let text = id_text(id)?;
            let node = self.places.get(text).copied().ok_or_else(|| {
                let message = format!("id: no instance {text:?} in this map; use the id of a given instance");
                raise(id.py(), &Error::new(ErrorCode::UnknownNode, "id", message))
            })?;
            Ok(self.map.partitions_of(node).to_vec())
        })
    }

    /// The instances that serve no partition because something is wrong with them: ``(id, code_name, reason)``.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guard(py, || left_out(py, &self.map, |node| self.name(py, node)))
    }

    /// The number of partitions.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        guard(py, || Ok(self.map.len()))
    }

    fn __contains__(&self, py: Python<'_>, partition: &Bound<'_, PyAny>) -> PyResult<bool> {
        guard(py, || Ok(partition.extract::<i32>().is_ok_and(|partition| self.map.nodes_of(partition).is_ok())))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let (partitions, instances, left) = (self.map.len(), self.ids.len(), self.map.left_out().len());
            Ok(format!("<PartitionMap {partitions} partitions, {instances} instances, {left} left out>"))
        })
    }
}
