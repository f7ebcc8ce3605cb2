//! `Router`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use shardway_core::{Admission, Publish};

use crate::border::{guard, raise, wrong_type};
use crate::explain::Explanation;
use crate::group::{self, Packed};
use crate::health::{Event, outcome};
use crate::key::with_key;
use crate::names::{NameCache, View};
use crate::node::{id_text, long};
use crate::snapshot::{self, Snapshot};
use crate::stats::Stats;
use crate::topology::Topology;

/// Routes keys by the topology in force.
///
/// Safe for many threads, and usable in a child after a fork. Lookups take no lock and never wait for
/// :meth:`publish` or :meth:`eject`. Keys are ``str`` (its UTF-8), ``bytes``, ``bytearray``, ``memoryview`` and
/// ``int`` (64 bits, signed); see ``shardway.keys``.
///
/// Args:
///     topology: what to route by. An empty one is fine: routing raises ShardNotAvailableError until nodes come.
///     seed: feeds the jitter of backoff times and nothing else, 0 to 2**63 - 1. Give each process another one, so
///         that a fleet does not probe in step.
///
/// Raises:
///     InvalidArgumentTypeError: ``topology`` is no Topology, or ``seed`` no ``int``.
#[pyclass(frozen, module = "shardway", weakref)]
pub(crate) struct Router {
    core: shardway_core::Router,
    names: NameCache,
}

impl Router {
    fn view(&self, py: Python<'_>) -> View {
        self.names.view(py, self.core.snapshot())
    }
}

fn topology_of<'a>(topology: &'a Bound<'_, PyAny>) -> PyResult<&'a Topology> {
    match topology.cast::<Topology>() {
        Ok(topology) => Ok(topology.get()),
        Err(_) => Err(wrong_type("topology", topology, "a Topology is right")),
    }
}

#[pymethods]
impl Router {
    #[new]
    #[pyo3(signature = (topology, *, seed=None), text_signature = "(topology, *, seed=0)")]
    fn new(topology: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let py = topology.py();
        guard(py, || {
            let seed = seed.map_or(Ok(0), |seed| long(seed, "seed"))?;
            let topology = topology_of(topology)?;
            let core = py.detach(|| shardway_core::Router::new(topology.core.clone(), seed));
            let core = core.map_err(|error| raise(py, &error))?;
            Ok(Self { names: NameCache::new(py, &core.snapshot()), core })
        })
    }

    /// Give the id of the node that owns ``key``.
    ///
    /// Raises:
    ///     ShardNotAvailableError: no node can own a key.
    ///     InvalidArgumentError: the key is out of range, or no well-formed text, or a bool without ``thrift_keys``.
    ///     InvalidArgumentTypeError: the key is of another type.
    #[pyo3(signature = (key, /))]
    fn route<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        let py = key.py();
        guard(py, || {
            let route =
                with_key(key, snapshot::key_place, |key| self.core.route(key).map_err(|error| raise(py, &error)))?;
            let names = self.names.load();
            if names.revision() == route.revision {
                return Ok(names.get(py, route.node));
            }
            // Published since the names were made: make them anew, and answer from that same snapshot.
            snapshot::route(&self.view(py), key)
        })
    }

    /// Give the id of the node that owns a key whose hash the caller computed: the way in for a hash that this
    /// library lacks.
    ///
    /// Args:
    ///     hash: 64 bits, unsigned.
    ///
    /// Raises:
    ///     ShardNotAvailableError: no node can own a key.
    ///     InvalidArgumentError: the hash is out of range.
    #[pyo3(signature = (hash, /))]
    fn route_hash<'py>(&self, hash: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        guard(hash.py(), || snapshot::route_hash(&self.view(hash.py()), hash))
    }

    /// Give the ids of the first ``n`` distinct nodes for ``key``, the owner first.
    ///
    /// Fewer than ``n`` when fewer nodes can own keys. Ejected nodes are passed over.
    ///
    /// Raises:
    ///     ShardNotAvailableError: no node can own a key.
    ///     InvalidArgumentError: as :meth:`route`; or ``n`` is negative.
    #[pyo3(signature = (key, n))]
    fn replicas<'py>(&self, key: &Bound<'py, PyAny>, n: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        guard(key.py(), || snapshot::replicas(&self.view(key.py()), key, n))
    }

    /// Group keys by owner, all by one snapshot.
    ///
    /// The lists hold the caller's own objects, in the order given, repeats included; nodes come in the order in
    /// which their first key appears. Nothing is answered if one key is invalid: ``place`` of the error names it,
    /// as in ``"keys[17]"``. Keys are hashed with the GIL held; for batches of 512 keys and more it is released
    /// while they are routed and grouped.
    ///
    /// Args:
    ///     keys: any iterable of keys; up to 2**32 - 1.
    ///
    /// Raises:
    ///     ShardNotAvailableError: there are keys, and no node can own a key.
    ///     InvalidArgumentError: as :meth:`route`.
    #[pyo3(signature = (keys, /))]
    fn group<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        guard(keys.py(), || group::group(&self.view(keys.py()), keys))
    }

    /// Group as :meth:`group` does, and give the keys' numbers in the input instead of the keys.
    #[pyo3(signature = (keys, /))]
    fn group_indices<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        guard(keys.py(), || group::group_indices(&self.view(keys.py()), keys))
    }

    /// Group the keys of a packed batch, with the GIL released.
    ///
    /// Key ``i`` is ``data[offsets[i]:offsets[i + 1]]``: Arrow's layout.
    ///
    /// Args:
    ///     data: the keys' bytes, one after the other. ``bytes`` are read where they are; any other contiguous
    ///         buffer of bytes is copied first, since it could change meanwhile.
    ///     offsets: a buffer of 32- or 64-bit whole numbers, one more than keys, never falling: ``array('I')``,
    ///         ``array('Q')``, a ``memoryview`` or a numpy array of such. It is copied.
    ///
    /// Returns:
    ///     ``(nodes, offsets, indices)``: the keys of ``nodes[g]`` are those numbered
    ///     ``indices[offsets[g]:offsets[g + 1]]``. The last two are read-only ``memoryview`` of format ``"I"``.
    ///
    /// Raises:
    ///     InvalidArgumentError: the offsets fall or leave the data; ``place`` names the first wrong one.
    ///     InvalidArgumentTypeError: no buffer, or one of other items.
    ///     ShardNotAvailableError: there are keys, and no node can own a key.
    #[pyo3(signature = (data, offsets))]
    fn group_packed<'py>(&self, data: &Bound<'py, PyAny>, offsets: &Bound<'py, PyAny>) -> PyResult<Packed<'py>> {
        guard(data.py(), || group::group_packed(&self.view(data.py()), data, offsets))
    }

    /// Group keys whose hashes the caller computed, with the GIL released.
    ///
    /// Args:
    ///     hashes: a buffer of unsigned 64-bit numbers, such as ``array('Q')`` or a numpy array of uint64, or an
    ///         iterable of ``int``. It is copied.
    ///
    /// Returns:
    ///     As :meth:`group_packed`.
    ///
    /// Raises:
    ///     InvalidArgumentError: a hash is out of range; ``place`` names it, as in ``"hashes[17]"``.
    ///     ShardNotAvailableError: there are hashes, and no node can own a key.
    #[pyo3(signature = (hashes, /))]
    fn group_hashes<'py>(&self, hashes: &Bound<'py, PyAny>) -> PyResult<Packed<'py>> {
        guard(hashes.py(), || group::group_hashes(&self.view(hashes.py()), hashes))
    }

    /// Give the snapshot in force. Who holds it sees no change.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        guard(py, || Ok(Snapshot::from(self.view(py))))
    }

    /// Put a topology in force: whole, for every call that begins after this one returns. The GIL is released.
    ///
    /// Returns:
    ///     ``"published"``; ``"unchanged"`` if it is in force already; ``"kept_old"`` if it has no nodes, or declares
    ///     partitions that no instance serves, so that a discovery glitch loses no traffic.
    ///
    /// Raises:
    ///     StaleRevisionError: its revision is older than the one in force.
    ///     RevisionConflictError: it has the revision in force and other content.
    #[pyo3(signature = (topology, /))]
    fn publish(&self, topology: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let py = topology.py();
        guard(py, || {
            let topology = topology_of(topology)?;
            let published = py.detach(|| self.core.publish(topology.core.clone()));
            // The names are made here, so that the next lookup need not.
            self.view(py);
            published.map(Publish::name).map_err(|error| raise(py, &error))
        })
    }

    /// Take a node's keys away by hand, until :meth:`revive`. They go to the next nodes; no other key moves.
    ///
    /// Returns:
    ///     False when it was so already.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    #[pyo3(signature = (id, /))]
    fn eject(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = id.py();
        guard(py, || self.core.eject(id_text(id)?).map_err(|error| raise(py, &error)))
    }

    /// Give back what :meth:`eject` took.
    ///
    /// Returns:
    ///     False when nothing was taken.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    #[pyo3(signature = (id, /))]
    fn revive(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = id.py();
        guard(py, || self.core.revive(id_text(id)?).map_err(|error| raise(py, &error)))
    }

    /// Report how a request to a node ended.
    ///
    /// Args:
    ///     id: the node.
    ///     outcome: ``"success"``, ``"failure"``, or ``"ignored"`` when it says nothing about the node.
    ///     sent_ms: when the request was sent, in milliseconds of any monotonic clock. A request sent before the
    ///         node's last change says nothing and is ignored.
    ///     now_ms: the time now, of the same clock.
    ///
    /// Returns:
    ///     The change of the node's state, if there was one.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    ///     InvalidArgumentError: another outcome, or a negative time.
    #[pyo3(signature = (id, outcome, *, sent_ms, now_ms))]
    fn report(
        &self,
        id: &Bound<'_, PyAny>,
        outcome: &Bound<'_, PyAny>,
        sent_ms: &Bound<'_, PyAny>,
        now_ms: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Event>> {
        let py = id.py();
        guard(py, || {
            let (sent_ms, now_ms) = (long(sent_ms, "sent_ms")?, long(now_ms, "now_ms")?);
            let event = self.core.report(id_text(id)?, self::outcome(outcome)?, sent_ms, now_ms);
            event.map(|event| event.map(Event::from)).map_err(|error| raise(py, &error))
        })
    }

    /// Ask whether a request may go to a node. Call it before each send.
    ///
    /// Args:
    ///     id: the node.
    ///     now_ms: the time now, in milliseconds of the clock that :meth:`report` is told.
    ///
    /// Returns:
    ///     ``"send"``; ``"probe"``: send it and report its outcome; ``"fail_fast"``: do not send it.
    ///
    /// Raises:
    ///     UnknownNodeError: no node has this id.
    #[pyo3(signature = (id, now_ms))]
    fn admit(&self, id: &Bound<'_, PyAny>, now_ms: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let py = id.py();
        guard(py, || {
            let admission = self.core.admit(id_text(id)?, long(now_ms, "now_ms")?);
            admission.map(Admission::name).map_err(|error| raise(py, &error))
        })
    }

    /// Let time pass: nodes whose time is up may be probed, and probes without an answer are given up.
    ///
    /// Args:
    ///     now_ms: the time now, in milliseconds of the clock that :meth:`report` is told.
    #[pyo3(signature = (now_ms, /))]
    fn tick(&self, now_ms: &Bound<'_, PyAny>) -> PyResult<Vec<Event>> {
        guard(now_ms.py(), || Ok(self.core.tick(long(now_ms, "now_ms")?).into_iter().map(Event::from).collect()))
    }

    /// Give the next time at which :meth:`tick` has something to do, in milliseconds; None if there is none.
    fn next_tick_ms(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        guard(py, || Ok(self.core.next_tick_ms()))
    }

    /// Give the counters and gauges of now.
    fn stats(&self, py: Python<'_>) -> PyResult<Stats> {
        guard(py, || Ok(Stats(self.core.stats())))
    }

    /// Tell why a key is where it is. For people and tests.
    ///
    /// Raises:
    ///     InvalidArgumentError: as :meth:`route`.
    #[pyo3(signature = (key, /))]
    fn explain(&self, key: &Bound<'_, PyAny>) -> PyResult<Explanation> {
        guard(key.py(), || snapshot::explain(&self.view(key.py()), key))
    }

    /// The topology in force, as it was declared.
    #[getter]
    fn topology(&self, py: Python<'_>) -> PyResult<Topology> {
        guard(py, || Ok(Topology::from(self.core.snapshot().topology().clone())))
    }

    /// The revision in force: the topology's, or the router's own count where it declares none.
    #[getter]
    fn revision(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || Ok(self.core.snapshot().revision()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            let snapshot = self.core.snapshot();
            let (scheme, nodes) = (snapshot.topology().scheme().name(), snapshot.nodes().len());
            Ok(format!("<Router {scheme}, {nodes} nodes, revision {}>", snapshot.revision()))
        })
    }
}
