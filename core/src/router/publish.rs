//! Putting a new topology in force.

use std::sync::Arc;

use super::Router;
use crate::error::{Error, ErrorCode, Result};
use crate::snapshot::{Compiled, Snapshot};
use crate::topology::Topology;

/// What became of a published topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Publish {
    /// It is in force.
    Published = 0,
    /// It is the one in force already; nothing was rebuilt.
    Unchanged = 1,
    /// It has no nodes, or declares partitions that no instance serves: the old one stays in force, since a
    /// discovery glitch must not lose traffic.
    KeptOld = 2,
}

impl Publish {
    /// The name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Unchanged => "unchanged",
            Self::KeptOld => "kept_old",
        }
    }
}

impl Router {
    /// Puts `topology` in force: at once, whole, for every call that begins after this one returns. Compiling
    /// takes time, which no reader waits for.
    ///
    /// A topology with a revision must not be older than the one in force (`StaleRevision`), nor have the same
    /// revision and other content (`RevisionConflict`). One without a revision gets the next number. The same
    /// content again is [`Unchanged`](Publish::Unchanged), unless its revision is newer.
    pub fn publish(&self, topology: Topology) -> Result<Publish> {
        let snapshot = self.snapshot();
        let step = next_step(&snapshot, &topology)?;
        // Compiled before the lock is taken, so that reports do not wait for it.
        let compiled = match step {
            Step::Compile => Some(Arc::new(Compiled::new(topology.clone()))),
            Step::Keep | Step::Relabel => None,
        };
        let mut vitals = self.writer.lock();
        let now = self.snapshot();
        match (next_step(&now, &topology)?, compiled) {
            (Step::Keep, _) => Ok(Publish::Unchanged),
            (Step::Relabel, _) => {
                let revision = topology.revision().unwrap_or(now.revision());
                let relabelled = Snapshot::new(Arc::clone(now.compiled()), now.ejected_mask().clone(), revision);
                self.current.store(Arc::new(relabelled));
                self.counters.snap_updates.add(1);
                Ok(Publish::Published)
            }
            (Step::Compile, compiled) => {
                let compiled = compiled.unwrap_or_else(|| Arc::new(Compiled::new(topology)));
                if would_lose_traffic(&now, &compiled) {
                    self.counters.update_failures.add(1);
                    return Ok(Publish::KeptOld);
                }
                let topology = compiled.topology();
                let carried = vitals.carried(now.topology(), topology);
                let mask = carried.mask(topology);
                let revision = topology.revision().unwrap_or(now.revision() + 1);
                let joins = joined(now.topology(), topology);
                let leaves = joined(topology, now.topology());
                let partitions_changed = compiled.partitions() != now.partitions();
                let next = Snapshot::new(Arc::clone(&compiled), mask, revision);
                *vitals = carried;
                self.note_cleanliness(&vitals);
                self.current.store(Arc::new(next));
                self.counters.redistributes.add(1);
                self.counters.snap_updates.add(1);
                self.counters.joins.add(joins);
                self.counters.leaves.add(leaves);
                self.counters.partition_updates.add(u64::from(partitions_changed));
                Ok(Publish::Published)
            }
        }
    }
}

/// What a topology asks for, seen from the one in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Nothing: it is in force.
    Keep,
    /// The same content under a newer revision.
    Relabel,
    /// Other content.
    Compile,
}

fn next_step(current: &Snapshot, topology: &Topology) -> Result<Step> {
    let same = current.fingerprint() == topology.fingerprint();
    let Some(revision) = topology.revision() else {
        return Ok(if same { Step::Keep } else { Step::Compile });
    };
    let in_force = current.revision();
    if revision < in_force {
        return Err(Error::new(
            ErrorCode::StaleRevision,
            "revision",
            format!("revision: {revision} is older than {in_force}, which is in force"),
        ));
    }
    match (same, revision == in_force) {
        (true, true) => Ok(Step::Keep),
        (true, false) => Ok(Step::Relabel),
        (false, false) => Ok(Step::Compile),
        (false, true) => Err(Error::new(
            ErrorCode::RevisionConflict,
            "revision",
            format!(
                "revision: {revision} is in force with fingerprint {:016x}; this topology has {:016x} and needs a \
                 higher revision",
                current.fingerprint(),
                topology.fingerprint()
            ),
        )),
    }
}

fn would_lose_traffic(current: &Snapshot, new: &Compiled) -> bool {
    let topology = new.topology();
    let no_nodes = topology.nodes().is_empty() && !current.nodes().is_empty();
    let no_partitions =
        topology.partitions().is_some() && new.partitions().is_empty() && !current.partitions().is_empty();
    no_nodes || no_partitions
}

/// The nodes of `new` that are not in `old`.
fn joined(old: &Topology, new: &Topology) -> u64 {
    new.nodes().iter().filter(|node| old.index_of(&node.id).is_none()).count() as u64
}
