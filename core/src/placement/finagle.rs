//! The `finagle` profile: twitter/util's `ConsistentHashingDistributor`, bit for bit.
//!
//! A node has `floor(weight / total * nodes * (num_reps / 4) + 1e-10)` digests; digest `i` is MD5 of
//! `label-i`, and each of its four little-endian words is a point. The floating-point steps are single IEEE 754
//! operations in a fixed order, so they are the same on every machine.

use super::Ring;
use crate::hash::md5;
use crate::topology::{Node, Topology};

/// The port that libmemcached leaves out of a label.
const DEFAULT_PORT: u16 = 11_211;

/// What a node's digests are made of: the shard id, else the address, else the id.
pub(crate) fn label(node: &Node) -> String {
    match (node.shard_id, &node.host, node.port) {
        (Some(shard_id), _, _) => shard_id.to_string(),
        (None, Some(host), Some(port)) if port != DEFAULT_PORT => format!("{host}:{port}"),
        (None, Some(host), _) => host.clone(),
        (None, None, _) => node.id.clone(),
    }
}

/// The digests of each node, in their order.
pub(super) fn digests(weights: impl Iterator<Item = u32> + Clone, num_reps: u32, old_libmemcached: bool) -> Vec<u64> {
    let total: u64 = weights.clone().map(u64::from).sum();
    let count = weights.clone().count();
    if total == 0 {
        return vec![0; count];
    }
    weights
        .map(|weight| {
            if old_libmemcached {
                let percent = weight as f32 / total as f32;
                let share = percent * num_reps as f32 / 4.0 * count as f32;
                (f64::from(share) + 1e-10) as u64
            } else {
                let percent = f64::from(weight) / total as f64;
                (percent * count as f64 * f64::from(num_reps / 4) + 1e-10) as u64
            }
        })
        .collect()
}

pub(super) fn build(topology: &Topology, old_libmemcached: bool, live: impl Fn(u32) -> bool) -> Ring {
    let nodes = topology.nodes();
    let members: Vec<u32> = (0..nodes.len() as u32).filter(|&index| live(index)).collect();
    let weights = members.iter().map(|&index| nodes[index as usize].weight);
    let digests = digests(weights, topology.num_reps(), old_libmemcached);
    let mut points = Vec::with_capacity(digests.iter().sum::<u64>() as usize * 4);
    // The last to write a point keeps it there; here the first of a list does.
    for (&index, &digests) in members.iter().zip(&digests).rev() {
        let label = label(&nodes[index as usize]);
        for number in 0..digests {
            let digest = md5(&[label.as_bytes(), b"-", number.to_string().as_bytes()]);
            points.extend(digest.chunks_exact(4).map(|word| {
                let point = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                (u64::from(point) << 32, index)
            }));
        }
    }
    Ring::new(&points, nodes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_give_a_quarter_of_num_reps_whatever_the_number_of_nodes() {
        for count in (1..2_000).chain([65_535, 65_536, 100_000]) {
            for weight in [1, 3, 7, 1_000_000_000] {
                let digests = digests(std::iter::repeat_n(weight, count), 160, false);
                assert_eq!(digests, vec![40; count], "{count} nodes of weight {weight}");
            }
        }
    }

    #[test]
    fn single_precision_is_the_classic_trap_at_25_nodes() {
        assert_eq!(digests(std::iter::repeat_n(1, 25), 160, false)[0], 40);
        let known = [(10, 40), (24, 40), (25, 39), (26, 40), (47, 39), (61, 39)];
        for (count, expected) in known {
            assert_eq!(digests(std::iter::repeat_n(1, count), 160, true)[0], expected, "{count} nodes");
        }
    }

    #[test]
    fn labels() {
        assert_eq!(label(&Node::new("a").at("h", 11_211)), "h");
        assert_eq!(label(&Node::new("a").at("h", 9_090)), "h:9090");
        assert_eq!(label(&Node::new("a").at("h", 9_090).with_shard_id(7)), "7");
        assert_eq!(label(&Node::new("a")), "a");
    }

    #[test]
    fn no_weight_at_all_gives_no_points() {
        assert_eq!(digests([0, 0].into_iter(), 160, false), [0, 0]);
    }
}
