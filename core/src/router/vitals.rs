//! What is known of each node's health, and the calls that bring news of it.

use std::sync::atomic::Ordering;

use super::Router;
use crate::error::{Error, Result};
use crate::hash::mix64;
use crate::health::{Admission, Change, Event, NodeHealth, Outcome};
use crate::snapshot::{Mask, Snapshot};
use crate::topology::{Node, Topology};
use xxhash_rust::xxh3::xxh3_64;

/// The health of every node of the topology in force, under the router's lock.
#[derive(Debug)]
pub(super) struct Vitals {
    health: Vec<NodeHealth>,
    by_hand: Mask,
    /// Nodes that are not clean.
    suspects: usize,
    /// Changes that [`Router::admit`] made and no one has been told of yet.
    untold: Vec<Event>,
}

impl Vitals {
    pub(super) fn new(n_nodes: usize) -> Self {
        Self {
            health: vec![NodeHealth::default(); n_nodes],
            by_hand: Mask::none(n_nodes),
            suspects: 0,
            untold: Vec::new(),
        }
    }

    /// What is known of the nodes of `new` that were in `old` too.
    pub(super) fn carried(&self, old: &Topology, new: &Topology) -> Self {
        let mut carried = Self::new(new.nodes().len());
        for (index, node) in new.nodes().iter().enumerate() {
            if let Some(before) = old.index_of(&node.id) {
                carried.health[index] = self.health[before as usize];
                carried.by_hand.set(index as u32, self.by_hand.contains(before));
            }
        }
        carried.suspects = carried.health.iter().filter(|health| !health.is_clean()).count();
        carried.untold.clone_from(&self.untold);
        carried
    }

    pub(super) fn all_clean(&self) -> bool {
        self.suspects == 0
    }

    pub(super) fn set_by_hand(&mut self, node: u32, ejected: bool) -> bool {
        self.by_hand.set(node, ejected)
    }

    pub(super) fn is_ejected(&self, node: u32, topology: &Topology) -> bool {
        let dead = self.health.get(node as usize).is_some_and(NodeHealth::is_dead);
        self.by_hand.contains(node) || (dead && topology.eject_failed_host())
    }

    /// All nodes that are ejected under `topology`.
    pub(super) fn mask(&self, topology: &Topology) -> Mask {
        let n_nodes = topology.nodes().len();
        let mut mask = Mask::none(n_nodes);
        for node in 0..n_nodes as u32 {
            mask.set(node, self.is_ejected(node, topology));
        }
        mask
    }

    /// Changes the health of one node and keeps count of the suspects.
    fn update<T>(&mut self, node: u32, change: impl FnOnce(&mut NodeHealth) -> T) -> T {
        let health = &mut self.health[node as usize];
        let was_clean = health.is_clean();
        let answer = change(health);
        match (was_clean, health.is_clean()) {
            (true, false) => self.suspects += 1,
            (false, true) => self.suspects -= 1,
            _ => {}
        }
        answer
    }
}

fn event(node: &Node, change: Change) -> Event {
    Event { kind: change.kind, node: node.id.clone(), at_ms: change.at_ms, until_ms: change.until_ms }
}

fn known(snapshot: &Snapshot, id: &str) -> Result<u32> {
    snapshot.index_of(id).ok_or_else(|| Error::unknown_node(id))
}

impl Router {
    /// Takes the outcome of a request to node `id` that was sent at `sent_ms` and ended at `now_ms`, both in ms
    /// of one clock of the caller's. Gives the change that it made, if any. `UnknownNode` for an id that is not
    /// declared, as after its node left.
    ///
    /// A success takes no lock while nothing is held against any node.
    pub fn report(&self, id: &str, outcome: Outcome, sent_ms: u64, now_ms: u64) -> Result<Option<Event>> {
        if outcome != Outcome::Failure && self.all_clean.load(Ordering::Acquire) {
            return known(&self.snapshot(), id).map(|_| None);
        }
        let mut vitals = self.writer.lock();
        let snapshot = self.snapshot();
        let index = known(&snapshot, id)?;
        let policy = snapshot.topology().failure_accrual();
        let random = mix64(self.seed ^ xxh3_64(id.as_bytes()));
        let change = vitals.update(index, |health| health.report(&policy, outcome, sent_ms, now_ms, random));
        self.note_cleanliness(&vitals);
        self.remask(&snapshot, &vitals, [index]);
        Ok(change.and_then(|change| snapshot.node(index).map(|node| event(node, change))))
    }

    /// Asks whether a request may go to node `id` now. To be asked before each send; who got
    /// [`Probe`](Admission::Probe) must report how it went. `UnknownNode` for an id that is not declared.
    ///
    /// Takes no lock while nothing is held against any node.
    pub fn admit(&self, id: &str, now_ms: u64) -> Result<Admission> {
        if self.all_clean.load(Ordering::Acquire) {
            return known(&self.snapshot(), id).map(|_| Admission::Send);
        }
        let mut vitals = self.writer.lock();
        let snapshot = self.snapshot();
        let index = known(&snapshot, id)?;
        let policy = snapshot.topology().failure_accrual();
        let (change, admission) = vitals.update(index, |health| (health.tick(&policy, now_ms), health.admit(now_ms)));
        if let (Some(change), Some(node)) = (change, snapshot.node(index)) {
            vitals.untold.push(event(node, change));
        }
        self.remask(&snapshot, &vitals, [index]);
        Ok(admission)
    }

    /// Lets time pass: nodes whose time is up become probing and, with `eject_failed_host`, get their keys back.
    /// Gives what changed since the last tick, apart from what [`report`](Self::report) told its callers.
    pub fn tick(&self, now_ms: u64) -> Vec<Event> {
        if self.all_clean.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut vitals = self.writer.lock();
        let snapshot = self.snapshot();
        let policy = snapshot.topology().failure_accrual();
        let mut events = std::mem::take(&mut vitals.untold);
        let mut changed = Vec::new();
        for (index, node) in snapshot.nodes().iter().enumerate() {
            if let Some(change) = vitals.update(index as u32, |health| health.tick(&policy, now_ms)) {
                changed.push(index as u32);
                events.push(event(node, change));
            }
        }
        self.remask(&snapshot, &vitals, changed);
        events
    }

    /// The next time at which [`tick`](Self::tick) has something to do, `None` while nothing waits.
    #[must_use]
    pub fn next_tick_ms(&self) -> Option<u64> {
        if self.all_clean.load(Ordering::Acquire) {
            return None;
        }
        let vitals = self.writer.lock();
        let policy = self.snapshot().topology().failure_accrual();
        vitals.health.iter().filter_map(|health| health.next_tick_ms(&policy)).min()
    }
}
