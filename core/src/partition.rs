//! Logical partitions: which instances serve which partition, in both directions.
//!
//! Partitions may overlap. An instance that has no shard id, or whose mapping failed, is left out and reported;
//! the others stand. A map that would be empty never replaces one that is not: see [`PartitionTable`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::error::{Error, ErrorCode, Result};
use crate::topology::Topology;

/// An instance as the mapping sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its index, in whatever list of nodes the caller keeps.
    pub node: u32,
    /// Its shard id from service discovery.
    pub shard_id: Option<i32>,
    /// What the mapping gave for it.
    pub serves: Serves,
}

/// The answer of a partition mapping for one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serves {
    /// Each instance is its own partition, numbered by its shard id.
    Own,
    /// These partitions; repeats count once.
    List(Vec<i32>),
    /// The mapping failed, for this reason.
    Failed(String),
}

/// An instance that serves no partition because something is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its index.
    pub node: u32,
    /// [`NoShardId`](ErrorCode::NoShardId) or [`PartitioningStrategy`](ErrorCode::PartitioningStrategy).
    pub code: ErrorCode,
    /// A sentence for the log.
    pub reason: String,
}

/// Partitions to instances and back. Immutable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionMap {
    nodes_of: BTreeMap<i32, Vec<u32>>,
    partitions_of: BTreeMap<u32, Vec<i32>>,
    left_out: Vec<LeftOut>,
}

impl PartitionMap {
    /// The map of `instances`. Never fails: what is wrong with an instance leaves out that instance only.
    #[must_use]
    pub fn build(instances: &[Instance]) -> Self {
        let mut map = Self::default();
        for instance in instances {
            match served(instance) {
                Ok(partitions) => {
                    for &partition in &partitions {
                        let nodes = map.nodes_of.entry(partition).or_default();
                        if let Err(place) = nodes.binary_search(&instance.node) {
                            nodes.insert(place, instance.node);
                        }
                    }
                    map.partitions_of.insert(instance.node, partitions);
                }
                Err((code, reason)) => map.left_out.push(LeftOut { node: instance.node, code, reason }),
            }
        }
        map
    }

    /// The map that a topology declares.
    pub(crate) fn of_topology(topology: &Topology) -> Self {
        let declared: Option<BTreeMap<i32, &Vec<i32>>> = topology
            .partitions()
            .map(|partitions| partitions.iter().map(|serving| (serving.shard_id, &serving.serves)).collect());
        let instances: Vec<Instance> = topology
            .nodes()
            .iter()
            .enumerate()
            .filter(|(_, node)| declared.is_some() || node.shard_id.is_some())
            .map(|(index, node)| {
                let serves = match (&declared, node.shard_id) {
                    (Some(declared), Some(shard_id)) => match declared.get(&shard_id) {
                        Some(&serves) => Serves::List(serves.clone()),
                        None => Serves::Failed(format!("shard id {shard_id} is not listed in partitions")),
                    },
                    _ => Serves::Own,
                };
                Instance { node: index as u32, shard_id: node.shard_id, serves }
            })
            .collect();
        Self::build(&instances)
    }

    /// The instances that serve `partition`, ascending. `NoPartition` when there is none.
    pub fn nodes_of(&self, partition: i32) -> Result<&[u32]> {
        self.nodes_of.get(&partition).map(Vec::as_slice).ok_or_else(|| {
            Error::new(
                ErrorCode::NoPartition,
                "partition",
                format!("No partition: {partition} found; {} partitions are served", self.len()),
            )
        })
    }

    /// The partitions that an instance serves, ascending; none for an instance that is unknown or left out.
    #[must_use]
    pub fn partitions_of(&self, node: u32) -> &[i32] {
        self.partitions_of.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The ids of all partitions, ascending.
    pub fn partitions(&self) -> impl ExactSizeIterator<Item = i32> + '_ {
        self.nodes_of.keys().copied()
    }

    /// The number of partitions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes_of.len()
    }

    /// Whether no partition is served.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes_of.is_empty()
    }

    /// The instances that were left out, in the order given.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }
}

fn served(instance: &Instance) -> std::result::Result<Vec<i32>, (ErrorCode, String)> {
    let Some(shard_id) = instance.shard_id else {
        return Err((ErrorCode::NoShardId, "the instance has no shard id".to_owned()));
    };
    match &instance.serves {
        Serves::Own => Ok(vec![shard_id]),
        Serves::List(partitions) => {
            let mut partitions = partitions.clone();
            partitions.sort_unstable();
            partitions.dedup();
            Ok(partitions)
        }
        Serves::Failed(reason) => {
            Err((ErrorCode::PartitioningStrategy, format!("the mapping of shard id {shard_id} failed: {reason}")))
        }
    }
}

/// Counts of a [`PartitionTable`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionStats {
    /// Maps that were put in force and differ from the one before.
    pub partition_updates: u64,
    /// Maps that were put in force.
    pub snap_updates: u64,
    /// Updates that could not be used: a state whose evaluation failed, or a map that was empty.
    pub update_failures: u64,
    /// Logical partitions in force now.
    pub nodes: u64,
}

/// The map in force, for a custom strategy. Safe for many threads; readers never wait.
#[derive(Debug, Default)]
pub struct PartitionTable {
    current: ArcSwap<PartitionMap>,
    writer: Mutex<()>,
    partition_updates: AtomicU64,
    snap_updates: AtomicU64,
    update_failures: AtomicU64,
}

impl PartitionTable {
    /// A table without partitions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `map` in force. An empty map is refused (`false`): a discovery glitch must not lose traffic.
    pub fn update(&self, map: PartitionMap) -> bool {
        let _writer = self.writer.lock();
        if map.is_empty() {
            self.update_failures.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        if **self.current.load() != map {
            self.partition_updates.fetch_add(1, Ordering::Relaxed);
        }
        self.snap_updates.fetch_add(1, Ordering::Relaxed);
        self.current.store(Arc::new(map));
        true
    }

    /// Counts an update whose evaluation failed in the host. The map in force stays.
    pub fn update_failed(&self) {
        self.update_failures.fetch_add(1, Ordering::Relaxed);
    }

    /// The map in force. A request keeps what it took to its end.
    #[must_use]
    pub fn current(&self) -> Arc<PartitionMap> {
        self.current.load_full()
    }

    /// The counts.
    #[must_use]
    pub fn stats(&self) -> PartitionStats {
        PartitionStats {
            partition_updates: self.partition_updates.load(Ordering::Relaxed),
            snap_updates: self.snap_updates.load(Ordering::Relaxed),
            update_failures: self.update_failures.load(Ordering::Relaxed),
            nodes: self.current.load().len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(node: u32, shard_id: i32, serves: Serves) -> Instance {
        Instance { node, shard_id: Some(shard_id), serves }
    }

    #[test]
    fn overlaps_read_in_both_directions() {
        let map = PartitionMap::build(&[
            instance(0, 10, Serves::List(vec![1, 0, 1])),
            instance(1, 11, Serves::List(vec![1])),
            instance(2, 12, Serves::Own),
        ]);
        assert_eq!(map.nodes_of(1).unwrap(), [0, 1]);
        assert_eq!(map.partitions_of(0), [0, 1]);
        assert_eq!(map.partitions().collect::<Vec<_>>(), [0, 1, 12]);
        assert_eq!(map.nodes_of(9).unwrap_err().code(), ErrorCode::NoPartition);
    }

    #[test]
    fn what_is_wrong_with_one_instance_leaves_out_that_one_only() {
        let nameless = Instance { node: 1, shard_id: None, serves: Serves::Own };
        let map = PartitionMap::build(&[
            instance(0, 0, Serves::Own),
            nameless,
            instance(2, 2, Serves::Failed("boom".into())),
        ]);
        assert_eq!(map.partitions().collect::<Vec<_>>(), [0]);
        let left: Vec<_> = map.left_out().iter().map(|left| (left.node, left.code)).collect();
        assert_eq!(left, [(1, ErrorCode::NoShardId), (2, ErrorCode::PartitioningStrategy)]);
        assert!(map.left_out()[1].reason.contains("boom"));
        assert!(map.partitions_of(2).is_empty());
    }

    #[test]
    fn an_empty_map_keeps_the_old_one() {
        let table = PartitionTable::new();
        assert!(!table.update(PartitionMap::default()));
        assert!(table.update(PartitionMap::build(&[instance(0, 0, Serves::Own)])));
        let held = table.current();
        assert!(!table.update(PartitionMap::build(&[instance(0, 0, Serves::Failed("down".into()))])));
        assert_eq!(table.current(), held);
        table.update_failed();
        let expected = PartitionStats { partition_updates: 1, snap_updates: 1, update_failures: 3, nodes: 1 };
        assert_eq!(table.stats(), expected);
    }

    #[test]
    fn the_same_map_again_is_a_snapshot_and_no_change() {
        let table = PartitionTable::new();
        for _ in 0..2 {
            assert!(table.update(PartitionMap::build(&[instance(0, 0, Serves::Own)])));
        }
        assert_eq!((table.stats().snap_updates, table.stats().partition_updates), (2, 1));
    }
}
