//! The two crates of the comparison, each set up as its own documentation shows.

use hashring::HashRing;
use pingora_ketama::{Bucket, Continuum};

use crate::inputs;

/// The buckets of `n` nodes for pingora-ketama: weight 1 is 160 points there.
pub fn pingora_buckets(n: usize) -> Vec<Bucket> {
    (0..n).map(|i| Bucket::new(inputs::address(i), 1)).collect()
}

/// A pingora-ketama ring of `n` nodes.
pub fn pingora(n: usize) -> Continuum {
    Continuum::new(&pingora_buckets(n))
}

/// One point of a node: `hashring` has no notion of points, its users add a node several times.
#[derive(Clone, Debug, Hash)]
pub struct VirtualNode {
    id: String,
    point: u32,
    /// The node's number.
    pub node: u32,
}

/// A `hashring` ring of `n` nodes, [`inputs::POINTS`] points each.
pub fn hashring(n: usize) -> HashRing<VirtualNode> {
    let mut ring = HashRing::new();
    let node_points = |node: usize| {
        (0..inputs::POINTS).map(move |point| VirtualNode { id: inputs::id(node), point, node: node as u32 })
    };
    ring.batch_add((0..n).flat_map(node_points).collect());
    ring
}
