//! A compiled ring: sorted points, their owners, and an index by the top bits of a position.
//!
//! A lookup takes the first point that is not below the position, else the lowest. Positions are uniform, so
//! the top bits lead straight to the few points of their bucket. Where they are not (a poor key hasher under
//! a compatibility profile, or keys chosen to collide) a bucket is long and is searched by halves, so no input
//! makes a lookup linear.

use super::NOBODY;

/// How many points are compared at once, and how many spare ones end the list so that this needs no check.
const STRIDE: usize = 4;
/// The index grows with the points up to this many buckets (16 MiB of index).
const MAX_BUCKETS: usize = 1 << 22;

/// Marks a bucket that is searched by halves. Places are below it: see `MAX_POINTS`.
const CROWDED: u32 = 1 << 31;

/// A point and its owner, side by side so that one cache line answers for both.
type Point = (u64, u32);

/// Sorted points and what owns them. Immutable.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Ascending, then [`STRIDE`] spare ones at the greatest position, which belong to the owner of
    /// the lowest: that is the way around.
    points: Vec<Point>,
    /// For each bucket the place of its first point, then the number of points. A bucket of more
    /// than [`STRIDE`] points has the bit [`CROWDED`] too.
    index: Vec<u32>,
    /// How far a position is moved right to give its bucket.
    shift: u32,
    /// The number of points.
    len: usize,
    /// Points of each node.
    counts: Vec<u32>,
    /// Nodes that have points.
    n_owners: usize,
}

impl Ring {
    /// Sorts `points` of `(position, owner)` for a topology of `n_nodes` nodes.
    ///
    /// Where positions are equal the earlier of the list comes first and so owns the position; the
    /// later ones are kept, for when its owner is ejected.
    pub(crate) fn new(points: &[Point], n_nodes: usize) -> Self {
        let len = points.len();
        let buckets = len.next_power_of_two().clamp(2, MAX_BUCKETS);
        let shift = 64 - buckets.trailing_zeros();
        let bucket = |position: u64| (position >> shift) as usize;

        let mut index = vec![0_u32; buckets + 1];
        let mut counts = vec![0_u32; n_nodes];
        for &(position, owner) in points {
            index[bucket(position)] += 1;
            counts[owner as usize] += 1;
        }
        let mut sum = 0;
        for place in &mut index {
            sum += std::mem::replace(place, sum);
        }
        let mut sorted = vec![(u64::MAX, NOBODY); len + STRIDE];
        for &point in points {
            let place = &mut index[bucket(point.0)];
            sorted[*place as usize] = point;
            *place += 1;
        }
        // Every place has moved on to the next bucket's first: move them back.
        index.copy_within(..buckets, 1);
        index[0] = 0;
        let mut first = 0;
        for bucket in 0..buckets {
            let end = index[bucket + 1] as usize;
            if end - first > 1 {
                // Stable, so that the order of equal positions stays that of the list.
                sorted[first..end].sort_by_key(|&(position, _)| position);
            }
            if end - first > STRIDE {
                index[bucket] |= CROWDED;
            }
            first = end;
        }
        let lowest = sorted[0].1;
        sorted[len..].fill((u64::MAX, lowest));
        let n_owners = counts.iter().filter(|&&points| points > 0).count();
        Self { points: sorted, index, shift, len, counts, n_owners }
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether a node has points.
    pub(crate) fn is_owner(&self, node: u32) -> bool {
        self.counts.get(node as usize).is_some_and(|&points| points > 0)
    }

    /// The number of nodes, with points or without.
    pub(crate) fn n_nodes(&self) -> usize {
        self.counts.len()
    }

    /// The number of nodes that have points.
    pub(crate) fn n_owners(&self) -> usize {
        self.n_owners
    }

    /// The point at `place`; the lowest for the place behind the last.
    pub(crate) fn point(&self, place: usize) -> u64 {
        self.points[if place == self.len { 0 } else { place }].0
    }

    /// The owner of the point at `place`, [`NOBODY`] on a ring without points.
    #[inline]
    pub(crate) fn owner(&self, place: usize) -> u32 {
        self.points[place].1
    }

    /// The place of the first point not below `position`, the number of points where there is none:
    /// what [`owner`](Self::owner) and [`point`](Self::point) say of that place is the way around.
    #[allow(clippy::inline_always, reason = "a call costs a third of what it does")]
    #[inline(always)]
    pub(crate) fn find(&self, position: u64) -> usize {
        let bucket = (position >> self.shift) as usize;
        let entry = self.index[bucket];
        if entry & CROWDED != 0 {
            return self.find_by_halves(bucket, position);
        }
        // Points behind the bucket are above the position, so comparing them too changes nothing.
        let first = entry as usize;
        let stride = &self.points[first..first + STRIDE];
        first + stride.iter().map(|point| usize::from(point.0 < position)).sum::<usize>()
    }

    #[cold]
    fn find_by_halves(&self, bucket: usize, position: u64) -> usize {
        let place = |entry: u32| (entry & !CROWDED) as usize;
        let (first, end) = (place(self.index[bucket]), place(self.index[bucket + 1]));
        first + self.points[first..end].partition_point(|point| point.0 < position)
    }

    /// The owners from `place` on, once around the ring.
    pub(crate) fn walk(&self, place: usize) -> impl Iterator<Item = u32> + '_ {
        let points = &self.points[..self.len];
        points[place..].iter().chain(&points[..place]).map(|point| point.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(points: &[(u64, u32)], position: u64) -> u32 {
        let mut sorted = points.to_vec();
        sorted.sort_by_key(|&(point, _)| point);
        let place = sorted.partition_point(|&(point, _)| point < position);
        sorted[place % sorted.len()].1
    }

    fn owner(ring: &Ring, position: u64) -> u32 {
        ring.owner(ring.find(position))
    }

    #[test]
    fn a_position_on_a_point_belongs_to_it_and_the_end_wraps() {
        let ring = Ring::new(&[(10, 0), (20, 1), (u64::MAX, 2)], 3);
        assert_eq!([0, 10, 11, 20, 21].map(|position| owner(&ring, position)), [0, 0, 1, 1, 2]);
        assert_eq!(owner(&ring, u64::MAX), 2);
        let ring = Ring::new(&[(10, 0), (20, 1)], 2);
        assert_eq!(owner(&ring, u64::MAX), 0);
    }

    #[test]
    fn the_earlier_of_equal_points_owns_and_the_later_follows() {
        let ring = Ring::new(&[(7, 3), (7, 1), (7, 2)], 4);
        assert_eq!(ring.walk(ring.find(5)).collect::<Vec<_>>(), [3, 1, 2]);
    }

    #[test]
    fn a_ring_of_the_greatest_point_only() {
        let ring = Ring::new(&[(u64::MAX, 0), (u64::MAX, 1)], 2);
        assert_eq!(owner(&ring, u64::MAX), 0);
        assert_eq!(owner(&ring, 0), 0);
    }

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(
            points in prop::collection::vec((any::<u64>(), 0_u32..9), 1..200),
            positions in prop::collection::vec(any::<u64>(), 1..50),
        ) {
            let ring = Ring::new(&points, 9);
            for position in positions.into_iter().chain(points.iter().map(|point| point.0)) {
                prop_assert_eq!(owner(&ring, position), naive(&points, position));
            }
        }

        #[test]
        fn crowded_buckets_too(
            points in prop::collection::vec((1_u64 << 40..(1 << 40) + 500, 0_u32..9), 1..200),
            position in 1_u64 << 40..(1 << 40) + 600,
        ) {
            let ring = Ring::new(&points, 9);
            prop_assert_eq!(owner(&ring, position), naive(&points, position));
        }
    }
}
