//! Envoy's Maglev table. Source: Eisenbud and others, "Maglev: a fast and reliable software network load balancer"
//! (2016), with weights as Envoy has them.

use super::NOBODY;
use xxhash_rust::xxh64::xxh64;

struct Host {
    offset: u64,
    skip: u64,
    share: f64,
    /// What it must have reached to take its next turn.
    target: f64,
    next: u64,
    node: u32,
}

/// The owner of each entry of a table of `size`, a prime number. `hosts` are names, weights and nodes, in any order.
pub(super) fn table(mut hosts: Vec<(String, u32, u32)>, size: usize) -> Box<[u32]> {
    hosts.retain(|&(_, weight, _)| weight > 0);
    hosts.sort_unstable();
    let total: u64 = hosts.iter().map(|&(_, weight, _)| u64::from(weight)).sum();
    let share = |weight: u32| f64::from(weight) / total as f64;
    let most = hosts.iter().map(|&(_, weight, _)| weight).max().map_or(0.0, share);
    let modulus = size as u64;
    let mut hosts: Vec<Host> = hosts
        .iter()
        .map(|(name, weight, node)| Host {
            offset: xxh64(name.as_bytes(), 0) % modulus,
            skip: xxh64(name.as_bytes(), 1) % (modulus - 1) + 1,
            share: share(*weight),
            target: 0.0,
            next: 0,
            node: *node,
        })
        .collect();
    if hosts.is_empty() {
        return Box::default();
    }
    let mut table = vec![NOBODY; size];
    let mut free = size;
    let mut round = 0.0;
    while free > 0 {
        round += 1.0;
        for host in &mut hosts {
            if free == 0 {
                break;
            }
            if round * host.share < host.target {
                continue;
            }
            host.target += most;
            // Every entry is on the way, so a free one is found.
            let entry = loop {
                let entry = ((host.offset + host.skip * host.next) % modulus) as usize;
                host.next += 1;
                if table[entry] == NOBODY {
                    break entry;
                }
            };
            table[entry] = host.node;
            free -= 1;
        }
    }
    table.into_boxed_slice()
}
