//! `slots-v1`: 2^k slots, each given to a node by weighted rendezvous. A lookup is one hash and one read.
//!
//! Slot `i` stands at the position `mix64((i + 1) * gamma)`, and belongs to the node with the best score for it (see
//! `score`). The slot of a key is the top `k` bits of its position. With `balance` no node has more slots than that
//! factor of its exact share: slots ask nodes in the order of their scores, a node that is asked for more than it may
//! have keeps those for which its own hash is greatest, and the others ask on. What comes out does not depend on the
//! order of asking (Gale, Shapley, 1962).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::NOBODY;
use super::score::Scores;
use crate::hash::{SPLITMIX_GAMMA, mix64};

/// The owners of the slots, in as few bytes as the number of nodes allows.
#[derive(Debug)]
enum Owners {
    Narrow(Box<[u16]>),
    Wide(Box<[u32]>),
}

/// A slot table. Immutable.
#[derive(Debug)]
pub(crate) struct Slots {
    owners: Owners,
    /// How far a position is moved right to give its slot.
    shift: u32,
    scores: Scores,
}

/// The position of a slot.
fn position(slot: usize) -> u64 {
    mix64(SPLITMIX_GAMMA.wrapping_mul(slot as u64 + 1))
}

impl Slots {
    /// A table of `n_slots`, a power of two from 2 on. `balance` is in thousandths.
    pub(crate) fn new(scores: Scores, n_slots: u32, balance: Option<u32>) -> Self {
        let owners: Vec<u32> = match balance {
            None => (0..n_slots as usize).map(|slot| scores.best(position(slot), |_| true)).collect(),
            Some(balance) => balanced(&scores, n_slots as usize, balance),
        };
        let narrow = scores.n_nodes() < usize::from(u16::MAX);
        let owners = if narrow {
            // Nobody is the greatest number of either width.
            Owners::Narrow(owners.into_iter().map(|node| node as u16).collect())
        } else {
            Owners::Wide(owners.into_boxed_slice())
        };
        Self { owners, shift: 64 - n_slots.trailing_zeros(), scores }
    }

    /// The slot of a position.
    #[inline]
    pub(crate) fn slot(&self, position: u64) -> usize {
        (position >> self.shift) as usize
    }

    /// The owner of a slot, [`NOBODY`] where there is none.
    #[inline]
    pub(crate) fn owner(&self, slot: usize) -> u32 {
        match &self.owners {
            Owners::Narrow(owners) => match owners[slot] {
                u16::MAX => NOBODY,
                node => u32::from(node),
            },
            Owners::Wide(owners) => owners[slot],
        }
    }

    /// The first live node of a slot: its owner, else the next in the order of its scores.
    pub(crate) fn owner_among(&self, slot: usize, live: impl Fn(u32) -> bool) -> u32 {
        let owner = self.owner(slot);
        if owner != NOBODY && live(owner) { owner } else { self.scores.best(position(slot), live) }
    }

    /// Writes the first live nodes of a slot; gives how many.
    pub(crate) fn owners(&self, slot: usize, live: impl Fn(u32) -> bool, out: &mut [u32]) -> usize {
        let owner = self.owner(slot);
        let Some((first, rest)) = out.split_first_mut() else { return 0 };
        if owner == NOBODY || !live(owner) {
            return self.scores.ranked(position(slot), live, out);
        }
        *first = owner;
        1 + self.scores.ranked(position(slot), |node| node != owner && live(node), rest)
    }

    /// The number of slots.
    pub(crate) fn len(&self) -> usize {
        match &self.owners {
            Owners::Narrow(owners) => owners.len(),
            Owners::Wide(owners) => owners.len(),
        }
    }

    pub(crate) fn scores(&self) -> &Scores {
        &self.scores
    }
}

/// A slot and its node's hash for it; the one with the least hash is the greatest, then the one with the greater number.
type Held = Reverse<(u64, Reverse<usize>)>;

/// Gives out slots so that no node has more than `balance` thousandths of its share, and none less than it can have.
fn balanced(scores: &Scores, n_slots: usize, balance: u32) -> Vec<u32> {
    let mut owners = vec![NOBODY; n_slots];
    let total: u128 = scores.weights().map(|(_, weight)| u128::from(weight)).sum();
    if total == 0 {
        return owners;
    }
    let mut caps = vec![0; scores.n_nodes()];
    for (node, weight) in scores.weights() {
        let share = n_slots as u128 * u128::from(weight);
        caps[node as usize] = share.div_ceil(total).max(share * u128::from(balance) / (total * 1_000)) as usize;
    }
    // What a node holds: the slot it likes least on top.
    let mut held: Vec<BinaryHeap<Held>> = caps.iter().map(|_| BinaryHeap::new()).collect();
    let mut refused: Vec<Vec<u32>> = vec![Vec::new(); n_slots];
    let mut free: Vec<usize> = (0..n_slots).rev().collect();
    while let Some(slot) = free.pop() {
        let asks = scores.best_with_hash(position(slot), |node| !refused[slot].contains(&node));
        let Some((node, hash)) = asks else { continue };
        let mine = &mut held[node as usize];
        mine.push(Reverse((hash, Reverse(slot))));
        owners[slot] = node;
        if mine.len() <= caps[node as usize] {
            continue;
        }
        if let Some(Reverse((_, Reverse(worst)))) = mine.pop() {
            owners[worst] = NOBODY;
            refused[worst].push(node);
            free.push(worst);
        }
    }
    owners
}
