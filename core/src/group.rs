//! Many keys at once: which node gets which, in the order of the input.
//!
//! The answer is a compressed table (CSR): group `g` belongs to `nodes[g]` and holds the key numbers
//! `indices[offsets[g]..offsets[g + 1]]`. Groups stand in the order in which their first key appears, key
//! numbers ascend inside a group, and a key that comes twice is listed twice.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::host::{Key, MAX_BATCH, PackedKeys};
use crate::snapshot::Snapshot;

/// Keys by owner. Keeps the snapshot that answered alive. Immutable, safe for many threads.
#[derive(Clone, Debug)]
pub struct Groups {
    snapshot: Arc<Snapshot>,
    nodes: Vec<u32>,
    offsets: Vec<u32>,
    indices: Vec<u32>,
}

impl Groups {
    /// The groups of keys whose owners are `owners`, one a key.
    fn of_owners(snapshot: Arc<Snapshot>, mut owners: Vec<u32>) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let mut group_of = vec![UNSEEN; snapshot.nodes().len()];
        let mut nodes = Vec::new();
        let mut sizes: Vec<u32> = Vec::new();
        for owner in &mut owners {
            let group = &mut group_of[*owner as usize];
            if *group == UNSEEN {
                *group = nodes.len() as u32;
                nodes.push(*owner);
                sizes.push(0);
            }
            sizes[*group as usize] += 1;
            *owner = *group;
        }
        let mut next = Vec::with_capacity(nodes.len());
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        let mut sum = 0;
        offsets.push(0);
        for size in sizes {
            next.push(sum);
            sum += size;
            offsets.push(sum);
        }
        let mut indices = vec![0; owners.len()];
        for (key, group) in owners.into_iter().enumerate() {
            let place = &mut next[group as usize];
            indices[*place as usize] = key as u32;
            *place += 1;
        }
        Self { snapshot, nodes, offsets, indices }
    }

    /// The snapshot that answered: node indices are indices into its nodes.
    #[must_use]
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no group, which is so for an empty batch only.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of each group.
    #[must_use]
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Where each group begins in [`indices`](Self::indices), then the number of keys.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Key numbers, group after group.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Each group: its node and its key numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> + '_ {
        self.nodes.iter().enumerate().map(|(group, &node)| {
            let (from, to) = (self.offsets[group] as usize, self.offsets[group + 1] as usize);
            (node, &self.indices[from..to])
        })
    }
}

impl Snapshot {
    /// Groups `keys`. Either all keys are grouped or none: `ShardNotAvailable` when no node can own a key.
    pub fn group<K: AsRef<[u8]>>(self: &Arc<Self>, keys: &[K]) -> Result<Groups> {
        self.group_each(keys.iter().map(|key| Key::Bytes(key.as_ref())))
    }

    /// Groups the keys of a packed batch.
    pub fn group_packed(self: &Arc<Self>, keys: PackedKeys<'_>) -> Result<Groups> {
        self.group_each(keys.iter().map(Key::Bytes))
    }

    /// Groups keys whose hashes the caller has: from [`hash`](Self::hash), or from a hash that this library lacks.
    pub fn group_hashes(self: &Arc<Self>, hashes: &[u64]) -> Result<Groups> {
        check_size(hashes.len())?;
        let owners: Option<Vec<u32>> = hashes.iter().map(|&hash| self.owner(hash)).collect();
        let owners = owners.ok_or_else(Error::shard_not_available)?;
        Ok(Groups::of_owners(Arc::clone(self), owners))
    }

    fn group_each<'k>(self: &Arc<Self>, keys: impl ExactSizeIterator<Item = Key<'k>>) -> Result<Groups> {
        check_size(keys.len())?;
        let mut owners = Vec::with_capacity(keys.len());
        for (number, key) in keys.enumerate() {
            let hash = self.hash(key).map_err(|error| at_key(number, &error))?;
            owners.push(self.owner(hash).ok_or_else(Error::shard_not_available)?);
        }
        Ok(Groups::of_owners(Arc::clone(self), owners))
    }
}

fn check_size(keys: usize) -> Result<()> {
    if keys > MAX_BATCH {
        return Err(Error::argument("keys", format!("{keys} keys; at most {MAX_BATCH} in one batch")));
    }
    Ok(())
}

/// The error of one key of a batch, with the key's number as its place.
fn at_key(number: usize, error: &Error) -> Error {
    Error::new(error.code(), format!("keys[{number}]"), format!("keys[{number}]: {error}"))
}
