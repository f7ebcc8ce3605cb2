//! What one would write by hand in an afternoon, with the same hash as `ring-v1`: sorted points,
//! `partition_point`, and a `HashMap` from node to its keys.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::inputs::{self, Key};

/// Sorted points, each with its node.
pub struct SortedRing {
    points: Vec<(u64, u32)>,
}

impl SortedRing {
    /// A ring of `nodes` nodes with [`inputs::POINTS`] points each.
    pub fn new(nodes: usize) -> Self {
        let mut points = Vec::with_capacity(nodes * inputs::POINTS as usize);
        for node in 0..nodes {
            for point in 0..inputs::POINTS {
                let name = format!("{}-{point}", inputs::id(node));
                points.push((xxh3_64(name.as_bytes()), node as u32));
            }
        }
        points.sort_unstable();
        Self { points }
    }

    /// The node of a key: the owner of the first point not below its hash.
    #[inline]
    pub fn owner(&self, key: &[u8]) -> u32 {
        let hash = xxh3_64(key);
        let at = self.points.partition_point(|&(point, _)| point < hash);
        let (_, node) = self.points[if at == self.points.len() { 0 } else { at }];
        node
    }

    /// The positions of the keys of each node, in a map.
    pub fn group_map(&self, keys: &[Key]) -> HashMap<u32, Vec<u32>> {
        let mut groups: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, key) in keys.iter().enumerate() {
            groups.entry(self.owner(key)).or_default().push(at as u32);
        }
        groups
    }

    /// The same with a vector of vectors: a node's number is its place, nothing is hashed twice.
    pub fn group_vec(&self, keys: &[Key], nodes: usize) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); nodes];
        for (at, key) in keys.iter().enumerate() {
            groups[self.owner(key) as usize].push(at as u32);
        }
        groups
    }
}
