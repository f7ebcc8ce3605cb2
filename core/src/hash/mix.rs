//! The 64-bit finaliser that spreads a weak hash and numbers a node's points.

/// The increment of `SplitMix64`. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
pub(crate) const SPLITMIX_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of `SplitMix64` (David Stafford's variant 13): a bijection of 64 bits, 0 to 0.
#[inline]
pub(crate) const fn mix64(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_stream_of_seed_1234567() {
        let mut state = 1_234_567_u64;
        let stream: Vec<u64> = (0..3)
            .map(|_| {
                state = state.wrapping_add(SPLITMIX_GAMMA);
                mix64(state)
            })
            .collect();
        assert_eq!(stream, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
