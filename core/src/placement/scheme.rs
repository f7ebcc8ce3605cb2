//! What each scheme does, chosen by the topology.

use super::score::Scores;
use super::slots::Slots;
use super::{Position, Table, finagle, profile, ring_v1};
use crate::topology::{Node, Scheme, Topology};

/// The points a declaration asks for, all nodes together.
pub(crate) fn points_wanted(scheme: Scheme, nodes: &[Node], num_reps: u32, weight_unit: u32) -> u64 {
    match scheme {
        Scheme::RingV1 => {
            nodes.iter().map(|node| ring_v1::points(node.weight, num_reps, weight_unit)).fold(0, u64::saturating_add)
        }
        Scheme::Profile(profile) => profile::points_wanted(profile, nodes),
        // Their tables have a bound of their own.
        Scheme::SlotsV1 { .. } | Scheme::RendezvousV1 => 0,
        Scheme::Finagle { old_libmemcached, .. } => {
            let counts = finagle::digests(nodes.iter().map(|node| node.weight), num_reps, old_libmemcached);
            counts.iter().fold(0, |sum: u64, &digests| sum.saturating_add(digests.saturating_mul(4)))
        }
    }
}

/// The table of the nodes that `live` lets in, with indices into all nodes of the topology.
pub(crate) fn build(topology: &Topology, live: impl Fn(u32) -> bool) -> Table {
    let native = if topology.key_hasher().is_uniform() { Position::Whole } else { Position::Spread };
    match topology.scheme() {
        Scheme::RingV1 => Table::Ring(ring_v1::build(topology, live), native),
        Scheme::SlotsV1 { slots, balance } => {
            Table::Slots(Slots::new(Scores::new(topology, live), slots, balance), native)
        }
        Scheme::RendezvousV1 => Table::Scores(Scores::new(topology, live), native),
        Scheme::Profile(profile) => profile::build(topology, profile, live),
        Scheme::Finagle { old_libmemcached, .. } => {
            Table::Ring(finagle::build(topology, old_libmemcached, live), Position::Low32)
        }
    }
}

/// Whether taking a node out can change the points of others, so that a mask is not enough.
pub(crate) fn points_depend_on_others(topology: &Topology) -> bool {
    match topology.scheme() {
        Scheme::RingV1 | Scheme::SlotsV1 { .. } | Scheme::RendezvousV1 => false,
        Scheme::Profile(profile) => profile.rebuilds(),
        Scheme::Finagle { old_libmemcached, .. } => {
            let mut weights = topology.nodes().iter().map(|node| node.weight);
            let first = weights.next();
            old_libmemcached || weights.any(|weight| Some(weight) != first)
        }
    }
}
