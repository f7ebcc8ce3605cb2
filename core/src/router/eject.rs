//! Taking nodes out of the ring and putting them back.

use std::sync::Arc;

use super::Router;
use super::vitals::Vitals;
use crate::error::{Error, Result};
use crate::snapshot::Snapshot;

impl Router {
    /// Takes a node's keys away by hand, until [`revive`](Self::revive): they go to the next nodes, no other key
    /// moves. `false` when it was so already; `UnknownNode` for an id that is not declared.
    ///
    /// What failure accrual holds against a node is kept apart: a revival by hand does not make a dead node
    /// live.
    pub fn eject(&self, id: &str) -> Result<bool> {
        self.set_by_hand(id, true)
    }

    /// Gives back what [`eject`](Self::eject) took. `false` when nothing was taken; `UnknownNode` for an id that
    /// is not declared.
    pub fn revive(&self, id: &str) -> Result<bool> {
        self.set_by_hand(id, false)
    }

    fn set_by_hand(&self, id: &str, ejected: bool) -> Result<bool> {
        let mut vitals = self.writer.lock();
        let snapshot = self.snapshot();
        let node = snapshot.index_of(id).ok_or_else(|| Error::unknown_node(id))?;
        let changed = vitals.set_by_hand(node, ejected);
        self.remask(&snapshot, &vitals, [node]);
        Ok(changed)
    }

    /// Brings the mask of the snapshot in force in line with the vitals of `nodes`. The caller holds the lock.
    pub(super) fn remask(&self, snapshot: &Arc<Snapshot>, vitals: &Vitals, nodes: impl IntoIterator<Item = u32>) {
        let mut mask = snapshot.ejected_mask().clone();
        let (mut ejections, mut revivals) = (0, 0);
        for node in nodes {
            let ejected = vitals.is_ejected(node, snapshot.topology());
            match (mask.set(node, ejected), ejected) {
                (true, true) => ejections += 1,
                (true, false) => revivals += 1,
                (false, _) => {}
            }
        }
        if ejections + revivals == 0 {
            return;
        }
        let next = Snapshot::new(Arc::clone(snapshot.compiled()), mask, snapshot.revision());
        self.current.store(Arc::new(next));
        self.counters.ejections.add(ejections);
        self.counters.revivals.add(revivals);
        self.counters.redistributes.add(ejections + revivals);
    }
}
