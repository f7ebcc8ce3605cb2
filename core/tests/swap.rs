//! Readers beside a writer: every answer is that of the snapshot it names, and none is older than one before it.
#![allow(clippy::disallowed_macros, clippy::disallowed_methods, reason = "a test starts threads and prints")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use shardway_core::{Node, Router, Scheme, Topology};

const KEYS: u64 = 64;

fn topology(revision: u64) -> Topology {
    let count = 1 + revision % 7;
    Topology::builder(Scheme::RingV1)
        .nodes((0..count).map(|node| Node::new(format!("{revision}-{node}"))))
        .num_reps(8)
        .revision(revision)
        .build()
        .unwrap()
}

#[test]
fn every_answer_is_that_of_the_revision_it_names() {
    const LAST: u64 = 3_000;
    let router = Router::new(topology(1), 1).unwrap();
    // What a router of one revision only says: the answers are judged by it.
    let expected: Vec<Vec<u32>> = std::iter::once(Vec::new())
        .chain((1..=LAST).map(|revision| {
            let fresh = Router::new(topology(revision), 1).unwrap();
            (0..KEYS as i64).map(|key| fresh.route(key).unwrap().node).collect()
        }))
        .collect();
    let (done, published, asked) = (AtomicBool::new(false), AtomicU64::new(1), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut seen = 0;
                let mut count = 0;
                while !done.load(Ordering::Acquire) {
                    let floor = published.load(Ordering::Acquire);
                    for key in 0..KEYS {
                        let route = router.route(key as i64).unwrap();
                        assert_eq!(route.node, expected[route.revision as usize][key as usize]);
                        assert!(route.revision >= floor, "a published revision is seen at once");
                        assert!(route.revision >= seen, "answers never go back");
                        seen = route.revision;
                        count += 1;
                    }
                    let keys: Vec<[u8; 8]> = (0..KEYS as i64).map(i64::to_be_bytes).collect();
                    let groups = router.group(&keys).unwrap();
                    let revision = groups.snapshot().revision() as usize;
                    for (node, indices) in groups.iter() {
                        assert!(indices.iter().all(|&key| expected[revision][key as usize] == node));
                    }
                }
                asked.fetch_add(count, Ordering::Relaxed);
            });
        }
        for revision in 2..=LAST {
            router.publish(topology(revision)).unwrap();
            published.store(revision, Ordering::Release);
        }
        done.store(true, Ordering::Release);
    });
    println!("{} answers compared over {LAST} revisions", asked.load(Ordering::Relaxed));
}

#[test]
fn an_ejection_is_seen_by_every_thread_at_once() {
    let names: Vec<String> = (0..8).map(|node| format!("node-{node}")).collect();
    let nodes = names.iter().cloned().map(Node::new);
    let router = Router::new(Topology::builder(Scheme::RingV1).nodes(nodes).build().unwrap(), 1).unwrap();
    // The node that is out, plus one; 0 while that changes.
    let out = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let before = out.load(Ordering::SeqCst);
                    let route = router.route("some key").unwrap();
                    let after = out.load(Ordering::SeqCst);
                    if before == after && before != 0 {
                        assert_ne!(u64::from(route.node) + 1, before);
                    }
                }
            });
        }
        for round in 0..20_000_u64 {
            let node = round % 8;
            router.eject(&names[node as usize]).unwrap();
            out.store(node + 1, Ordering::SeqCst);
            out.store(0, Ordering::SeqCst);
            router.revive(&names[node as usize]).unwrap();
        }
        done.store(true, Ordering::Release);
    });
    assert_eq!(router.stats().ejections, 20_000);
}

#[test]
fn ten_thousand_snapshots_pass_and_none_stays() {
    let router = Router::new(topology(1), 1).unwrap();
    let mut held = Vec::new();
    for revision in 2..10_002 {
        router.publish(topology(revision)).unwrap();
        router.route("a").unwrap();
        held.push(Arc::downgrade(&router.snapshot()));
    }
    let alive = held.iter().filter(|snapshot| snapshot.strong_count() > 0).count();
    assert_eq!(alive, 1, "the one in force");
    drop(router);
    assert_eq!(held.iter().filter(|snapshot| snapshot.strong_count() > 0).count(), 0);
}
