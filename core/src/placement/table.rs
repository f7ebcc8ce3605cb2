//! The compiled form of a placement: what a lookup reads.

use super::score::Scores;
use super::slots::Slots;
use super::{Position, Ring};

/// The owner of every key where no node can own one.
pub(crate) const NOBODY: u32 = u32::MAX;

/// What a lookup reads. One variant a kind of lookup, not one a scheme. Immutable.
#[derive(Debug)]
pub(crate) enum Table {
    /// Points on a ring.
    Ring(Ring, Position),
    /// Slots by the top bits of a position.
    Slots(Slots, Position),
    /// The best score of all nodes.
    Scores(Scores, Position),
    /// A list of nodes, entered at a place that the hash gives.
    List(List),
}

impl Table {
    /// The owner, [`NOBODY`] where there is none.
    #[allow(clippy::inline_always, reason = "a call costs a third of what it does")]
    #[inline(always)]
    pub(crate) fn owner(&self, hash: u64) -> u32 {
        match self {
            Self::Ring(ring, position) => ring.owner(ring.find(position.of_key_hash(hash))),
            Self::Slots(slots, position) => slots.owner(slots.slot(position.of_key_hash(hash))),
            Self::Scores(..) | Self::List(_) => self.owner_at_length(hash),
        }
    }

    /// Apart from the lookups that are one read, so that their loops do not take registers from those.
    #[inline(never)]
    fn owner_at_length(&self, hash: u64) -> u32 {
        match self {
            Self::Scores(scores, position) => scores.best(position.of_key_hash(hash), |_| true),
            Self::List(list) => list.entries.get(list.place(hash)).copied().unwrap_or(NOBODY),
            Self::Ring(..) | Self::Slots(..) => NOBODY, // the caller has answered these
        }
    }

    /// The first owner in the order of preference that is `live`, [`NOBODY`] where none is.
    #[cold]
    pub(crate) fn owner_among(&self, hash: u64, live: impl Fn(u32) -> bool) -> u32 {
        match self {
            Self::Ring(ring, position) => {
                let place = ring.find(position.of_key_hash(hash));
                ring.walk(place).find(|&node| live(node)).unwrap_or(NOBODY)
            }
            Self::Slots(slots, position) => slots.owner_among(slots.slot(position.of_key_hash(hash)), live),
            Self::Scores(scores, position) => scores.best(position.of_key_hash(hash), live),
            Self::List(list) => list.walk(hash).find(|&node| live(node)).unwrap_or(NOBODY),
        }
    }

    /// Writes the first distinct `live` owners in the order of preference; gives how many. Allocates nothing with room
    /// for up to [`SHORT`].
    pub(crate) fn owners(&self, hash: u64, live: impl Fn(u32) -> bool, out: &mut [u32]) -> usize {
        match self {
            Self::Ring(ring, position) => {
                let place = ring.find(position.of_key_hash(hash));
                first_distinct(ring.walk(place).filter(|&node| live(node)), ring.n_nodes(), out)
            }
            Self::Slots(slots, position) => slots.owners(slots.slot(position.of_key_hash(hash)), live, out),
            Self::Scores(scores, position) => scores.ranked(position.of_key_hash(hash), live, out),
            Self::List(list) => first_distinct(list.walk(hash).filter(|&node| live(node)), list.n_nodes, out),
        }
    }

    /// The entries of the table: points, slots, or whatever it looks up.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Ring(ring, _) => ring.len(),
            Self::Slots(slots, _) => slots.len(),
            Self::Scores(scores, _) => scores.n_owners(),
            Self::List(list) => list.entries.len(),
        }
    }

    /// Whether a node can own keys.
    pub(crate) fn is_owner(&self, node: u32) -> bool {
        match self {
            Self::Ring(ring, _) => ring.is_owner(node),
            Self::Slots(slots, _) => slots.scores().is_owner(node),
            Self::Scores(scores, _) => scores.is_owner(node),
            Self::List(list) => list.entries.contains(&node),
        }
    }

    /// The nodes that can own keys.
    pub(crate) fn n_owners(&self) -> usize {
        match self {
            Self::Ring(ring, _) => ring.n_owners(),
            Self::Slots(slots, _) => slots.scores().n_owners(),
            Self::Scores(scores, _) => scores.n_owners(),
            Self::List(list) => {
                let mut seen = vec![false; list.n_nodes];
                list.entries.iter().filter(|&&node| !std::mem::replace(&mut seen[node as usize], true)).count()
            }
        }
    }

    /// Where a key with this hash is and which entry takes it, for people.
    pub(crate) fn shown(&self, hash: u64) -> Shown {
        match self {
            Self::Ring(ring, position) => {
                let at = position.of_key_hash(hash);
                let place = (ring.len() > 0).then(|| ring.find(at));
                Shown {
                    position: position.shown(at),
                    point: place.map(|place| position.shown(ring.point(place))),
                    node: place.map(|place| ring.owner(place)),
                }
            }
            Self::Slots(slots, position) => {
                let slot = slots.slot(position.of_key_hash(hash));
                let node = Some(slots.owner(slot)).filter(|&node| node != NOBODY);
                Shown { position: slot as u64, point: None, node }
            }
            Self::Scores(scores, position) => {
                let at = position.of_key_hash(hash);
                let node = Some(scores.best(at, |_| true)).filter(|&node| node != NOBODY);
                Shown { position: at, point: None, node }
            }
            Self::List(list) => {
                let place = list.place(hash);
                Shown { position: place as u64, point: None, node: list.entries.get(place).copied() }
            }
        }
    }
}

/// How a hash gives a place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Its low 32 bits modulo the length.
    Modulo32,
    /// The hash modulo the length.
    Modulo,
    /// Jump consistent hash. Source: Lamping, Veach, "A fast, minimal memory, consistent hash algorithm" (2014).
    Jump,
}

/// Nodes in a list; one may stand in it more than once.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) entries: Box<[u32]>,
    pub(crate) entry: Entry,
    /// The nodes of the topology, in the list or not.
    pub(crate) n_nodes: usize,
}

impl List {
    /// The place of a hash; 0 in an empty list.
    fn place(&self, hash: u64) -> usize {
        let len = (self.entries.len() as u64).max(1);
        match self.entry {
            Entry::Modulo32 => ((hash & 0xffff_ffff) % len) as usize,
            Entry::Modulo => (hash % len) as usize,
            Entry::Jump => jump(hash, len) as usize,
        }
    }

    /// The entries from the place of a hash on, once around.
    fn walk(&self, hash: u64) -> impl Iterator<Item = u32> + '_ {
        let (before, from) = self.entries.split_at(self.place(hash));
        from.iter().chain(before).copied()
    }
}

/// The bucket of a hash among `buckets`, as published: the division is one IEEE 754 operation.
fn jump(mut hash: u64, buckets: u64) -> u64 {
    let (mut bucket, mut next) = (0_u64, 0_u64);
    while next < buckets {
        bucket = next;
        hash = hash.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        next = ((bucket + 1) as f64 * (2_147_483_648.0 / ((hash >> 33) + 1) as f64)) as u64;
    }
    bucket
}

/// What [`Table::shown`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The position, slot or bucket of the key.
    pub(crate) position: u64,
    /// The entry that takes it, where entries have positions of their own.
    pub(crate) point: Option<u64>,
    /// The node that has this entry, ejected or not.
    pub(crate) node: Option<u32>,
}

/// Up to so many owners, repeats are found by looking through those already found.
const SHORT: usize = 32;

/// Writes the first distinct nodes of `walk`, of `n_nodes` in all; gives how many.
fn first_distinct(walk: impl Iterator<Item = u32>, n_nodes: usize, out: &mut [u32]) -> usize {
    let mut seen = if out.len() > SHORT { vec![false; n_nodes] } else { Vec::new() };
    let mut n = 0;
    for node in walk {
        if n == out.len() {
            break;
        }
        if seen.get(node as usize).copied().unwrap_or_else(|| out[..n].contains(&node)) {
            continue;
        }
        out[n] = node;
        n += 1;
        if let Some(seen) = seen.get_mut(node as usize) {
            *seen = true;
        }
    }
    n
}
