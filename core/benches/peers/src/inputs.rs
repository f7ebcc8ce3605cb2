//! The same keys and nodes for everyone.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// A 16-byte key, the size of the comparison.
pub type Key = [u8; 16];

/// Points a node in every ring of the comparison.
pub const POINTS: u32 = 160;

/// `n` distinct keys of 16 hexadecimal characters, the same in every run.
pub fn keys(n: usize) -> Vec<Key> {
    (0..n as u64)
        .map(|i| {
            let mut key = [0; 16];
            for (at, byte) in key.iter_mut().enumerate() {
                let digit = (splitmix64(i) >> (4 * at)) & 15;
                *byte = b"0123456789abcdef"[digit as usize];
            }
            key
        })
        .collect()
}

/// A bijection of 64 bits (splitmix64's), so that distinct numbers give distinct keys.
fn splitmix64(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The address of node `i`, below 65,536.
pub fn address(i: usize) -> SocketAddr {
    let ip = Ipv4Addr::new(10, 0, (i >> 8) as u8, i as u8);
    SocketAddr::new(IpAddr::V4(ip), 9090)
}

/// The id of node `i`: its address as text.
pub fn id(i: usize) -> String {
    address(i).to_string()
}

/// A `ring-v1` document of the nodes `first..first + n`, `POINTS` points each.
pub fn document(first: usize, n: usize) -> String {
    let mut text = format!(r#"{{"format": 1, "scheme": {{"native": "ring-v1"}}, "num_reps": {POINTS}, "nodes": ["#);
    for i in first..first + n {
        let comma = if i == first { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(text, r#"{comma}{{"id": "{}"}}"#, id(i));
    }
    text.push_str("]}");
    text
}
