//! Counts under Finagle's names. Written by the one writer, read by anyone without a lock.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters since the router was made, and gauges of now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Times the ring in force changed: by a publish, an ejection or a revival. The first one counts.
    pub redistributes: u64,
    /// Nodes that joined, the first ones included.
    pub joins: u64,
    /// Nodes that left.
    pub leaves: u64,
    /// Nodes that lost their keys, by hand or by failure accrual.
    pub ejections: u64,
    /// Nodes that got their keys back.
    pub revivals: u64,
    /// Publishes that changed the logical partitions.
    pub partition_updates: u64,
    /// Publishes that were put in force, the first one included.
    pub snap_updates: u64,
    /// Publishes that were refused so that the old topology was kept.
    pub update_failures: u64,
    /// Nodes that are not ejected now.
    pub live_nodes: u64,
    /// Nodes that are ejected now.
    pub dead_nodes: u64,
    /// Nodes of the topology in force.
    pub nodes: u64,
    /// Points on the ring in force.
    pub points: u64,
    /// The revision in force.
    pub revision: u64,
    /// The fingerprint of the topology in force.
    pub fingerprint: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) redistributes: Counter,
    pub(super) joins: Counter,
    pub(super) leaves: Counter,
    pub(super) ejections: Counter,
    pub(super) revivals: Counter,
    pub(super) partition_updates: Counter,
    pub(super) snap_updates: Counter,
    pub(super) update_failures: Counter,
}
