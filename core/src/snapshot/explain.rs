//! Why a key is where it is, step by step.

use std::fmt;

use serde::Serialize;

use super::Snapshot;
use crate::error::Result;
use crate::host::Key;

/// How many of the next owners are told.
const NEXT: usize = 3;

/// The steps from a key to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The scheme's name.
    pub scheme: &'static str,
    /// The key hasher's name.
    pub key_hasher: &'static str,
    /// The hash of the key.
    pub hash: u64,
    /// The position that the hash leads to: on a ring or among scores, or the number of a slot.
    pub position: u64,
    /// The point that takes the position: the first one that is not below it, else the lowest. `None` on an
    /// empty ring, and in schemes without points.
    pub point: Option<u64>,
    /// The node that has the point, the slot or the best score. It differs from `owner` when it is ejected.
    pub point_node: Option<String>,
    /// The owner; `None` when no node can own a key.
    pub owner: Option<String>,
    /// The next distinct owners, in the order in which they would take over; at most three.
    pub next: Vec<String>,
    /// The ejected nodes.
    pub ejected: Vec<String>,
    /// The revision in force.
    pub revision: u64,
    /// The topology's fingerprint.
    pub fingerprint: u64,
}

impl Snapshot {
    /// The steps from `key` to its owner. For people and tests; it allocates.
    pub fn explain<'k>(&self, key: impl Into<Key<'k>>) -> Result<Explanation> {
        let key = key.into();
        let hash = self.hash(key)?;
        let name = |node: u32| self.node(node).map(|node| node.id.clone()).unwrap_or_default();
        let mut owners = [0; NEXT + 1];
        // The order of taking over, which zones do not change.
        let found = self.table.owners(hash, |node| !self.is_ejected(node), &mut owners);
        let mut owners = owners[..found].iter().map(|&node| name(node));
        let shown = self.table.shown(hash);
        Ok(Explanation {
            scheme: self.topology().scheme().name(),
            key_hasher: self.topology().key_hasher().name(),
            hash,
            position: shown.position,
            point: shown.point,
            point_node: shown.node.map(name),
            owner: owners.next(),
            next: owners.collect(),
            ejected: self.ejected().map(name).collect(),
            revision: self.revision(),
            fingerprint: self.fingerprint(),
        })
    }
}

impl Explanation {
    /// The same as one JSON object, with the fields named as here. 64-bit numbers are JSON integers.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings and numbers only: there is nothing here that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let or_none = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
        writeln!(formatter, "owner       {}", or_none(&self.owner))?;
        writeln!(formatter, "hash        {:#x} ({})", self.hash, self.key_hasher)?;
        writeln!(formatter, "position    {} on {}", self.position, self.scheme)?;
        match self.point {
            Some(point) => writeln!(formatter, "point       {point} of {}", or_none(&self.point_node))?,
            None => writeln!(formatter, "point       none")?,
        }
        writeln!(formatter, "next        {}", list(&self.next))?;
        writeln!(formatter, "ejected     {}", list(&self.ejected))?;
        write!(formatter, "topology    revision {}, fingerprint {:016x}", self.revision, self.fingerprint)
    }
}
