//! Measures the native schemes and prints the tables of `docs/placement.md` in Markdown:
//!
//! ```text
//! cargo run --release -p shardway-core --example placement_report
//! ```
//!
//! Nodes are `node-0`, `node-1`, ..., keys `key:0`, `key:1`, ... to a million. `skewed` weights are 1, 2, 3, 1, 2, 3, ...
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a program measures and prints"
)]

use std::time::Instant;

use shardway_core::{Node, Result, Router, Scheme, Topology};

const KEYS: u32 = 1_000_000;
/// With a cost that grows with the nodes, fewer keys.
const FEWER_KEYS: u32 = 100_000;

fn fleet(count: u32, skewed: bool) -> Vec<(u32, u32)> {
    (0..count).map(|node| (node, if skewed { 1 + node % 3 } else { 1 })).collect()
}

fn topology(scheme: Scheme, fleet: &[(u32, u32)]) -> Result<Topology> {
    let nodes = fleet.iter().map(|(node, weight)| Node::new(format!("node-{node}")).with_weight(*weight));
    Topology::builder(scheme).nodes(nodes).build()
}

/// The number of the node that owns each key.
fn owners(scheme: Scheme, fleet: &[(u32, u32)], keys: &[String]) -> Result<Vec<u32>> {
    let snapshot = Router::new(topology(scheme, fleet)?, 0)?.snapshot();
    keys.iter().map(|key| Ok(fleet[snapshot.route(key)?.node as usize].0)).collect()
}

/// Greatest load over mean load and standard deviation of loads, each load by weight.
fn evenness(owners: &[u32], fleet: &[(u32, u32)]) -> (f64, f64) {
    let mut counts = vec![0_f64; fleet.len()];
    for &node in owners {
        counts[node as usize] += 1.0;
    }
    let weights: f64 = fleet.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let mean = owners.len() as f64 / weights;
    let loads: Vec<f64> =
        counts.iter().zip(fleet).map(|(count, (_, weight))| count / f64::from(*weight) / mean).collect();
    let most = loads.iter().copied().fold(0.0, f64::max);
    let variance = loads.iter().map(|load| (load - 1.0).powi(2)).sum::<f64>() / loads.len() as f64;
    (most, variance.sqrt())
}

/// Keys that moved, over the least that had to: those of the one node that changed.
fn movement(before: &[u32], after: &[u32], changed: u32) -> f64 {
    let pairs = || before.iter().zip(after);
    let moved = pairs().filter(|(from, to)| from != to).count() as f64;
    let gained = pairs().filter(|&(&from, &to)| to == changed && from != changed).count();
    let lost = pairs().filter(|&(&from, &to)| from == changed && to != changed).count();
    moved / gained.max(lost).max(1) as f64
}

fn row(name: &str, scheme: Scheme, count: u32, skewed: bool, keys: &[String]) -> Result<()> {
    let keys = if scheme == Scheme::RendezvousV1 && count > 100 { &keys[..FEWER_KEYS as usize] } else { keys };
    let fleet = fleet(count, skewed);
    let before = owners(scheme, &fleet, keys)?;
    let (most, deviation) = evenness(&before, &fleet);

    let mut added = fleet.clone();
    added.push((count, 1));
    let mut removed = fleet.clone();
    removed.remove(count as usize / 2);
    let mut heavier = fleet.clone();
    heavier[count as usize / 2].1 *= 2;
    let add = movement(&before, &owners(scheme, &added, keys)?, count);
    let remove = movement(&before, &owners(scheme, &removed, keys)?, count / 2);
    let reweight = movement(&before, &owners(scheme, &heavier, keys)?, count / 2);

    let declared = topology(scheme, &fleet)?;
    let began = Instant::now();
    let router = Router::new(declared, 0)?;
    let build = began.elapsed().as_secs_f64() * 1e3;
    let snapshot = router.snapshot();
    let mut lookup = f64::MAX;
    for _ in 0..5 {
        let some = &keys[..20_000];
        let began = Instant::now();
        for key in some {
            std::hint::black_box(snapshot.route(key)?);
        }
        lookup = lookup.min(began.elapsed().as_secs_f64() * 1e9 / some.len() as f64);
    }
    let weights = if skewed { "skewed" } else { "equal" };
    println!(
        "| {name} | {count} | {weights} | {most:.3} | {:.1}% | {add:.2} | {remove:.2} | {reweight:.2} | {build:.1} | {lookup:.0} |",
        deviation * 100.0
    );
    Ok(())
}

fn main() -> Result<()> {
    let keys: Vec<String> = (0..KEYS).map(|key| format!("key:{key}")).collect();
    println!("| scheme | nodes | weights | max/mean | deviation | add | remove | reweight | build, ms | lookup, ns |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let capped = |balance| Scheme::SlotsV1 { slots: 65_536, balance: Some(balance) };
    for (name, scheme) in [
        ("`ring-v1`", Scheme::RingV1),
        ("`slots-v1`", Scheme::SLOTS_V1),
        ("`slots-v1`, balance 1.05", capped(1_050)),
        ("`slots-v1`, balance 1.02", capped(1_020)),
        ("`rendezvous-v1`", Scheme::RendezvousV1),
    ] {
        for count in [10, 100, 1_000] {
            for skewed in [false, true] {
                row(name, scheme, count, skewed, &keys)?;
            }
        }
    }
    Ok(())
}
