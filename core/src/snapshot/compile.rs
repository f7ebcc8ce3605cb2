//! From what is wanted to what is fast: the tables that all snapshots of a topology share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Mask;
use crate::error::Result;
use crate::hash::KeyHasher;
use crate::host::{Key, key_bytes, key_thrift};
use crate::partition::PartitionMap;
use crate::placement::{self, Table};
use crate::topology::{Scheme, Topology};

/// A topology with its table, its key hasher and its partitions.
#[derive(Debug)]
pub(crate) struct Compiled {
    topology: Topology,
    table: Arc<Table>,
    partitions: PartitionMap,
    hasher: KeyHasher,
    thrift_keys: bool,
    rebuilds_on_ejection: bool,
    /// The zone of each node as a number, where a native scheme has nodes in more than one.
    zones: Option<Vec<u32>>,
}

impl Compiled {
    pub(crate) fn new(topology: Topology) -> Self {
        let thrift_keys = matches!(topology.scheme(), Scheme::Finagle { thrift_keys: true, .. });
        Self {
            table: Arc::new(placement::build(&topology, |_| true)),
            partitions: PartitionMap::of_topology(&topology),
            hasher: topology.key_hasher(),
            thrift_keys,
            rebuilds_on_ejection: placement::points_depend_on_others(&topology),
            zones: zones(&topology),
            topology,
        }
    }

    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn partitions(&self) -> &PartitionMap {
        &self.partitions
    }

    pub(crate) fn table(&self) -> &Arc<Table> {
        &self.table
    }

    pub(crate) fn rebuilds_on_ejection(&self) -> bool {
        self.rebuilds_on_ejection
    }

    pub(crate) fn zones(&self) -> Option<&[u32]> {
        self.zones.as_deref()
    }

    pub(crate) fn table_without(&self, ejected: &Mask) -> Table {
        placement::build(&self.topology, |node| !ejected.contains(node))
    }

    /// The hash of a key, as the scheme defines it.
    #[allow(clippy::inline_always, reason = "a call costs a third of what it does")]
    #[inline(always)]
    pub(crate) fn hash(&self, key: Key<'_>) -> Result<u64> {
        match key {
            Key::Bytes(bytes) if !self.thrift_keys => Ok(self.hasher.hash(bytes)),
            Key::Str(text) if !self.thrift_keys => Ok(self.hasher.hash(text.as_bytes())),
            key => self.hash_typed(key),
        }
    }

    /// The hash of plain bytes, `None` where the scheme does not hash keys as plain bytes.
    #[inline]
    pub(crate) fn hash_plain(&self, key: &[u8]) -> Option<u64> {
        if self.thrift_keys { None } else { Some(self.hasher.hash(key)) }
    }

    /// Apart from the usual keys, so that those are inlined where they are hashed.
    fn hash_typed(&self, key: Key<'_>) -> Result<u64> {
        if self.thrift_keys {
            return key_thrift(key).map(|bytes| self.hasher.hash(&bytes));
        }
        let mut room = [0; 8];
        key_bytes(key, &mut room).map(|bytes| self.hasher.hash(bytes))
    }
}

/// Numbers the zones; a node without one is in a zone of its own. `None` where there is nothing to spread over, and in
/// profiles, whose systems know no zones.
fn zones(topology: &Topology) -> Option<Vec<u32>> {
    let is_native = !matches!(topology.scheme(), Scheme::Finagle { .. } | Scheme::Profile(_));
    if !is_native || topology.nodes().iter().all(|node| node.zone.is_none()) {
        return None;
    }
    let mut numbers = BTreeMap::new();
    let mut next = 0;
    let mut number = || {
        next += 1;
        next
    };
    Some(
        topology
            .nodes()
            .iter()
            .map(|node| match node.zone.as_deref() {
                Some(zone) => *numbers.entry(zone).or_insert_with(&mut number),
                None => number(),
            })
            .collect(),
    )
}
