//! MD5 and SHA-256, and the hashes that are the beginning of one.

use md5::{Digest, Md5};
use sha2::Sha256;

/// MD5 of the pieces, one after the other.
pub(crate) fn md5(pieces: &[&[u8]]) -> [u8; 16] {
    let mut digest = Md5::new();
    for piece in pieces {
        digest.update(piece);
    }
    digest.finalize().into()
}

/// The first four bytes of MD5, little-endian.
pub(super) fn ketama(key: &[u8]) -> u64 {
    let digest = md5(&[key]);
    u64::from(u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]))
}

/// The first eight bytes of SHA-256 of the pieces, big-endian.
pub(crate) fn sha256_64(pieces: &[&[u8]]) -> u64 {
    let mut digest = Sha256::new();
    for piece in pieces {
        digest.update(piece);
    }
    let digest: [u8; 32] = digest.finalize().into();
    digest[..8].iter().fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_of_pieces_is_md5_of_the_whole() {
        assert_eq!(md5(&[b"message", b" ", b"digest"]), md5(&[b"message digest"]));
        assert_eq!(md5(&[b"abc"])[..4], [0x90, 0x01, 0x50, 0x98]);
    }
}
