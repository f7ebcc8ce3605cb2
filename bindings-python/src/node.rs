//! `Node`.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString, PyTuple, PyType};
use shardway_core::MAX_WEIGHT;

use crate::border::{guard, invalid, utf8, wrong_type};

/// One instance that answers requests. Frozen, comparable, hashable; can be pickled.
///
/// Ranges are checked by the topology that takes the node, which can name its place.
///
/// Args:
///     id: the stable name, 1 to 1,024 bytes of UTF-8, unique in a topology. Placement follows the id, never the
///         address.
///     host: host name or address, for the transport. The ``finagle`` profile builds its label from it.
///     port: TCP port, 1 to 65,535.
///     weight: share of the keys relative to other nodes, an ``int`` from 0 to 1,000,000,000. 0 keeps the node known
///         and gives it no key.
///     shard_id: the shard id that service discovery gives the instance, for logical partitions (32 bits, signed).
///     zone: failure domain.
///
/// Raises:
///     InvalidArgumentError: a field is no number of its width, or not well-formed text; ``place`` names it.
///     InvalidArgumentTypeError: a field has another type; ``place`` names it.
#[pyclass(frozen, eq, hash, module = "shardway")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Node(pub(crate) shardway_core::Node);

#[pymethods]
impl Node {
    #[new]
    #[pyo3(signature = (id, host=None, port=None, weight=None, shard_id=None, zone=None))]
    #[pyo3(text_signature = "(id, host=None, port=None, weight=1, shard_id=None, zone=None)")]
    fn new(
        id: &Bound<'_, PyAny>,
        host: Option<&Bound<'_, PyAny>>,
        port: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        shard_id: Option<&Bound<'_, PyAny>>,
        zone: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guard(id.py(), || {
            let mut node = shardway_core::Node::new(text(id, "id")?);
            node.host = host.map(|host| text(host, "host")).transpose()?;
            node.port = port.map(|port| number(port, "port", 1, u16::MAX)).transpose()?;
            node.shard_id = shard_id.map(|shard| number(shard, "shard_id", i32::MIN, i32::MAX)).transpose()?;
            node.zone = zone.map(|zone| text(zone, "zone")).transpose()?;
            if let Some(weight) = weight {
                node.weight = number(weight, "weight", 0, MAX_WEIGHT)?;
            }
            Ok(Self(node))
        })
    }

    /// The stable name.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<&str> {
        guard(py, || Ok(self.0.id.as_str()))
    }

    /// Host name or address.
    #[getter]
    fn host(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        guard(py, || Ok(self.0.host.as_deref()))
    }

    /// TCP port.
    #[getter]
    fn port(&self, py: Python<'_>) -> PyResult<Option<u16>> {
        guard(py, || Ok(self.0.port))
    }

    /// Share of the keys relative to other nodes.
    #[getter]
    fn weight(&self, py: Python<'_>) -> PyResult<u32> {
        guard(py, || Ok(self.0.weight))
    }

    /// The shard id of service discovery.
    #[getter]
    fn shard_id(&self, py: Python<'_>) -> PyResult<Option<i32>> {
        guard(py, || Ok(self.0.shard_id))
    }

    /// Failure domain.
    #[getter]
    fn zone(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        guard(py, || Ok(self.0.zone.as_deref()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let quoted = |text: &str| PyString::new(py, text).repr().map(|text| text.to_string());
            let node = &self.0;
            let mut fields = vec![quoted(&node.id)?];
            if let Some(host) = &node.host {
                fields.push(format!("host={}", quoted(host)?));
            }
            if let Some(port) = node.port {
                fields.push(format!("port={port}"));
            }
            if node.weight != 1 {
                fields.push(format!("weight={}", node.weight));
            }
            if let Some(shard_id) = node.shard_id {
                fields.push(format!("shard_id={shard_id}"));
            }
            if let Some(zone) = &node.zone {
                fields.push(format!("zone={}", quoted(zone)?));
            }
            Ok(format!("Node({})", fields.join(", ")))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        guard(py, || {
            let node = &self.0;
            let fields = (&node.id, &node.host, node.port, node.weight, node.shard_id, &node.zone);
            Ok((py.get_type::<Self>(), fields.into_pyobject(py)?))
        })
    }
}

/// Text of a field.
pub(crate) fn text(value: &Bound<'_, PyAny>, place: &str) -> PyResult<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(place, value, "text (str) is right"))?;
    utf8(text, || place.to_owned()).map(str::to_owned)
}

/// A whole number of a field, from `least` to `most`. A `bool` is no number here.
pub(crate) fn number<T>(value: &Bound<'_, PyAny>, place: &str, least: T, most: T) -> PyResult<T>
where
    T: TryFrom<i64> + Into<i64> + Copy,
{
    let (least, most): (i64, i64) = (least.into(), most.into());
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(place, value, &format!("a whole number (int) from {least} to {most} is right")));
    }
    value
        .extract::<i64>()
        .ok()
        .filter(|value| (least..=most).contains(value))
        .and_then(|value| T::try_from(value).ok())
        .ok_or_else(|| {
            let said = value
                .extract::<i64>()
                .map_or_else(|_| "an int of more than 64 bits".to_owned(), |value| value.to_string());
            invalid(value.py(), place, &format!("{said}; {least} to {most} is right"))
        })
}

/// A number of 0 and up, of 63 bits: a seed or a time in milliseconds.
pub(crate) fn long(value: &Bound<'_, PyAny>, place: &str) -> PyResult<u64> {
    number::<i64>(value, place, 0, i64::MAX).map(|value| value as u64)
}

/// A hash: 64 bits, unsigned.
pub(crate) fn hash_of(value: &Bound<'_, PyAny>, place: &str) -> PyResult<u64> {
    const RIGHT: &str = "a whole number (int) from 0 to 2**64 - 1 is right";
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(place, value, RIGHT));
    }
    value.extract::<u64>().map_err(|_| invalid(value.py(), place, &format!("out of 64 bits; {RIGHT}")))
}

/// A count: a number of 0 and up.
pub(crate) fn count(value: &Bound<'_, PyAny>, place: &str) -> PyResult<usize> {
    long(value, place).map(|value| usize::try_from(value).unwrap_or(usize::MAX))
}

/// The id of a node, lent by the caller's `str`.
pub(crate) fn id_text<'a>(id: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let text = id.cast::<PyString>().map_err(|_| wrong_type("id", id, "the id of a node (str) is right"))?;
    utf8(text, || "id".to_owned())
}
