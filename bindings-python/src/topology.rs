//! `Topology`.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView, PyString, PyTuple, PyType};

use crate::border::{guard, invalid_topology, raise, utf8, wrong_type};
use crate::document::Document;
use crate::node::Node;

/// What an operator declares: nodes, scheme, partitions, policies. Checked once; frozen; safe for many threads.
///
/// Two topologies are equal when their fingerprints and revisions are. It can be pickled.
///
/// Args:
///     nodes: an iterable of ``str`` (an id), ``Node`` or ``dict`` (as in the document), or a mapping from id to
///         weight. At most 100,000; none is fine.
///     scheme: ``"slots-v1"``, ``"ring-v1"``, ``"rendezvous-v1"``, ``"finagle"``, or a ``dict`` as in the document,
///         for instance ``{"native": "slots-v1", "balance": 1.05}`` or ``{"profile": "finagle", "thrift_keys": True}``.
///     key_hasher: the name of a key hasher; by default the scheme's.
///     num_reps: points per unit of weight, 1 to 65,536 (from 4 on with ``finagle``); 160 by default.
///     weight_unit: the weight that gets ``num_reps`` points, 1 to 1,000,000; ``ring-v1`` only.
///     revision: 1 and up; without it a router numbers the topology itself.
///     partitions: a mapping from shard id to the partition ids its instance serves. An instance that is not listed
///         serves none. Without it each instance is its own partition.
///     eject_failed_host: whether a node that failure accrual marks dead loses its keys until it is back.
///     failure_accrual: a ``dict`` of ``consecutive_failures``, ``backoff_min_ms``, ``backoff_max_ms`` and
///         ``probe_timeout_ms``, each optional.
///
/// Raises:
///     InvalidTopologyError: a rule is broken; ``place`` says where, as in ``"nodes[3].weight"``.
///     InvalidArgumentTypeError: an argument is of a type that cannot be what it should.
#[pyclass(frozen, module = "shardway", weakref)]
pub(crate) struct Topology {
    pub(crate) core: shardway_core::Topology,
    nodes: PyOnceLock<Py<PyTuple>>,
}

impl From<shardway_core::Topology> for Topology {
    fn from(core: shardway_core::Topology) -> Self {
        Self { core, nodes: PyOnceLock::new() }
    }
}

/// Reads a document with the GIL released: one of 100,000 nodes takes a while.
fn read(py: Python<'_>, text: &str) -> PyResult<Topology> {
    py.detach(|| shardway_core::Topology::from_json(text)).map(Topology::from).map_err(|error| raise(py, &error))
}

/// The nodes of the core as a tuple of `Node`.
pub(crate) fn node_tuple<'py>(py: Python<'py>, nodes: &[shardway_core::Node]) -> PyResult<Bound<'py, PyTuple>> {
    let nodes: PyResult<Vec<_>> = nodes.iter().map(|node| Bound::new(py, Node(node.clone()))).collect();
    PyTuple::new(py, nodes?)
}

#[pymethods]
impl Topology {
    #[new]
    #[pyo3(signature = (
        nodes, *, scheme, key_hasher=None, num_reps=None, weight_unit=None, revision=None, partitions=None,
        eject_failed_host=None, failure_accrual=None
    ))]
    #[pyo3(text_signature = "(nodes, *, scheme, key_hasher=None, num_reps=None, weight_unit=None, revision=None, \
                             partitions=None, eject_failed_host=False, failure_accrual=None)")]
    #[allow(clippy::too_many_arguments)]
    fn new(
        nodes: &Bound<'_, PyAny>,
        scheme: &Bound<'_, PyAny>,
        key_hasher: Option<&Bound<'_, PyAny>>,
        num_reps: Option<&Bound<'_, PyAny>>,
        weight_unit: Option<&Bound<'_, PyAny>>,
        revision: Option<&Bound<'_, PyAny>>,
        partitions: Option<&Bound<'_, PyAny>>,
        eject_failed_host: Option<&Bound<'_, PyAny>>,
        failure_accrual: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guard(nodes.py(), || {
            let mut document = Document::new();
            document.scheme(scheme)?;
            document.field("key_hasher", key_hasher)?;
            document.field("num_reps", num_reps)?;
            document.field("weight_unit", weight_unit)?;
            document.field("revision", revision)?;
            document.field("eject_failed_host", eject_failed_host)?;
            if let Some(policy) = failure_accrual {
                document.policy(policy)?;
            }
            document.nodes(nodes)?;
            if let Some(partitions) = partitions {
                document.partitions(partitions)?;
            }
            read(nodes.py(), &document.finish())
        })
    }

    /// Read a topology document. The GIL is released while it is read.
    ///
    /// Args:
    ///     text: the JSON, ``str`` or UTF-8 in ``bytes``, ``bytearray`` or ``memoryview``; at most 64 MiB. Unknown
    ///         or repeated fields, ``null`` and wrong types are refused.
    ///
    /// Raises:
    ///     InvalidTopologyError: the document breaks a rule; ``place`` says where.
    ///     InvalidArgumentTypeError: ``text`` is no text.
    #[classmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(kind: &Bound<'_, PyType>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = kind.py();
        guard(py, || {
            let decode = |bytes: &[u8]| match std::str::from_utf8(bytes) {
                Ok(text) => read(py, text),
                Err(error) => {
                    let message =
                        format!("not UTF-8 from byte {} on; a JSON document in UTF-8 is right", error.valid_up_to());
                    Err(invalid_topology(py, "text", &message))
                }
            };
            if let Ok(text) = text.cast::<PyString>() {
                read(py, utf8(text, || "text".to_owned())?)
            } else if let Ok(bytes) = text.cast::<PyBytes>() {
                decode(bytes.as_bytes())
            } else if let Ok(bytes) = text.cast::<PyByteArray>() {
                decode(&bytes.to_vec())
            } else if text.is_instance_of::<PyMemoryView>() {
                decode(text.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes())
            } else {
                Err(wrong_type("text", text, "a JSON document as str or bytes is right"))
            }
        })
    }

    /// The document, with every default written out. Reading it back gives an equal topology.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || Ok(py.detach(|| self.core.to_json())))
    }

    /// The nodes, in the order in which they were declared.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guard(py, || {
            let nodes =
                self.nodes.get_or_try_init(py, || Ok::<_, PyErr>(node_tuple(py, self.core.nodes())?.unbind()))?;
            Ok(nodes.bind(py).clone())
        })
    }

    /// A 64-bit digest of everything declared except the revision: the same for equal declarations on every machine.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.core.fingerprint()))
    }

    /// The revision that was declared, if any.
    #[getter]
    fn revision(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        guard(py, || Ok(self.core.revision()))
    }

    /// The name of the scheme.
    #[getter]
    fn scheme(&self, py: Python<'_>) -> PyResult<&'static str> {
        guard(py, || Ok(self.core.scheme().name()))
    }

    /// The name of the key hasher.
    #[getter]
    fn key_hasher(&self, py: Python<'_>) -> PyResult<&'static str> {
        guard(py, || Ok(self.core.key_hasher().name()))
    }

    /// Points per unit of weight.
    #[getter]
    fn num_reps(&self, py: Python<'_>) -> PyResult<u32> {
        guard(py, || Ok(self.core.num_reps()))
    }

    /// The weight that gets ``num_reps`` points.
    #[getter]
    fn weight_unit(&self, py: Python<'_>) -> PyResult<u32> {
        guard(py, || Ok(self.core.weight_unit()))
    }

    /// Whether a node that failure accrual marks dead loses its keys until it is back.
    #[getter]
    fn eject_failed_host(&self, py: Python<'_>) -> PyResult<bool> {
        guard(py, || Ok(self.core.eject_failed_host()))
    }

    /// When a node counts as dead and for how long, as in the document.
    #[getter]
    fn failure_accrual<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guard(py, || {
            let policy = self.core.failure_accrual();
            let fields = PyDict::new(py);
            fields.set_item("consecutive_failures", policy.consecutive_failures)?;
            fields.set_item("backoff_min_ms", policy.backoff_min_ms)?;
            fields.set_item("backoff_max_ms", policy.backoff_max_ms)?;
            fields.set_item("probe_timeout_ms", policy.probe_timeout_ms)?;
            Ok(fields)
        })
    }

    /// The declared logical partitions, from shard id to partition ids; ``None`` if each instance is its own.
    #[getter]
    fn partitions<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        guard(py, || {
            let Some(partitions) = self.core.partitions() else { return Ok(None) };
            let by_shard = PyDict::new(py);
            for serving in partitions {
                by_shard.set_item(serving.shard_id, &serving.serves)?;
            }
            Ok(Some(by_shard))
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        guard(py, || Ok(self.core.nodes().len()))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        guard(py, || match other.cast::<Self>() {
            Ok(other) => Ok((self.core == other.get().core).into_pyobject(py)?.to_owned().into_any().unbind()),
            Err(_) => Ok(py.NotImplemented()),
        })
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || {
            let mut hasher = DefaultHasher::new();
            (self.core.fingerprint(), self.core.revision()).hash(&mut hasher);
            Ok(hasher.finish())
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let core = &self.core;
            let revision = core.revision().map_or_else(String::new, |revision| format!("revision {revision}, "));
            let (nodes, scheme, fingerprint) = (core.nodes().len(), core.scheme().name(), core.fingerprint());
            Ok(format!("<Topology {scheme}, {nodes} nodes, {revision}fingerprint {fingerprint:016x}>"))
        })
    }

    fn __copy__(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        guard(py, || Ok(slf))
    }

    fn __deepcopy__(slf: Py<Self>, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        guard(py, || Ok(slf))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        guard(py, || Ok((py.get_type::<Self>().getattr("from_json")?, (self.core.to_json(),))))
    }
}
