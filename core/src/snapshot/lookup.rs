//! Owner and replicas of a key.

use super::Snapshot;
use crate::error::{Error, Result};
use crate::host::Key;
use crate::placement::NOBODY;

/// The owner of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Its index in the nodes of a snapshot of this revision.
    pub node: u32,
    /// The revision of the topology that was asked.
    pub revision: u64,
}

/// How many replicas were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Replicas {
    /// Written indices; fewer than there was room for when fewer nodes can own keys.
    pub n: usize,
    /// The revision of the topology that was asked.
    pub revision: u64,
}

impl Snapshot {
    /// The owner of `key`. `ShardNotAvailable` when no node can own a key; `InvalidArgument` for a key that the
    /// scheme cannot hash.
    #[inline]
    pub fn route<'k>(&self, key: impl Into<Key<'k>>) -> Result<Route> {
        self.route_hash(self.hash(key)?)
    }

    /// The owner of a key whose hash the caller computed: the one way in for a hash that this library lacks.
    #[inline]
    pub fn route_hash(&self, hash: u64) -> Result<Route> {
        match self.owner(hash) {
            Some(node) => Ok(Route { node, revision: self.revision }),
            None => Err(Error::shard_not_available()),
        }
    }

    /// The hash of `key`, as the topology's scheme and key hasher define it.
    #[inline]
    pub fn hash<'k>(&self, key: impl Into<Key<'k>>) -> Result<u64> {
        self.compiled.hash(key.into())
    }

    /// Writes the first distinct owners of `key` to `out`, the owner first, as many as there is room for. Where nodes of a
    /// native scheme declare zones, first one of each zone, then the others. Ejected nodes are passed over. Allocates
    /// nothing with room for up to 32.
    pub fn replicas<'k>(&self, key: impl Into<Key<'k>>, out: &mut [u32]) -> Result<Replicas> {
        let hash = self.hash(key)?;
        if self.live_owners == 0 {
            return Err(Error::shard_not_available());
        }
        let wanted = out.len().min(self.live_owners);
        let out = &mut out[..wanted];
        let live = |node| !self.masked || !self.ejected.contains(node);
        let spread = self.compiled.zones().map_or(0, |zones| self.one_a_zone(hash, zones, live, out));
        let (first, rest) = out.split_at_mut(spread);
        let n = self.table.owners(hash, |node| live(node) && !first.contains(&node), rest);
        Ok(Replicas { n: spread + n, revision: self.revision })
    }

    /// Writes the first owner of each zone, in the order of preference; gives how many.
    fn one_a_zone(&self, hash: u64, zones: &[u32], live: impl Fn(u32) -> bool, out: &mut [u32]) -> usize {
        let zone = |node: u32| zones.get(node as usize);
        for n in 0..out.len() {
            let taken = &out[..n];
            let is_new = |node| !taken.iter().any(|&other| zone(other) == zone(node));
            let next = self.table.owner_among(hash, |node| live(node) && is_new(node));
            if next == NOBODY {
                return n;
            }
            out[n] = next;
        }
        out.len()
    }

    /// No node's index.
    pub(crate) const NO_NODE: u32 = NOBODY;

    /// The owner of plain bytes and the revision, or [`NO_NODE`](Self::NO_NODE) where it takes
    /// [`route`](Self::route) to tell.
    #[inline]
    pub(crate) fn owner_of_bytes(&self, key: &[u8]) -> (u32, u64) {
        let hash = self.compiled.hash_plain(key);
        let node = hash.and_then(|hash| self.owner(hash)).unwrap_or(Self::NO_NODE);
        (node, self.revision)
    }

    /// The owner of a hash, `None` when no node can own a key.
    #[allow(clippy::inline_always, reason = "a call costs a third of what it does")]
    #[inline(always)]
    pub(crate) fn owner(&self, hash: u64) -> Option<u32> {
        let node = self.table.owner(hash);
        if self.masked && self.ejected.contains(node) {
            return self.next_live(hash);
        }
        if node == Self::NO_NODE { None } else { Some(node) }
    }

    #[cold]
    fn next_live(&self, hash: u64) -> Option<u32> {
        let node = self.table.owner_among(hash, |node| !self.ejected.contains(node));
        if node == Self::NO_NODE { None } else { Some(node) }
    }
}
