//! `PartitionMap`: instances to logical partitions and back.

use std::sync::Arc;

use napi::bindgen_prelude::External;
use napi_derive::napi;
use shardway_core::{Instance, PartitionMap, Serves, Snapshot};

use crate::border::{Result, guard, raise};

/// An instance as the mapping sees it; its index is its place in the list.
#[napi(object)]
pub(crate) struct InstanceRow {
    /// Its shard id.
    pub shard_id: Option<i32>,
    /// The partitions that the mapping gave; without them it is its own partition.
    pub serves: Option<Vec<i32>>,
    /// Why the mapping failed, if it did.
    pub failed: Option<String>,
}

/// An instance that serves no partition because something is wrong with it.
#[napi(object)]
pub(crate) struct LeftOutRow {
    /// Its index.
    pub node: u32,
    /// The name of the kind of error.
    pub code: String,
    /// A sentence for the log.
    pub reason: String,
}

/// Makes the map of instances.
#[napi]
pub(crate) fn partitions_build(instances: Vec<InstanceRow>) -> Result<External<PartitionMap>> {
    guard(|| {
        let instance = |(index, row): (usize, InstanceRow)| Instance {
            node: index as u32,
            shard_id: row.shard_id,
            serves: match (row.failed, row.serves) {
                (Some(reason), _) => Serves::Failed(reason),
                (None, Some(partitions)) => Serves::List(partitions),
                (None, None) => Serves::Own,
            },
        };
        let instances: Vec<Instance> = instances.into_iter().enumerate().map(instance).collect();
        Ok(External::new(PartitionMap::build(&instances)))
    })
}

/// The map that the topology of a snapshot declares.
#[napi]
pub(crate) fn snapshot_partitions(snapshot: &External<Arc<Snapshot>>) -> Result<External<PartitionMap>> {
    guard(|| Ok(External::new(snapshot.partitions().clone())))
}

/// The ids of all partitions, ascending.
#[napi]
pub(crate) fn partitions_ids(map: &External<PartitionMap>) -> Result<Vec<i32>> {
    guard(|| Ok(map.partitions().collect()))
}

/// The instances that serve a partition, as indices.
#[napi]
pub(crate) fn partitions_nodes(map: &External<PartitionMap>, partition: i32) -> Result<Vec<u32>> {
    guard(|| map.nodes_of(partition).map(<[u32]>::to_vec).map_err(raise))
}

/// The partitions that an instance serves.
#[napi]
pub(crate) fn partitions_of(map: &External<PartitionMap>, node: u32) -> Result<Vec<i32>> {
    guard(|| Ok(map.partitions_of(node).to_vec()))
}

/// The instances that were left out.
#[napi]
pub(crate) fn partitions_left_out(map: &External<PartitionMap>) -> Result<Vec<LeftOutRow>> {
    guard(|| {
        let row = |left: &shardway_core::LeftOut| LeftOutRow {
            node: left.node,
            code: left.code.name().to_owned(),
            reason: left.reason.clone(),
        };
        Ok(map.left_out().iter().map(row).collect())
    })
}
