//! The closed list of key hashers, by name.

use super::{bytewise, digest, libmemcached};
use crate::error::{Error, Result};

/// A function from the bytes of a key to 64 bits.
///
/// 32-bit families give their result in the low 32 bits. A hash that is not in this list is passed in as
/// data: see [`Snapshot::route_hash`](crate::Snapshot::route_hash).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyHasher {
    /// The first four bytes of MD5, little-endian. Source: libketama; the default of Finagle.
    Ketama,
    /// FNV-1, 32 bits. Source: Fowler, Noll, Vo.
    Fnv1_32,
    /// FNV-1a, 32 bits. Source: Fowler, Noll, Vo.
    Fnv1a32,
    /// FNV-1, 64 bits. Source: Fowler, Noll, Vo.
    Fnv1_64,
    /// FNV-1a, 64 bits. Source: Fowler, Noll, Vo.
    Fnv1a64,
    /// The reflected CRC-32 of ITU-T V.42.
    Crc32Itu,
    /// Jenkins' lookup3 as Finagle computes it: signed bytes, arithmetic shifts in the rotations, both words.
    Jenkins,
    /// Hsieh's `SuperFastHash` as Finagle computes it, over signed bytes.
    Hsieh,
    /// `MurmurHash3` x86 32, with the seed `0xdeadbeef + length` that Finagle uses.
    Murmur3,
    /// `xxHash64`, seed 0. Source: Collet.
    Xxh64,
    /// `XXH3`, 64 bits, seed 0. Source: Collet.
    Xxh3_64,
    /// Jenkins' one-at-a-time over signed bytes: the default of libmemcached.
    OneAtATime,
    /// Fifteen bits of CRC-32: `CRC` of libmemcached, `crc32` of twemproxy.
    LibmemcachedCrc,
    /// FNV-1, 32 bits, over signed bytes, as libmemcached and twemproxy have it on x86.
    LibmemcachedFnv1_32,
    /// FNV-1a, 32 bits, over signed bytes, as libmemcached and twemproxy have it on x86.
    LibmemcachedFnv1a32,
    /// FNV-1 in 64 bits, cut to 32, over signed bytes, as libmemcached and twemproxy have it on x86.
    LibmemcachedFnv1_64,
    /// What libmemcached and twemproxy call FNV-1a in 64 bits: computed in 32, over signed bytes.
    LibmemcachedFnv1a64,
    /// `MurmurHash2` with the seed `0xdeadbeef * length`, as libmemcached and twemproxy have it.
    LibmemcachedMurmur,
    /// `MurmurHash3` x86 32 with the seed `0xdeadbeef * length`, as libmemcached has it.
    LibmemcachedMurmur3,
    /// Jenkins' lookup3 with the initial value 13, as libmemcached and twemproxy have it.
    LibmemcachedJenkins,
    /// Hsieh's `SuperFastHash` from a start of 0, as twemproxy has it on x86.
    LibmemcachedHsieh,
    /// twemproxy's CRC-16, whose register is never cut to 16 bits.
    TwemproxyCrc16,
    /// `MurmurHash2` with Kafka's seed and the highest bit cleared, as its default partitioner has it.
    KafkaMurmur2,
    /// The first eight bytes of SHA-256, big-endian.
    Sha256_64,
}

impl KeyHasher {
    /// Every hasher.
    pub const ALL: [Self; 24] = [
        Self::Ketama,
        Self::Fnv1_32,
        Self::Fnv1a32,
        Self::Fnv1_64,
        Self::Fnv1a64,
        Self::Crc32Itu,
        Self::Jenkins,
        Self::Hsieh,
        Self::Murmur3,
        Self::Xxh64,
        Self::Xxh3_64,
        Self::OneAtATime,
        Self::LibmemcachedCrc,
        Self::LibmemcachedFnv1_32,
        Self::LibmemcachedFnv1a32,
        Self::LibmemcachedFnv1_64,
        Self::LibmemcachedFnv1a64,
        Self::LibmemcachedMurmur,
        Self::LibmemcachedMurmur3,
        Self::LibmemcachedJenkins,
        Self::LibmemcachedHsieh,
        Self::TwemproxyCrc16,
        Self::KafkaMurmur2,
        Self::Sha256_64,
    ];

    /// The name in the topology document.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ketama => "ketama",
            Self::Fnv1_32 => "fnv1-32",
            Self::Fnv1a32 => "fnv1a-32",
            Self::Fnv1_64 => "fnv1-64",
            Self::Fnv1a64 => "fnv1a-64",
            Self::Crc32Itu => "crc32-itu",
            Self::Jenkins => "jenkins",
            Self::Hsieh => "hsieh",
            Self::Murmur3 => "murmur3",
            Self::Xxh64 => "xxh64",
            Self::Xxh3_64 => "xxh3-64",
            Self::OneAtATime => "one-at-a-time",
            Self::LibmemcachedCrc => "libmemcached-crc",
            Self::LibmemcachedFnv1_32 => "libmemcached-fnv1-32",
            Self::LibmemcachedFnv1a32 => "libmemcached-fnv1a-32",
            Self::LibmemcachedFnv1_64 => "libmemcached-fnv1-64",
            Self::LibmemcachedFnv1a64 => "libmemcached-fnv1a-64",
            Self::LibmemcachedMurmur => "libmemcached-murmur",
            Self::LibmemcachedMurmur3 => "libmemcached-murmur3",
            Self::LibmemcachedJenkins => "libmemcached-jenkins",
            Self::LibmemcachedHsieh => "libmemcached-hsieh",
            Self::TwemproxyCrc16 => "twemproxy-crc16",
            Self::KafkaMurmur2 => "kafka-murmur2",
            Self::Sha256_64 => "sha256-64",
        }
    }

    /// The hasher of a name; an unknown name is an error that lists the known ones.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|hasher| hasher.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|hasher| hasher.name()).collect();
            Error::topology("key_hasher", format!("unknown key hasher {name:?}; one of {}", known.join(", ")))
        })
    }

    /// The hash of `key`. Never fails, allocates nothing, gives the same answer on every machine.
    #[inline]
    #[must_use]
    pub fn hash(self, key: &[u8]) -> u64 {
        // Apart from the others, so that the default is inlined where it is used.
        if self == Self::Xxh3_64 { xxhash_rust::xxh3::xxh3_64(key) } else { self.hash_by_name(key) }
    }

    fn hash_by_name(self, key: &[u8]) -> u64 {
        match self {
            Self::Xxh3_64 => xxhash_rust::xxh3::xxh3_64(key),
            Self::Xxh64 => xxhash_rust::xxh64::xxh64(key, 0),
            Self::Ketama => digest::ketama(key),
            Self::Fnv1_32 => bytewise::fnv1_32(key),
            Self::Fnv1a32 => bytewise::fnv1a_32(key),
            Self::Fnv1_64 => bytewise::fnv1_64(key),
            Self::Fnv1a64 => bytewise::fnv1a_64(key),
            Self::Crc32Itu => u64::from(crc32fast::hash(key)),
            Self::Jenkins => bytewise::jenkins_signed(key),
            Self::Hsieh => bytewise::hsieh_signed(key),
            Self::Murmur3 => {
                let seed = 0xdead_beef_u32.wrapping_add(key.len() as u32);
                u64::from(bytewise::murmur3_32(key, seed))
            }
            Self::OneAtATime => libmemcached::one_at_a_time(key),
            Self::LibmemcachedCrc => libmemcached::crc(key),
            Self::LibmemcachedFnv1_32 => libmemcached::fnv1_32(key),
            Self::LibmemcachedFnv1a32 => libmemcached::fnv1a_32(key),
            Self::LibmemcachedFnv1_64 => libmemcached::fnv1_64(key),
            Self::LibmemcachedFnv1a64 => libmemcached::fnv1a_64(key),
            Self::LibmemcachedMurmur => libmemcached::murmur(key),
            Self::LibmemcachedMurmur3 => {
                u64::from(bytewise::murmur3_32(key, 0xdead_beef_u32.wrapping_mul(key.len() as u32)))
            }
            Self::LibmemcachedJenkins => libmemcached::jenkins(key),
            Self::LibmemcachedHsieh => libmemcached::hsieh(key),
            Self::TwemproxyCrc16 => libmemcached::crc16_uncut(key),
            Self::KafkaMurmur2 => u64::from(bytewise::murmur2_32(key, 0x9747_b28c) & 0x7fff_ffff),
            Self::Sha256_64 => digest::sha256_64(&[key]),
        }
    }

    /// Whether all 64 bits of the result are uniform, so that it can be a ring position as it is.
    pub(crate) const fn is_uniform(self) -> bool {
        matches!(self, Self::Xxh64 | Self::Xxh3_64 | Self::Sha256_64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_back() {
        for hasher in KeyHasher::ALL {
            assert_eq!(KeyHasher::from_name(hasher.name()).unwrap(), hasher);
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = KeyHasher::from_name("md5").unwrap_err();
        assert_eq!(error.place(), "key_hasher");
        assert!(error.to_string().contains("ketama"), "{error}");
    }

    #[test]
    fn published_values() {
        assert_eq!(KeyHasher::Xxh64.hash(b""), 0xef46_db37_51d8_e999);
        assert_eq!(KeyHasher::Xxh3_64.hash(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(KeyHasher::Crc32Itu.hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(KeyHasher::Fnv1a32.hash(b"foobar"), 0xbf9c_f968);
        assert_eq!(KeyHasher::Fnv1a64.hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_32_bit_families_stay_in_32_bits() {
        let narrow = [
            KeyHasher::Ketama,
            KeyHasher::Fnv1_32,
            KeyHasher::Fnv1a32,
            KeyHasher::Crc32Itu,
            KeyHasher::Hsieh,
            KeyHasher::Murmur3,
        ];
        for hasher in narrow {
            for length in 0..64 {
                assert!(u32::try_from(hasher.hash(&vec![0xfe; length])).is_ok(), "{}", hasher.name());
            }
        }
    }
}
