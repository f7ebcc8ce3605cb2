//! shardway alone, one operation a bench: for finding out what a change of the core did.
//! `make bench DETAIL=1`, or `cargo bench` in this folder with criterion's own options.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shardway_bench::inputs;
use shardway_core::{Router, Topology};

fn router(nodes: usize) -> Router {
    let topology = Topology::from_json(&inputs::document(0, nodes)).expect("a valid document");
    Router::new(topology, 0).expect("a valid topology")
}

fn lookups(c: &mut Criterion) {
    let keys = inputs::keys(1 << 14);
    let mut group = c.benchmark_group("lookup");
    for nodes in [10, 100, 1000] {
        let router = router(nodes);
        let snapshot = router.snapshot();
        let mut at = (0..keys.len()).cycle();
        let mut next = || &keys[at.next().expect("a cycle has no end")];
        group.bench_function(BenchmarkId::new("Router::route", nodes), |b| {
            b.iter(|| router.route(black_box(next())));
        });
        group.bench_function(BenchmarkId::new("Snapshot::route", nodes), |b| {
            b.iter(|| snapshot.route(black_box(next())));
        });
        group.bench_function(BenchmarkId::new("Snapshot::route_hash", nodes), |b| {
            let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
            b.iter(|| {
                // Each hash depends on the answer before: this is latency, not throughput.
                let node = snapshot.route_hash(hash).map_or(0, |route| route.node);
                hash = (hash ^ u64::from(node)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                node
            });
        });
        group.bench_function(BenchmarkId::new("Snapshot::replicas(3)", nodes), |b| {
            let mut out = [0; 3];
            b.iter(|| snapshot.replicas(black_box(next()), &mut out));
        });
    }
    // A tenth of the nodes ejected: the mask is in use.
    let masked = router(100);
    for node in (0..100).step_by(10) {
        masked.eject(&inputs::id(node)).expect("a known node");
    }
    let mut at = (0..keys.len()).cycle();
    group.bench_function("Router::route/100, 10 ejected", |b| {
        b.iter(|| masked.route(black_box(&keys[at.next().expect("a cycle has no end")])));
    });
    group.finish();
}

fn batches(c: &mut Criterion) {
    let mut group = c.benchmark_group("group");
    let keys = inputs::keys(1_000_000);
    let router = router(100);
    for n in [10, 1000, 100_000, 1_000_000] {
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| router.group(black_box(&keys[..n])));
        });
    }
    group.finish();
}

fn changes(c: &mut Criterion) {
    let mut group = c.benchmark_group("change");
    for nodes in [100, 1000] {
        let router = router(nodes);
        let documents = [0, 1].map(|first| inputs::document(first, nodes));
        let topologies = documents.each_ref().map(|text| Topology::from_json(text).expect("a valid document"));
        let mut turn = [1, 0].into_iter().cycle();
        group.bench_function(BenchmarkId::new("publish", nodes), |b| {
            b.iter_batched(
                || topologies[turn.next().expect("a cycle has no end")].clone(),
                |topology| router.publish(topology),
                BatchSize::PerIteration,
            );
        });
        // A node that both topologies have.
        let id = inputs::id(1);
        group.bench_function(BenchmarkId::new("eject and revive", nodes), |b| {
            b.iter(|| (router.eject(black_box(&id)), router.revive(&id)));
        });
        group.bench_function(BenchmarkId::new("from_json", nodes), |b| {
            b.iter(|| Topology::from_json(black_box(&documents[0])));
        });
    }
    group.finish();
}

fn short() -> Criterion {
    Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1))
}

criterion_group! {
    name = benches;
    config = short();
    targets = lookups, batches, changes
}
criterion_main!(benches);
