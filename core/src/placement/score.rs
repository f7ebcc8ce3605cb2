//! Weighted rendezvous: which node has the best score for a position. The scheme `rendezvous-v1`, and what the slots of
//! `slots-v1` are given out by.
//!
//! With `s` = xxh3-64 of a node's id, its hash for a position `x` is `h = mix64(x ^ s)`, and its distance is
//! `d = L(h) / weight`, where `L(h)` is `-log2(h / 2^64)` in fixed point. The least distance wins; where distances are
//! equal the greater `h` does, then the id that is less in byte order. So a node's share is exactly its weight's, and
//! what a node does never moves a key between two others. Source: Thaler, Ravishankar, "Using name-based mappings to
//! increase hit rates" (1998); the logarithm by weight: Schindelhauer, Schomaker (2005).
//!
//! Integers only: distances are compared as `L(a) * weight(b) < L(b) * weight(a)` in 128 bits.

use crate::hash::mix64;
use crate::topology::Topology;
use xxhash_rust::xxh3::xxh3_64;

use super::NOBODY;

/// Bits behind the point of a logarithm.
const FRACTION: u32 = 32;
/// Bits of the mantissa that choose an entry of the table.
const TABLE_BITS: u32 = 10;
const TABLE_LEN: usize = 1 << TABLE_BITS;

/// `log2(1 + i / 1024)` in units of 2^-32, rounded down, for i from 0 to 1,024.
static LOG2: [u64; TABLE_LEN + 1] = log2_table();

/// One bit of the result at a time, by squaring: the same integers on every machine.
const fn log2_table() -> [u64; TABLE_LEN + 1] {
    let mut table = [0; TABLE_LEN + 1];
    let mut entry = 0;
    while entry < TABLE_LEN {
        // 1 + entry / 1024 with 62 bits behind the point.
        let mut value = ((TABLE_LEN + entry) as u128) << (62 - TABLE_BITS);
        let mut bits = 0;
        let mut bit = 0;
        while bit < FRACTION {
            value = (value * value) >> 62;
            bits <<= 1;
            if value >> 63 == 1 {
                bits |= 1;
                value >>= 1;
            }
            bit += 1;
        }
        table[entry] = bits;
        entry += 1;
    }
    table[TABLE_LEN] = 1 << FRACTION;
    table
}

/// `-log2(hash / 2^64)` in units of 2^-32, between table entries along a straight line; a hash of 0 counts as 1. Never
/// rises as the hash does.
#[inline]
pub(crate) fn distance(hash: u64) -> u64 {
    let hash = if hash == 0 { 1 } else { hash };
    let zeros = hash.leading_zeros();
    let mantissa = hash << zeros;
    let entry = ((mantissa >> (63 - TABLE_BITS)) as usize) & (TABLE_LEN - 1);
    let rest = (mantissa << (1 + TABLE_BITS)) >> 32;
    let (low, high) = (LOG2[entry], LOG2[entry + 1]);
    let log2 = (u64::from(63 - zeros) << FRACTION) + low + (((high - low) * rest) >> 32);
    (64 << FRACTION) - log2
}

/// A node with its score for one position.
#[derive(Clone, Copy, Debug)]
struct Scored {
    distance: u64,
    weight: u32,
    hash: u64,
    /// Its place in the order of ids.
    rank: u32,
    node: u32,
}

impl Scored {
    fn beats(&self, other: &Self) -> bool {
        let mine = u128::from(self.distance) * u128::from(other.weight);
        let its = u128::from(other.distance) * u128::from(self.weight);
        (mine, other.hash, self.rank) < (its, self.hash, other.rank)
    }
}

#[derive(Clone, Copy, Debug)]
struct Member {
    seed: u64,
    rank: u32,
    node: u32,
}

/// Nodes of one weight: among them the greatest hash wins, and no logarithm is needed.
#[derive(Debug)]
struct Class {
    weight: u32,
    /// In the order of ids, so that the first of equal hashes is the right one.
    members: Vec<Member>,
}

impl Class {
    fn best(&self, position: u64, live: &impl Fn(u32) -> bool) -> Option<Scored> {
        let mut found: Option<(u64, &Member)> = None;
        for member in &self.members {
            let hash = mix64(position ^ member.seed);
            if found.is_none_or(|(best, _)| hash > best) && live(member.node) {
                found = Some((hash, member));
            }
        }
        found.map(|(hash, member)| self.scored(hash, member))
    }

    fn scored(&self, hash: u64, member: &Member) -> Scored {
        Scored { distance: distance(hash), weight: self.weight, hash, rank: member.rank, node: member.node }
    }
}

/// The nodes that can own keys, by weight. Immutable.
#[derive(Debug)]
pub(crate) struct Scores {
    classes: Vec<Class>,
    n_nodes: usize,
    is_owner: Vec<bool>,
}

impl Scores {
    /// The nodes of `topology` that `live` lets in.
    pub(crate) fn new(topology: &Topology, live: impl Fn(u32) -> bool) -> Self {
        let nodes = topology.nodes();
        let mut classes: Vec<Class> = Vec::new();
        let mut places = std::collections::BTreeMap::new();
        let mut is_owner = vec![false; nodes.len()];
        for (rank, &node) in topology.by_id().iter().enumerate() {
            let Node { id, weight } = Node::of(topology, node);
            if weight == 0 || !live(node) {
                continue;
            }
            is_owner[node as usize] = true;
            let place = *places.entry(weight).or_insert_with(|| {
                classes.push(Class { weight, members: Vec::new() });
                classes.len() - 1
            });
            let member = Member { seed: xxh3_64(id.as_bytes()), rank: rank as u32, node };
            if let Some(class) = classes.get_mut(place) {
                class.members.push(member);
            }
        }
        Self { classes, n_nodes: nodes.len(), is_owner }
    }

    /// The owner of a position, [`NOBODY`] where there is none.
    pub(crate) fn best(&self, position: u64, live: impl Fn(u32) -> bool) -> u32 {
        self.best_with_hash(position, live).map_or(NOBODY, |(node, _)| node)
    }

    /// The owner of a position and the owner's hash for it.
    pub(crate) fn best_with_hash(&self, position: u64, live: impl Fn(u32) -> bool) -> Option<(u32, u64)> {
        let mut found: Option<Scored> = None;
        for scored in self.classes.iter().filter_map(|class| class.best(position, &live)) {
            if found.is_none_or(|best| scored.beats(&best)) {
                found = Some(scored);
            }
        }
        found.map(|scored| (scored.node, scored.hash))
    }

    /// Writes the first live nodes of a position in their order; gives how many.
    pub(crate) fn ranked(&self, position: u64, live: impl Fn(u32) -> bool, out: &mut [u32]) -> usize {
        let mut n = 0;
        // Each next one is the best of those not taken yet: no memory beside the answer's own.
        while n < out.len() {
            let taken = &out[..n];
            let next = self.best(position, |node| live(node) && !taken.contains(&node));
            if next == NOBODY {
                break;
            }
            out[n] = next;
            n += 1;
        }
        n
    }

    /// The weights of all nodes that can own keys, each with its node.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.classes.iter().flat_map(|class| class.members.iter().map(|member| (member.node, class.weight)))
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    pub(crate) fn n_owners(&self) -> usize {
        self.classes.iter().map(|class| class.members.len()).sum()
    }

    pub(crate) fn is_owner(&self, node: u32) -> bool {
        self.is_owner.get(node as usize).copied().unwrap_or(false)
    }
}

/// What a score is made of.
struct Node<'a> {
    id: &'a str,
    weight: u32,
}

impl<'a> Node<'a> {
    fn of(topology: &'a Topology, node: u32) -> Self {
        let node = &topology.nodes()[node as usize];
        Self { id: &node.id, weight: node.weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_logarithm_at_powers_of_two_is_exact() {
        for exponent in 0..64_u32 {
            assert_eq!(distance(1 << exponent), (64 - exponent as u64) << FRACTION);
        }
        assert_eq!(distance(0), distance(1));
        assert!(distance(u64::MAX) < 8);
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "the test compares with the machine's own logarithm")]
    fn the_logarithm_is_near_the_true_one() {
        for hash in (1..2_000).map(mix64) {
            let exact = 64.0 - (hash as f64).log2();
            let ours = distance(hash) as f64 / 2_f64.powi(32);
            assert!((ours - exact).abs() < 2e-7, "{hash}: {ours} and {exact}");
        }
    }

    proptest! {
        #[test]
        fn the_logarithm_never_rises(a in any::<u64>(), b in any::<u64>(), near in 0_u64..3_000) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(distance(low) >= distance(high));
            prop_assert!(distance(a) >= distance(a.saturating_add(near)));
        }
    }
}
