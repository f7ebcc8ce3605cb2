//! Stats: the counters and gauges of a router, under the names that Finagle's users know.

use shardway_core::Stats;

use crate::border::{Growing, OutStructs};

/// Counters (they only rise) and gauges of a router, of one moment. The caller's struct.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct shardway_stats_t {
    /// In: `sizeof(shardway_stats_t)`.
    pub struct_size: usize,
    /// Counter: times the ring changed, by a publish, an ejection or a revival. The first one counts.
    pub redistributes: u64,
    /// Counter: nodes that joined, the first ones included.
    pub joins: u64,
    /// Counter: nodes that left.
    pub leaves: u64,
    /// Counter: nodes that lost their keys, by hand or by failure accrual.
    pub ejections: u64,
    /// Counter: nodes that got their keys back.
    pub revivals: u64,
    /// Counter: publishes that changed the logical partitions.
    pub partition_updates: u64,
    /// Counter: publishes that were put in force, the first one included.
    pub snap_updates: u64,
    /// Counter: publishes that were refused so that the old topology stayed.
    pub update_failures: u64,
    /// Gauge: nodes that are not ejected.
    pub live_nodes: u64,
    /// Gauge: nodes that are ejected.
    pub dead_nodes: u64,
    /// Gauge: nodes of the topology in force.
    pub nodes: u64,
    /// Gauge: revision in force.
    pub revision: u64,
    /// Gauge: fingerprint of the topology in force.
    pub fingerprint: u64,
    /// Gauge: points on the ring in force.
    pub points: u64,
}

// SAFETY: repr(C), begins with its size, integers only.
unsafe impl Growing for shardway_stats_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Copies `stats` to C's struct.
pub(crate) fn copy(stats: &Stats, mut out: OutStructs<shardway_stats_t>) {
    out.set(
        0,
        &shardway_stats_t {
            struct_size: 0,
            redistributes: stats.redistributes,
            joins: stats.joins,
            leaves: stats.leaves,
            ejections: stats.ejections,
            revivals: stats.revivals,
            partition_updates: stats.partition_updates,
            snap_updates: stats.snap_updates,
            update_failures: stats.update_failures,
            live_nodes: stats.live_nodes,
            dead_nodes: stats.dead_nodes,
            nodes: stats.nodes,
            revision: stats.revision,
            fingerprint: stats.fingerprint,
            points: stats.points,
        },
    );
}
