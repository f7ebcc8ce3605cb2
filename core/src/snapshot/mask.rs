//! A set of node indices, one bit each.

/// The ejected nodes of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mask {
    words: Box<[u64]>,
    count: usize,
}

impl Mask {
    /// No node of `n_nodes`.
    pub(crate) fn none(n_nodes: usize) -> Self {
        Self { words: vec![0; n_nodes.div_ceil(64)].into_boxed_slice(), count: 0 }
    }

    #[inline]
    pub(crate) fn contains(&self, node: u32) -> bool {
        self.words.get(node as usize / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Puts a node in or out; gives whether that changed anything.
    pub(crate) fn set(&mut self, node: u32, ejected: bool) -> bool {
        if self.contains(node) == ejected {
            return false;
        }
        let Some(word) = self.words.get_mut(node as usize / 64) else { return false };
        *word ^= 1 << (node % 64);
        if ejected {
            self.count += 1;
        } else {
            self.count -= 1;
        }
        true
    }

    pub(crate) fn any(&self) -> bool {
        self.count > 0
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The nodes, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let ones = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
            ones.take_while(|&rest| rest != 0).map(move |rest| place as u32 * 64 + rest.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_as_a_set(changes in prop::collection::vec((0_u32..200, any::<bool>()), 0..100)) {
            let (mut mask, mut set) = (Mask::none(200), BTreeSet::new());
            for (node, ejected) in changes {
                let changed = if ejected { set.insert(node) } else { set.remove(&node) };
                prop_assert_eq!(mask.set(node, ejected), changed);
            }
            prop_assert_eq!(mask.len(), set.len());
            prop_assert_eq!(mask.any(), !set.is_empty());
            prop_assert_eq!(mask.iter().collect::<Vec<_>>(), set.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_index_beyond_the_nodes_is_never_in() {
        let mut mask = Mask::none(3);
        assert!(!mask.set(64, true));
        assert!(!mask.contains(64));
    }
}
