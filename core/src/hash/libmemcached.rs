//! The hashes of libmemcached (libhashkit 1.1) and of twemproxy, as their x86 builds compute them: where C's `char` is
//! widened it has a sign, so bytes from 0x80 on bring ones into the high bits. Sources: libhashkit, twemproxy `hashkit`.

use super::bytewise::murmur2_32;

/// A byte as a signed `char` widened to 32 bits.
fn wide(byte: u8) -> u32 {
    byte as i8 as u32
}

/// A byte as a signed `char` widened to 64 bits.
fn wide_64(byte: u8) -> u64 {
    byte as i8 as u64
}

/// Jenkins' one-at-a-time: libmemcached's default.
pub(super) fn one_at_a_time(key: &[u8]) -> u64 {
    let mut hash = 0_u32;
    for &byte in key {
        hash = hash.wrapping_add(wide(byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    u64::from(hash.wrapping_add(hash << 15))
}

/// Fifteen bits of CRC-32.
pub(super) fn crc(key: &[u8]) -> u64 {
    u64::from((crc32fast::hash(key) >> 16) & 0x7fff)
}

/// FNV-1 in 64 bits, cut to 32.
pub(super) fn fnv1_64(key: &[u8]) -> u64 {
    let hash =
        key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| hash.wrapping_mul(0x0100_0000_01b3) ^ wide_64(byte));
    hash & 0xffff_ffff
}

/// What libmemcached calls FNV-1a in 64 bits: the 64-bit numbers cut to 32 before they are used.
pub(super) fn fnv1a_64(key: &[u8]) -> u64 {
    u64::from(key.iter().fold(0x8422_2325_u32, |hash, &byte| (hash ^ wide(byte)).wrapping_mul(0x1b3)))
}

/// FNV-1 in 32 bits.
pub(super) fn fnv1_32(key: &[u8]) -> u64 {
    u64::from(key.iter().fold(0x811c_9dc5_u32, |hash, &byte| hash.wrapping_mul(16_777_619) ^ wide(byte)))
}

/// FNV-1a in 32 bits.
pub(super) fn fnv1a_32(key: &[u8]) -> u64 {
    u64::from(key.iter().fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ wide(byte)).wrapping_mul(16_777_619)))
}

/// `MurmurHash2` with a seed made of the length.
pub(super) fn murmur(key: &[u8]) -> u64 {
    u64::from(murmur2_32(key, 0xdead_beef_u32.wrapping_mul(key.len() as u32)))
}

/// Jenkins' lookup3 `hashlittle` with the initial value 13.
pub(super) fn jenkins(key: &[u8]) -> u64 {
    let start = 0xdead_beef_u32.wrapping_add(key.len() as u32).wrapping_add(13);
    let (mut a, mut b, mut c) = (start, start, start);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |word, &byte| (word << 8) | u32::from(byte));
    let full_blocks = key.len().saturating_sub(1) / 12;
    let (blocks, last) = key.split_at(full_blocks * 12);
    for block in blocks.chunks_exact(12) {
        a = a.wrapping_add(word(&block[..4]));
        b = b.wrapping_add(word(&block[4..8]));
        c = c.wrapping_add(word(&block[8..]));
        a = a.wrapping_sub(c) ^ c.rotate_left(4);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(6);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(8);
        b = b.wrapping_add(a);
        a = a.wrapping_sub(c) ^ c.rotate_left(16);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(19);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(4);
        b = b.wrapping_add(a);
    }
    if last.is_empty() {
        return u64::from(c);
    }
    let part = |from: usize| &last[from.min(last.len())..(from + 4).min(last.len())];
    a = a.wrapping_add(word(part(0)));
    b = b.wrapping_add(word(part(4)));
    c = c.wrapping_add(word(part(8)));
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    u64::from((c ^ b).wrapping_sub(b.rotate_left(24)))
}

/// twemproxy's CRC-16 (XMODEM), whose register is never cut to 16 bits.
pub(super) fn crc16_uncut(key: &[u8]) -> u64 {
    let step = |crc: u32, byte: u8| {
        let mut entry = (((crc >> 8) ^ u32::from(byte)) & 0xff) << 8;
        for _ in 0..8 {
            entry = if entry & 0x8000 == 0 { entry << 1 } else { (entry << 1) ^ 0x1021 };
        }
        (crc << 8) ^ (entry & 0xffff)
    };
    u64::from(key.iter().fold(0_u32, |crc, &byte| step(crc, byte)))
}

/// Hsieh's `SuperFastHash` from a start of 0; of a tail of three bytes the last has its sign.
pub(super) fn hsieh(key: &[u8]) -> u64 {
    if key.is_empty() {
        return 0;
    }
    let half = |bytes: &[u8]| u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let mut hash = 0_u32;
    let mut blocks = key.chunks_exact(4);
    for block in &mut blocks {
        hash = hash.wrapping_add(half(block));
        hash = (hash << 16) ^ (half(&block[2..]) << 11) ^ hash;
        hash = hash.wrapping_add(hash >> 11);
    }
    match *blocks.remainder() {
        [a, b, c] => {
            hash = hash.wrapping_add(half(&[a, b]));
            hash ^= hash << 16;
            hash ^= wide(c) << 18;
            hash = hash.wrapping_add(hash >> 11);
        }
        [a, b] => {
            hash = hash.wrapping_add(half(&[a, b]));
            hash ^= hash << 11;
            hash = hash.wrapping_add(hash >> 17);
        }
        [a] => {
            hash = hash.wrapping_add(u32::from(a));
            hash ^= hash << 10;
            hash = hash.wrapping_add(hash >> 1);
        }
        _ => {}
    }
    hash ^= hash << 3;
    hash = hash.wrapping_add(hash >> 5);
    hash ^= hash << 4;
    hash = hash.wrapping_add(hash >> 17);
    hash ^= hash << 25;
    u64::from(hash.wrapping_add(hash >> 6))
}
