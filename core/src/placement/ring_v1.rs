//! `ring-v1`: the native ring.
//!
//! A node's points depend on its id and its weight only. With `s` = xxh3-64 of the id's bytes, point `i`
//! (0, 1, 2, ...) is number `i` of the `SplitMix64` stream of seed `s`: `mix64(s + (i + 1) * gamma)`. A node has
//! `num_reps * weight / weight_unit` points, rounded half up and at least one; none at weight 0. So raising a
//! weight adds points and removes none, and nothing ever moves between other nodes. Where two nodes share a
//! point, the id that is less in byte order owns it.

use super::Ring;
use crate::hash::{SPLITMIX_GAMMA, mix64};
use crate::topology::Topology;
use xxhash_rust::xxh3::xxh3_64;

/// The points of a node.
pub(super) fn points(weight: u32, num_reps: u32, weight_unit: u32) -> u64 {
    if weight == 0 {
        return 0;
    }
    let (unit, wanted) = (u64::from(weight_unit), u64::from(num_reps) * u64::from(weight));
    ((2 * wanted + unit) / (2 * unit)).max(1)
}

pub(super) fn build(topology: &Topology, live: impl Fn(u32) -> bool) -> Ring {
    let nodes = topology.nodes();
    let mut points = Vec::new();
    for &index in topology.by_id() {
        if !live(index) {
            continue;
        }
        let node = &nodes[index as usize];
        let mut state = xxh3_64(node.id.as_bytes());
        let count = self::points(node.weight, topology.num_reps(), topology.weight_unit());
        points.extend((0..count).map(|_| {
            state = state.wrapping_add(SPLITMIX_GAMMA);
            (mix64(state), index)
        }));
    }
    Ring::new(&points, nodes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_counts_round_half_up_and_never_to_nothing() {
        assert_eq!(points(0, 160, 1), 0);
        assert_eq!(points(1, 160, 1), 160);
        assert_eq!(points(150, 160, 100), 240);
        assert_eq!(points(1, 160, 1_000_000), 1);
        assert_eq!(points(1, 1, 2), 1);
        assert_eq!(points(3, 1, 2), 2);
        assert_eq!(points(1_000_000_000, 65_536, 1), 65_536_000_000_000);
    }

    #[test]
    fn point_counts_never_fall_as_the_weight_rises() {
        for unit in [1, 3, 7, 100] {
            let counts: Vec<u64> = (0..500).map(|weight| points(weight, 5, unit)).collect();
            assert!(counts.is_sorted(), "{unit}");
        }
    }
}
