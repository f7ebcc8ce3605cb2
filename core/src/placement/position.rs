//! Where a key stands.

use crate::hash::mix64;

/// From a key's hash to a position on the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// The hash as it is.
    Whole,
    /// The hash, spread by a finaliser: some hashers leave the high bits poor.
    Spread,
    /// The low 32 bits, moved to the top so that a ring of 32-bit points is searched like any other.
    Low32,
    /// As [`Low32`](Self::Low32), but a point that is met exactly is passed over.
    AboveLow32,
}

impl Position {
    #[inline]
    pub(crate) const fn of_key_hash(self, hash: u64) -> u64 {
        match self {
            Self::Whole => hash,
            Self::Spread => mix64(hash),
            Self::Low32 => hash << 32,
            // One more; behind the greatest comes the lowest point, which is the way around.
            Self::AboveLow32 => (hash as u32).wrapping_add(1) as u64 * (1 << 32),
        }
    }

    /// The position as people of the scheme write it: 32-bit rings show 32-bit numbers.
    pub(crate) const fn shown(self, position: u64) -> u64 {
        match self {
            Self::Whole | Self::Spread => position,
            Self::Low32 | Self::AboveLow32 => position >> 32,
        }
    }
}
