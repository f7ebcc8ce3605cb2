//! Where nodes stand: one file a scheme, all of them compiled into the same [`Ring`].

mod finagle;
mod ring;
mod ring_v1;

pub(crate) use finagle::label as finagle_label;
pub(crate) use ring::{NOBODY, Ring};

use crate::hash::mix64;
use crate::topology::{Node, Scheme, Topology};

/// The points a declaration asks for, all nodes together.
pub(crate) fn points_wanted(scheme: Scheme, nodes: &[Node], num_reps: u32, weight_unit: u32) -> u64 {
    match scheme {
        Scheme::RingV1 => {
            nodes.iter().map(|node| ring_v1::points(node.weight, num_reps, weight_unit)).fold(0, u64::saturating_add)
        }
        Scheme::Finagle { old_libmemcached, .. } => {
            let counts = finagle::digests(nodes.iter().map(|node| node.weight), num_reps, old_libmemcached);
            counts.iter().fold(0, |sum: u64, &digests| sum.saturating_add(digests.saturating_mul(4)))
        }
    }
}

/// The ring of the nodes that `live` lets in, with indices into all nodes of the topology.
pub(crate) fn build(topology: &Topology, live: impl Fn(u32) -> bool) -> Ring {
    match topology.scheme() {
        Scheme::RingV1 => ring_v1::build(topology, live),
        Scheme::Finagle { old_libmemcached, .. } => finagle::build(topology, old_libmemcached, live),
    }
}

/// Whether taking a node out can change the points of others, so that a mask is not enough.
pub(crate) fn points_depend_on_others(topology: &Topology) -> bool {
    match topology.scheme() {
        Scheme::RingV1 => false,
        Scheme::Finagle { old_libmemcached, .. } => {
            let mut weights = topology.nodes().iter().map(|node| node.weight);
            let first = weights.next();
            old_libmemcached || weights.any(|weight| Some(weight) != first)
        }
    }
}

/// From a key's hash to a position on the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// The hash as it is.
    Whole,
    /// The hash, spread by a finaliser: some hashers leave the high bits poor.
    Spread,
    /// The low 32 bits, moved to the top so that a ring of 32-bit points is searched like any other.
    Low32,
}

impl Position {
    pub(crate) fn of(topology: &Topology) -> Self {
        match topology.scheme() {
            Scheme::RingV1 if topology.key_hasher().is_uniform() => Self::Whole,
            Scheme::RingV1 => Self::Spread,
            Scheme::Finagle { .. } => Self::Low32,
        }
    }

    #[inline]
    pub(crate) const fn of_key_hash(self, hash: u64) -> u64 {
        match self {
            Self::Whole => hash,
            Self::Spread => mix64(hash),
            Self::Low32 => hash << 32,
        }
    }

    /// The position as people of the scheme write it: 32-bit rings show 32-bit numbers.
    pub(crate) const fn shown(self, position: u64) -> u64 {
        match self {
            Self::Whole | Self::Spread => position,
            Self::Low32 => position >> 32,
        }
    }
}
