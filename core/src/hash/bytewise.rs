//! Small hashes written out by hand: FNV, Murmur3, and Jenkins and Hsieh as the JVM's signed bytes make them.

/// FNV-1, 32 bits.
pub(super) fn fnv1_32(key: &[u8]) -> u64 {
    let hash = key.iter().fold(0x811c_9dc5_u32, |hash, &byte| hash.wrapping_mul(16_777_619) ^ u32::from(byte));
    u64::from(hash)
}

/// FNV-1a, 32 bits.
pub(super) fn fnv1a_32(key: &[u8]) -> u64 {
    let hash = key.iter().fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    u64::from(hash)
}

/// FNV-1, 64 bits.
pub(super) fn fnv1_64(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| hash.wrapping_mul(1_099_511_628_211) ^ u64::from(byte))
}

/// FNV-1a, 64 bits.
pub(super) fn fnv1a_64(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211))
}

/// `MurmurHash3_x86_32`. Source: Austin Appleby.
pub(super) fn murmur3_32(key: &[u8], seed: u32) -> u32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let scramble = |word: u32| word.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mut hash = seed;
    let mut blocks = key.chunks_exact(4);
    for block in &mut blocks {
        let word = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        hash = (hash ^ scramble(word)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let tail = blocks.remainder();
    if !tail.is_empty() {
        let word = tail.iter().rev().fold(0_u32, |word, &byte| (word << 8) | u32::from(byte));
        hash ^= scramble(word);
    }
    hash ^= key.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// `MurmurHash2` x86 32. Source: Austin Appleby.
pub(super) fn murmur2_32(key: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = seed ^ key.len() as u32;
    let mut blocks = key.chunks_exact(4);
    for block in &mut blocks {
        let word = u32::from_le_bytes([block[0], block[1], block[2], block[3]]).wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ (word ^ (word >> 24)).wrapping_mul(M);
    }
    let tail = blocks.remainder();
    if !tail.is_empty() {
        let word = tail.iter().rev().fold(0_u32, |word, &byte| (word << 8) | u32::from(byte));
        hash = (hash ^ word).wrapping_mul(M);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(M);
    hash ^ (hash >> 15)
}

/// `MurmurHash64A`, as libstdc++ has it for `std::hash`. Source: Austin Appleby.
pub(crate) fn murmur64a(key: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |value: u64| value ^ (value >> 47);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |word, &byte| (word << 8) | u64::from(byte));
    let mut hash = seed ^ (key.len() as u64).wrapping_mul(M);
    let mut blocks = key.chunks_exact(8);
    for block in &mut blocks {
        hash = (hash ^ mix(word(block).wrapping_mul(M)).wrapping_mul(M)).wrapping_mul(M);
    }
    let tail = blocks.remainder();
    if !tail.is_empty() {
        hash = (hash ^ word(tail)).wrapping_mul(M);
    }
    mix(mix(hash).wrapping_mul(M))
}

/// A byte as the JVM widens it: with its sign.
fn signed(byte: u8) -> i32 {
    i32::from(byte as i8)
}

/// Four bytes or fewer, added with their signs at their places, little-endian.
fn signed_word(bytes: &[u8]) -> i32 {
    bytes.iter().enumerate().fold(0_i32, |sum, (place, &byte)| sum.wrapping_add(signed(byte) << (8 * place)))
}

/// Jenkins' lookup3 with signed bytes and an arithmetic right shift where a rotation belongs, both words:
/// `(b << 32) + c`. Not a good hash: kept because Finagle clients place keys by it.
pub(super) fn jenkins_signed(key: &[u8]) -> u64 {
    #[allow(clippy::manual_rotate, reason = "the sign comes in from the left: it is no rotation")]
    fn turn(value: i32, by: u32) -> i32 {
        (value << by) | (value >> (32 - by))
    }
    let start = (0xdead_beef_u32 as i32).wrapping_add(key.len() as i32);
    let (mut a, mut b, mut c) = (start, start, start);
    let full_blocks = key.len().saturating_sub(1) / 12;
    let (blocks, last) = key.split_at(full_blocks * 12);
    for block in blocks.chunks_exact(12) {
        a = a.wrapping_add(signed_word(&block[..4]));
        b = b.wrapping_add(signed_word(&block[4..8]));
        c = c.wrapping_add(signed_word(&block[8..]));
        a = a.wrapping_sub(c) ^ turn(c, 4);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ turn(a, 6);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ turn(b, 8);
        b = b.wrapping_add(a);
        a = a.wrapping_sub(c) ^ turn(c, 16);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ turn(a, 19);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ turn(b, 4);
        b = b.wrapping_add(a);
    }
    if !last.is_empty() {
        let part = |from: usize| &last[from.min(last.len())..(from + 4).min(last.len())];
        a = a.wrapping_add(signed_word(part(0)));
        b = b.wrapping_add(signed_word(part(4)));
        c = c.wrapping_add(signed_word(part(8)));
        c = (c ^ b).wrapping_sub(turn(b, 14));
        a = (a ^ c).wrapping_sub(turn(c, 11));
        b = (b ^ a).wrapping_sub(turn(a, 25));
        c = (c ^ b).wrapping_sub(turn(b, 16));
        a = (a ^ c).wrapping_sub(turn(c, 4));
        b = (b ^ a).wrapping_sub(turn(a, 14));
        c = (c ^ b).wrapping_sub(turn(b, 24));
    }
    (i64::from(b) << 32).wrapping_add(i64::from(c)) as u64
}

/// Hsieh's `SuperFastHash` from a start of 0 over signed bytes, as Finagle computes it. A low byte's sign
/// reaches the whole half-word, since the halves are joined with "or".
pub(super) fn hsieh_signed(key: &[u8]) -> u64 {
    fn half(low: u8, high: u8) -> i32 {
        (signed(high) << 8) | signed(low)
    }
    fn shift(hash: i32, by: u32) -> i32 {
        ((hash as u32) >> by) as i32
    }
    if key.is_empty() {
        return 0;
    }
    let mut hash = 0_i32;
    let mut blocks = key.chunks_exact(4);
    for block in &mut blocks {
        hash = hash.wrapping_add(half(block[0], block[1]));
        let other = (half(block[2], block[3]) << 11) ^ hash;
        hash = (hash << 16) ^ other;
        hash = hash.wrapping_add(shift(hash, 11));
    }
    match *blocks.remainder() {
        [b0, b1, b2] => {
            hash = hash.wrapping_add(half(b0, b1));
            hash ^= hash << 16;
            hash ^= signed(b2) << 18;
            hash = hash.wrapping_add(shift(hash, 11));
        }
        [b0, b1] => {
            hash = hash.wrapping_add(half(b0, b1));
            hash ^= hash << 11;
            hash = hash.wrapping_add(shift(hash, 17));
        }
        [b0] => {
            hash = hash.wrapping_add(signed(b0));
            hash ^= hash << 10;
            hash = hash.wrapping_add(shift(hash, 1));
        }
        _ => {}
    }
    hash ^= hash << 3;
    hash = hash.wrapping_add(shift(hash, 5));
    hash ^= hash << 4;
    hash = hash.wrapping_add(shift(hash, 17));
    hash ^= hash << 25;
    hash = hash.wrapping_add(shift(hash, 6));
    u64::from(hash as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmur3_of_the_reference() {
        assert_eq!(murmur3_32(b"123", 0), 2_662_625_771);
        assert_eq!(murmur3_32(b"foo", 0), 4_138_058_784);
        assert_eq!(murmur3_32(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3_32(b"Hello, world!", 0x9747_b28c), 0x2488_4cba);
    }

    #[test]
    fn hsieh_of_no_bytes_is_zero_and_a_high_byte_counts_as_negative() {
        assert_eq!(hsieh_signed(b""), 0);
        assert_ne!(hsieh_signed(b"\x80abc"), hsieh_signed(b"\x00abc"));
    }

    #[test]
    fn signed_words_wrap_as_sums() {
        assert_eq!(signed_word(&[0xff]), -1);
        assert_eq!(signed_word(&[0xff, 0x01]), 255);
        assert_eq!(signed_word(&[0, 0, 0, 0x80]), i32::MIN);
    }
}
