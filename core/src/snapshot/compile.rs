//! From what is wanted to what is fast: the tables that all snapshots of a topology share.

use std::sync::Arc;

use super::Mask;
use crate::error::Result;
use crate::hash::KeyHasher;
use crate::host::{Key, key_bytes, key_thrift};
use crate::partition::PartitionMap;
use crate::placement::{self, Spot, Table};
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

    pub(crate) fn table_without(&self, ejected: &Mask) -> Table {
        placement::build(&self.topology, |node| !ejected.contains(node))
    }

    /// A key as the table sees it: hashed as the scheme defines it. `room` holds the bytes of a key that has none.
    #[allow(clippy::inline_always, reason = "a call costs a third of what it does")]
    #[inline(always)]
    pub(crate) fn spot<'k>(&self, key: Key<'k>, room: &'k mut [u8; 8]) -> Result<Spot<'k>> {
        match key {
            Key::Bytes(bytes) if !self.thrift_keys => Ok(self.spot_of_bytes(bytes)),
            Key::Str(text) if !self.thrift_keys => Ok(self.spot_of_bytes(text.as_bytes())),
            key => self.spot_of_typed(key, room),
        }
    }

    /// The spot of plain bytes, `None` where the scheme does not hash keys as plain bytes.
    #[inline]
    pub(crate) fn spot_plain<'k>(&self, key: &'k [u8]) -> Option<Spot<'k>> {
        if self.thrift_keys { None } else { Some(self.spot_of_bytes(key)) }
    }

    #[inline]
    fn spot_of_bytes<'k>(&self, key: &'k [u8]) -> Spot<'k> {
        Spot { hash: self.hasher.hash(key), key: Some(key) }
    }

    /// Apart from the usual keys, so that those are inlined where they are hashed.
    fn spot_of_typed<'k>(&self, key: Key<'k>, room: &'k mut [u8; 8]) -> Result<Spot<'k>> {
        if self.thrift_keys {
            let code = key_thrift(key)?;
            let bytes = &mut room[..code.len()];
            bytes.copy_from_slice(&code);
            return Ok(self.spot_of_bytes(bytes));
        }
        key_bytes(key, room).map(|bytes| self.spot_of_bytes(bytes))
    }
}
