//! `Router`, all but the hot way in (`hot.rs`) and health (`health.rs`).

use std::sync::Arc;

use napi::bindgen_prelude::{BigInt, External};
use napi_derive::napi;
use shardway_core::{Router, Snapshot, Topology};

use crate::border::{Result, guard, raise};

/// Counters since the router was made, and gauges of now.
#[napi(object)]
pub(crate) struct StatsRow {
    /// Times the ring in force changed.
    pub redistributes: f64,
    /// Nodes that joined.
    pub joins: f64,
    /// Nodes that left.
    pub leaves: f64,
    /// Nodes that lost their keys.
    pub ejections: f64,
    /// Nodes that got their keys back.
    pub revivals: f64,
    /// Publishes that changed the logical partitions.
    pub partition_updates: f64,
    /// Publishes that were put in force.
    pub snap_updates: f64,
    /// Publishes that were refused so that the old topology was kept.
    pub update_failures: f64,
    /// Nodes that are not ejected.
    pub live_nodes: f64,
    /// Nodes that are ejected.
    pub dead_nodes: f64,
    /// Nodes of the topology.
    pub nodes: f64,
    /// Points on the ring.
    pub points: f64,
    /// The revision in force.
    pub revision: BigInt,
    /// The fingerprint of the topology in force.
    pub fingerprint: BigInt,
}

/// Makes a router.
#[napi]
pub(crate) fn router_new(topology: &External<Topology>, seed: BigInt) -> Result<External<Arc<Router>>> {
    guard(|| {
        let (_, seed, _) = seed.get_u64();
        Router::new((**topology).clone(), seed).map(|router| External::new(Arc::new(router))).map_err(raise)
    })
}

/// The view in force.
#[napi]
pub(crate) fn router_snapshot(router: &External<Arc<Router>>) -> Result<External<Arc<Snapshot>>> {
    guard(|| Ok(External::new(router.snapshot())))
}

/// Puts a topology in force: `published`, `unchanged` or `kept_old`.
#[napi]
pub(crate) fn router_publish(router: &External<Arc<Router>>, topology: &External<Topology>) -> Result<String> {
    guard(|| {
        let publish = router.publish((**topology).clone()).map_err(raise)?;
        Ok(publish.name().to_owned())
    })
}

/// Takes a node's keys; `false` when it had none already.
#[napi]
pub(crate) fn router_eject(router: &External<Arc<Router>>, id: String) -> Result<bool> {
    guard(|| router.eject(&id).map_err(raise))
}

/// Gives a node its keys back; `false` when it had them.
#[napi]
pub(crate) fn router_revive(router: &External<Arc<Router>>, id: String) -> Result<bool> {
    guard(|| router.revive(&id).map_err(raise))
}

/// Counters and gauges.
#[napi]
pub(crate) fn router_stats(router: &External<Arc<Router>>) -> Result<StatsRow> {
    guard(|| {
        let stats = router.stats();
        Ok(StatsRow {
            redistributes: stats.redistributes as f64,
            joins: stats.joins as f64,
            leaves: stats.leaves as f64,
            ejections: stats.ejections as f64,
            revivals: stats.revivals as f64,
            partition_updates: stats.partition_updates as f64,
            snap_updates: stats.snap_updates as f64,
            update_failures: stats.update_failures as f64,
            live_nodes: stats.live_nodes as f64,
            dead_nodes: stats.dead_nodes as f64,
            nodes: stats.nodes as f64,
            points: stats.points as f64,
            revision: stats.revision.into(),
            fingerprint: stats.fingerprint.into(),
        })
    })
}
