//! The router and its lookups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::counters::{Counters, Stats};
use super::current::Current;
use super::vitals::Vitals;
use crate::error::Result;
use crate::group::Groups;
use crate::host::{Key, PackedKeys};
use crate::snapshot::{Compiled, Explanation, Mask, Replicas, Route, Snapshot};
use crate::topology::Topology;

/// Routes keys by the topology in force. Safe for many threads.
///
/// Lookups take no lock, allocate nothing and never wait: not for [`publish`](Self::publish), not for
/// [`eject`](Self::eject). Every thread that routes keeps the last snapshot it used until it routes again or
/// ends, so an old topology's memory goes when its last reader has moved on.
#[derive(Debug)]
pub struct Router {
    pub(super) current: Current,
    pub(super) counters: Counters,
    /// Feeds the jitter of backoff times and nothing else.
    pub(super) seed: u64,
    /// Whether no node has anything held against it, so that a success needs no lock.
    pub(super) all_clean: AtomicBool,
    pub(super) writer: Mutex<Vitals>,
}

impl Router {
    /// A router for `topology`. An empty topology is fine: routing answers `ShardNotAvailable` until nodes are
    /// published.
    ///
    /// `seed` feeds the jitter of backoff times; give each process another one, so that a fleet does not probe
    /// in step.
    pub fn new(topology: Topology, seed: u64) -> Result<Self> {
        let revision = topology.revision().unwrap_or(1);
        let n_nodes = topology.nodes().len();
        let compiled = Arc::new(Compiled::new(topology));
        let has_partitions = !compiled.partitions().is_empty();
        let router = Self {
            current: Current::new(Snapshot::new(compiled, Mask::none(n_nodes), revision)),
            counters: Counters::default(),
            seed,
            all_clean: AtomicBool::new(true),
            writer: Mutex::new(Vitals::new(n_nodes)),
        };
        router.counters.redistributes.add(1);
        router.counters.joins.add(n_nodes as u64);
        router.counters.snap_updates.add(1);
        router.counters.partition_updates.add(u64::from(has_partitions));
        Ok(router)
    }

    /// The owner of `key`: see [`Snapshot::route`].
    #[inline]
    pub fn route<'k>(&self, key: impl Into<Key<'k>>) -> Result<Route> {
        let key = key.into();
        let answer = match key {
            Key::Bytes(bytes) => self.current.with_kept(|snapshot| snapshot.owner_of_bytes(bytes)),
            Key::Str(text) => self.current.with_kept(|snapshot| snapshot.owner_of_bytes(text.as_bytes())),
            _ => None,
        };
        // What comes out of the usual lookup fits registers; all else is asked again, for its error.
        match answer {
            Some((node, revision)) if node != Snapshot::NO_NODE => Ok(Route { node, revision }),
            _ => self.route_at_length(key),
        }
    }

    #[cold]
    fn route_at_length(&self, key: Key<'_>) -> Result<Route> {
        self.snapshot().route(key)
    }

    /// The owner of a key whose hash the caller computed: see [`Snapshot::route_hash`].
    pub fn route_hash(&self, hash: u64) -> Result<Route> {
        self.snapshot().route_hash(hash)
    }

    /// The first distinct owners of `key`: see [`Snapshot::replicas`].
    pub fn replicas<'k>(&self, key: impl Into<Key<'k>>, out: &mut [u32]) -> Result<Replicas> {
        self.snapshot().replicas(key, out)
    }

    /// Keys by owner, all by one snapshot: see [`Snapshot::group`].
    pub fn group<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Groups> {
        self.snapshot().group(keys)
    }

    /// The keys of a packed batch by owner: see [`Snapshot::group_packed`].
    pub fn group_packed(&self, keys: PackedKeys<'_>) -> Result<Groups> {
        self.snapshot().group_packed(keys)
    }

    /// Keys by owner when the caller has their hashes: see [`Snapshot::group_hashes`].
    pub fn group_hashes(&self, hashes: &[u64]) -> Result<Groups> {
        self.snapshot().group_hashes(hashes)
    }

    /// The snapshot in force. Who holds it sees no change until it lets go of it.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load()
    }

    /// Why `key` is where it is. For people and tests; it allocates.
    pub fn explain<'k>(&self, key: impl Into<Key<'k>>) -> Result<Explanation> {
        self.snapshot().explain(key)
    }

    /// Counters and gauges.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let (nodes, dead) = (snapshot.nodes().len() as u64, snapshot.ejected_mask().len() as u64);
        Stats {
            redistributes: self.counters.redistributes.get(),
            joins: self.counters.joins.get(),
            leaves: self.counters.leaves.get(),
            ejections: self.counters.ejections.get(),
            revivals: self.counters.revivals.get(),
            partition_updates: self.counters.partition_updates.get(),
            snap_updates: self.counters.snap_updates.get(),
            update_failures: self.counters.update_failures.get(),
            live_nodes: nodes - dead,
            dead_nodes: dead,
            nodes,
            points: snapshot.points() as u64,
            revision: snapshot.revision(),
            fingerprint: snapshot.fingerprint(),
        }
    }

    pub(super) fn note_cleanliness(&self, vitals: &Vitals) {
        self.all_clean.store(vitals.all_clean(), Ordering::Release);
    }
}
