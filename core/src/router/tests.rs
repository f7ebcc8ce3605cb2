use std::collections::HashMap;

use super::{Publish, Router};
use crate::error::ErrorCode;
use crate::hash::KeyHasher;
use crate::health::{Admission, EventKind, FailureAccrual, Outcome};
use crate::host::PackedKeys;
use crate::snapshot::Route;
use crate::topology::{Node, Scheme, Serving, Topology};
use proptest::prelude::*;

const FINAGLE: Scheme = Scheme::Finagle { old_libmemcached: false, thrift_keys: false };

fn names(count: usize) -> Vec<Node> {
    (0..count).map(|number| Node::new(format!("node-{number}"))).collect()
}

fn topology(scheme: Scheme, nodes: Vec<Node>) -> Topology {
    Topology::builder(scheme).nodes(nodes).build().unwrap()
}

fn router(scheme: Scheme, nodes: Vec<Node>) -> Router {
    Router::new(topology(scheme, nodes), 1).unwrap()
}

fn owner(router: &Router, key: &str) -> String {
    let route = router.route(key).unwrap();
    router.snapshot().nodes()[route.node as usize].id.clone()
}

fn owners(router: &Router, count: usize) -> Vec<String> {
    (0..count).map(|number| owner(router, &format!("key:{number}"))).collect()
}

fn failing(nodes: Vec<Node>, eject: bool) -> Topology {
    let policy = FailureAccrual { consecutive_failures: 2, ..FailureAccrual::default() };
    Topology::builder(Scheme::RingV1).nodes(nodes).eject_failed_host(eject).failure_accrual(policy).build().unwrap()
}

#[test]
fn an_empty_topology_answers_that_no_shard_is_there() {
    let router = router(Scheme::RingV1, vec![]);
    assert_eq!(router.route("a").unwrap_err().code(), ErrorCode::ShardNotAvailable);
    assert_eq!(router.replicas("a", &mut [0; 3]).unwrap_err().code(), ErrorCode::ShardNotAvailable);
    assert_eq!(router.group(&["a"]).unwrap_err().code(), ErrorCode::ShardNotAvailable);
    assert!(router.group::<&str>(&[]).unwrap().is_empty());
    let told = router.explain("a").unwrap();
    assert_eq!((told.owner, told.point), (None, None));
    assert_eq!(router.publish(topology(Scheme::RingV1, names(1))).unwrap(), Publish::Published);
    assert_eq!(owner(&router, "a"), "node-0");
}

#[test]
fn weight_zero_is_kept_and_owns_nothing() {
    for scheme in [Scheme::RingV1, FINAGLE] {
        let router = router(scheme, vec![Node::new("idle").with_weight(0), Node::new("busy")]);
        assert!(owners(&router, 200).iter().all(|id| id == "busy"));
        assert_eq!(router.stats().nodes, 2);
        assert_eq!(router.replicas("a", &mut [0; 2]).unwrap().n, 1);
        router.eject("busy").unwrap();
        assert_eq!(router.route("a").unwrap_err().code(), ErrorCode::ShardNotAvailable);
    }
}

#[test]
fn keys_of_no_bytes_and_of_ten_million() {
    let router = router(Scheme::RingV1, names(5));
    let long = vec![b'x'; 10_000_000];
    for key in [&b""[..], &long] {
        assert_eq!(router.route(key), router.route(key));
        assert_eq!(router.group(&[key]).unwrap().nodes(), [router.route(key).unwrap().node]);
    }
    assert_eq!(router.route("").unwrap(), router.route(b"").unwrap());
}

#[test]
fn one_key_in_every_form_of_it() {
    let router = router(Scheme::RingV1, names(50));
    assert_eq!(router.route(42_i64).unwrap(), router.route(42_i32).unwrap());
    assert_eq!(router.route(42_i64).unwrap(), router.route(&42_i64.to_be_bytes()).unwrap());
    assert_eq!(router.route(true).unwrap_err().place(), "key");
    let hash = router.snapshot().hash("a").unwrap();
    assert_eq!(router.route_hash(hash).unwrap(), router.route("a").unwrap());
}

#[test]
fn a_key_that_thrift_keys_cannot_hash_is_named_in_a_batch() {
    let scheme = Scheme::Finagle { old_libmemcached: false, thrift_keys: true };
    let router = router(scheme, names(3));
    assert_eq!(router.route(b"\xff").unwrap_err().code(), ErrorCode::InvalidArgument);
    assert_eq!(router.group(&[&b"a"[..], b"\xff"]).unwrap_err().place(), "keys[1]");
    assert!(router.route("a").is_ok() && router.route(true).is_ok());
}

#[test]
fn nodes_join_and_leave_and_the_counters_are_finagles() {
    let router = router(Scheme::RingV1, names(3));
    assert_eq!((router.stats().redistributes, router.stats().joins), (1, 3));
    router.publish(topology(Scheme::RingV1, names(5))).unwrap();
    assert_eq!((router.stats().redistributes, router.stats().joins), (2, 5));
    let before = owners(&router, 500);
    router.publish(topology(Scheme::RingV1, names(4))).unwrap();
    let stats = router.stats();
    assert_eq!((stats.redistributes, stats.leaves, stats.nodes), (3, 1, 4));
    for (before, after) in before.iter().zip(owners(&router, 500)) {
        assert!(*before == after || before == "node-4");
    }
}

#[test]
fn revisions_only_go_forward() {
    let at = |revision: u64, count: usize| {
        Topology::builder(Scheme::RingV1).nodes(names(count)).revision(revision).build().unwrap()
    };
    let router = Router::new(at(5, 3), 1).unwrap();
    assert_eq!(router.publish(at(4, 4)).unwrap_err().code(), ErrorCode::StaleRevision);
    assert_eq!(router.publish(at(5, 4)).unwrap_err().code(), ErrorCode::RevisionConflict);
    assert_eq!(router.publish(at(5, 3)).unwrap(), Publish::Unchanged);
    assert_eq!(router.publish(at(6, 3)).unwrap(), Publish::Published);
    assert_eq!((router.stats().revision, router.stats().redistributes), (6, 1));
    assert_eq!(router.publish(topology(Scheme::RingV1, names(4))).unwrap(), Publish::Published);
    assert_eq!(router.stats().revision, 7);
    assert_eq!(router.route("a").unwrap().revision, 7);
}

#[test]
fn the_same_topology_ten_thousand_times_builds_nothing() {
    let router = router(Scheme::RingV1, names(20));
    let before = router.stats();
    for _ in 0..10_000 {
        assert_eq!(router.publish(topology(Scheme::RingV1, names(20))).unwrap(), Publish::Unchanged);
    }
    assert_eq!(router.stats(), before);
}

#[test]
fn an_update_that_would_lose_all_traffic_keeps_the_old_topology() {
    let served = |shard: i32| {
        Topology::builder(Scheme::RingV1)
            .node(Node::new("a").with_shard_id(1))
            .partitions([Serving { shard_id: shard, serves: vec![7] }])
            .build()
            .unwrap()
    };
    let router = Router::new(served(1), 1).unwrap();
    assert_eq!(router.publish(topology(Scheme::RingV1, vec![])).unwrap(), Publish::KeptOld);
    assert_eq!(router.publish(served(2)).unwrap(), Publish::KeptOld);
    assert_eq!(router.snapshot().partitions().nodes_of(7).unwrap(), [0]);
    assert_eq!((router.stats().update_failures, router.stats().snap_updates), (2, 1));
}

#[test]
fn declared_partitions_overlap_and_leave_out_only_who_is_wrong() {
    let topology = Topology::builder(Scheme::RingV1)
        .nodes([Node::new("a").with_shard_id(0), Node::new("b").with_shard_id(1), Node::new("c")])
        .node(Node::new("d").with_shard_id(9))
        .partitions([Serving { shard_id: 0, serves: vec![0, 1] }, Serving { shard_id: 1, serves: vec![1] }])
        .build()
        .unwrap();
    let snapshot = Router::new(topology, 1).unwrap().snapshot();
    let map = snapshot.partitions();
    assert_eq!(map.nodes_of(1).unwrap(), [0, 1]);
    let left: Vec<_> = map.left_out().iter().map(|left| (left.node, left.code)).collect();
    assert_eq!(left, [(2, ErrorCode::NoShardId), (3, ErrorCode::PartitioningStrategy)]);
}

#[test]
fn a_request_that_holds_a_snapshot_sees_no_change() {
    let router = router(Scheme::RingV1, names(5));
    let held = router.snapshot();
    let before = held.route("a").unwrap();
    router.eject(&held.nodes()[before.node as usize].id).unwrap();
    router.publish(topology(Scheme::RingV1, names(1))).unwrap();
    assert_eq!(held.route("a").unwrap(), before);
    assert_ne!(router.route("a").unwrap().revision, before.revision);
}

#[test]
fn ejection_by_hand_answers_whether_it_changed_anything() {
    let router = router(Scheme::RingV1, names(3));
    assert_eq!(router.eject("node-1"), Ok(true));
    assert_eq!(router.eject("node-1"), Ok(false));
    assert_eq!((router.stats().ejections, router.stats().live_nodes, router.stats().dead_nodes), (1, 2, 1));
    assert_eq!(router.revive("node-1"), Ok(true));
    assert_eq!(router.revive("node-1"), Ok(false));
    assert_eq!((router.stats().revivals, router.stats().redistributes), (1, 3));
    let error = router.eject("nobody").unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnknownNode);
    assert!(error.to_string().contains("nobody"));
}

#[test]
fn an_ejection_by_hand_outlives_a_publish() {
    let router = router(Scheme::RingV1, names(3));
    router.eject("node-1").unwrap();
    router.publish(topology(Scheme::RingV1, names(6))).unwrap();
    let snapshot = router.snapshot();
    assert_eq!(
        snapshot.ejected().map(|node| snapshot.nodes()[node as usize].id.as_str()).collect::<Vec<_>>(),
        ["node-1"]
    );
}

#[test]
fn a_dead_host_loses_its_keys_and_gets_the_same_ones_back() {
    let router = Router::new(failing(names(5), true), 1).unwrap();
    let before = owners(&router, 300);
    assert_eq!(router.report("node-2", Outcome::Failure, 0, 10).unwrap(), None);
    let event = router.report("node-2", Outcome::Failure, 1, 11).unwrap().unwrap();
    assert_eq!((event.kind, event.node.as_str(), event.at_ms), (EventKind::Ejected, "node-2", 11));
    assert_eq!((router.stats().ejections, router.stats().redistributes), (1, 2));
    for (before, after) in before.iter().zip(owners(&router, 300)) {
        assert_eq!(*before != after, before == "node-2");
    }
    assert_eq!(router.next_tick_ms(), Some(event.until_ms));
    assert_eq!(router.tick(event.until_ms - 1), []);
    let events = router.tick(event.until_ms);
    assert_eq!(events[0].kind, EventKind::Probing);
    assert_eq!(owners(&router, 300), before);
    assert_eq!((router.stats().revivals, router.stats().redistributes), (1, 3));
    assert_eq!(router.admit("node-2", event.until_ms).unwrap(), Admission::Probe);
    assert_eq!(router.admit("node-2", event.until_ms).unwrap(), Admission::FailFast);
    let revived = router.report("node-2", Outcome::Success, event.until_ms, event.until_ms + 5).unwrap();
    assert_eq!(revived.unwrap().kind, EventKind::Revived);
    assert_eq!(router.admit("node-2", event.until_ms).unwrap(), Admission::Send);
    assert_eq!(router.next_tick_ms(), None);
}

#[test]
fn a_single_dead_host_is_not_available_until_its_time_is_up() {
    let router = Router::new(failing(names(1), true), 1).unwrap();
    router.report("node-0", Outcome::Failure, 0, 0).unwrap();
    let until_ms = router.report("node-0", Outcome::Failure, 0, 0).unwrap().unwrap().until_ms;
    assert_eq!(router.route("a").unwrap_err().code(), ErrorCode::ShardNotAvailable);
    router.tick(until_ms);
    assert_eq!(owner(&router, "a"), "node-0");
}

#[test]
fn without_ejection_ownership_never_moves_and_sends_fail_fast() {
    let router = Router::new(failing(names(3), false), 1).unwrap();
    let before = owners(&router, 100);
    router.report("node-0", Outcome::Failure, 0, 0).unwrap();
    let until_ms = router.report("node-0", Outcome::Failure, 0, 0).unwrap().unwrap().until_ms;
    assert_eq!(owners(&router, 100), before);
    assert_eq!(router.admit("node-0", until_ms - 1).unwrap(), Admission::FailFast);
    assert_eq!(router.admit("node-0", until_ms).unwrap(), Admission::Probe);
    let told: Vec<EventKind> = router.tick(until_ms).iter().map(|event| event.kind).collect();
    assert_eq!(told, [EventKind::Probing], "what admit changed is told by the next tick, once");
    assert_eq!(router.tick(until_ms), []);
    assert_eq!((router.stats().ejections, router.stats().dead_nodes), (0, 0));
}

#[test]
fn health_is_kept_for_nodes_that_stay_and_forgotten_for_those_that_left() {
    let router = Router::new(failing(names(3), true), 1).unwrap();
    for node in ["node-0", "node-1"] {
        router.report(node, Outcome::Failure, 0, 0).unwrap();
        router.report(node, Outcome::Failure, 0, 0).unwrap();
    }
    let without_first = names(3).split_off(1);
    router.publish(failing(without_first, true)).unwrap();
    assert_eq!(router.stats().dead_nodes, 1);
    router.publish(failing(names(3), true)).unwrap();
    assert_eq!(router.admit("node-0", 1).unwrap(), Admission::Send);
    assert_eq!(router.admit("node-1", 1).unwrap(), Admission::FailFast);
}

#[test]
fn reports_of_nodes_that_left_are_unknown_and_change_nothing() {
    let router = Router::new(failing(names(2), true), 1).unwrap();
    for outcome in Outcome::ALL {
        assert_eq!(router.report("gone", outcome, 0, 0).unwrap_err().code(), ErrorCode::UnknownNode);
    }
    assert_eq!(router.admit("gone", 0).unwrap_err().code(), ErrorCode::UnknownNode);
    assert_eq!(router.stats().ejections, 0);
}

#[test]
fn processes_with_other_seeds_probe_at_other_times() {
    let until = |seed: u64| {
        let router = Router::new(failing(names(1), true), seed).unwrap();
        router.report("node-0", Outcome::Failure, 0, 0).unwrap();
        router.report("node-0", Outcome::Failure, 0, 0).unwrap().unwrap().until_ms
    };
    assert_eq!(until(1), until(1));
    let mut times: Vec<u64> = (0..50).map(until).collect();
    times.sort_unstable();
    times.dedup();
    assert!(times.len() > 40, "{} of 50 differ", times.len());
}

#[test]
fn light_nodes_still_own_a_point_and_all_nodes_can_be_had() {
    let nodes = vec![Node::new("a").with_weight(1024), Node::new("b").with_weight(1024), Node::new("c").with_weight(5)];
    let topology = Topology::builder(Scheme::RingV1).nodes(nodes).weight_unit(1024).build().unwrap();
    let router = Router::new(topology, 1).unwrap();
    for number in 0..200 {
        let mut found = [0; 3];
        assert_eq!(router.replicas(format!("key:{number}").as_str(), &mut found).unwrap().n, 3);
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2]);
    }
}

#[test]
fn many_replicas_are_distinct_and_short_where_nodes_are_few() {
    let router = router(Scheme::RingV1, names(60));
    let mut found = [0; 200];
    let replicas = router.replicas("a", &mut found).unwrap();
    assert_eq!(replicas.n, 60);
    let mut sorted = found[..60].to_vec();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..60).collect::<Vec<_>>());
    assert_eq!(router.replicas("a", &mut []).unwrap().n, 0);
}

#[test]
fn the_keys_of_an_ejected_node_spread_over_many() {
    let router = router(Scheme::RingV1, names(10));
    let before = owners(&router, 20_000);
    router.eject("node-3").unwrap();
    let mut heirs: HashMap<String, usize> = HashMap::new();
    for (before, after) in before.iter().zip(owners(&router, 20_000)) {
        if before == "node-3" {
            *heirs.entry(after).or_default() += 1;
        }
    }
    let all: usize = heirs.values().sum();
    assert!(heirs.len() >= 5 && heirs.values().all(|&count| count * 10 < all * 3), "{heirs:?}");
}

#[test]
fn explain_tells_the_point_the_owner_and_who_is_passed_over() {
    let router = router(FINAGLE, names(4));
    let usual = router.explain("a").unwrap();
    let first = usual.owner.clone().unwrap();
    assert_eq!(usual.point_node.as_ref(), Some(&first));
    assert_eq!(usual.next.len(), 3);
    router.eject(&first).unwrap();
    let passed = router.explain("a").unwrap();
    assert_eq!(passed.point_node.as_ref(), Some(&first));
    assert_eq!(passed.owner.as_ref(), Some(&usual.next[0]));
    assert_eq!(passed.ejected, [first]);
    assert!(passed.to_string().contains("fingerprint"));
    assert!(passed.to_json().contains("\"position\""));
}

fn a_scheme() -> impl Strategy<Value = (Scheme, KeyHasher)> {
    prop_oneof![
        Just((Scheme::RingV1, KeyHasher::Xxh3_64)),
        Just((Scheme::RingV1, KeyHasher::Fnv1a64)),
        Just((FINAGLE, KeyHasher::Ketama)),
        Just((FINAGLE, KeyHasher::Fnv1_32)),
        Just((Scheme::Finagle { old_libmemcached: true, thrift_keys: false }, KeyHasher::Murmur3)),
    ]
}

fn some_nodes() -> impl Strategy<Value = Vec<Node>> {
    prop::collection::btree_map("[a-z]{1,6}", 0_u32..5, 1..12)
        .prop_map(|nodes| nodes.into_iter().map(|(id, weight)| Node::new(id).with_weight(weight)).collect())
}

fn ring(scheme: Scheme, hasher: KeyHasher, nodes: &[Node]) -> Router {
    let topology = Topology::builder(scheme).key_hasher(hasher).num_reps(20).nodes(nodes.to_vec()).build().unwrap();
    Router::new(topology, 1).unwrap()
}

fn all_owners(router: &Router) -> Vec<Option<String>> {
    let snapshot = router.snapshot();
    let name = |route: Route| snapshot.nodes()[route.node as usize].id.clone();
    (0..300).map(|key| router.route(format!("k{key}").as_str()).ok().map(name)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_ejection_is_a_ring_rebuilt_without_the_node(
        (scheme, hasher) in a_scheme(), nodes in some_nodes(), out in prop::collection::vec(any::<bool>(), 12),
    ) {
        let router = ring(scheme, hasher, &nodes);
        let mut left = Vec::new();
        for (node, &out) in nodes.iter().zip(&out) {
            if out { router.eject(&node.id).unwrap(); } else { left.push(node.clone()); }
        }
        prop_assert_eq!(all_owners(&router), all_owners(&ring(scheme, hasher, &left)));
        for node in &nodes {
            router.revive(&node.id).unwrap();
        }
        prop_assert_eq!(all_owners(&router), all_owners(&ring(scheme, hasher, &nodes)));
    }

    #[test]
    fn a_node_that_joins_takes_keys_and_moves_no_other(nodes in some_nodes(), weight in 0_u32..5) {
        let (scheme, hasher) = (Scheme::RingV1, KeyHasher::Xxh3_64);
        let mut more = nodes.clone();
        more.push(Node::new("NEW").with_weight(weight));
        let (before, after) = (all_owners(&ring(scheme, hasher, &nodes)), all_owners(&ring(scheme, hasher, &more)));
        for (before, after) in before.into_iter().zip(after) {
            prop_assert!(before == after || after.as_deref() == Some("NEW"));
        }
    }

    #[test]
    fn a_weight_that_rises_only_brings_keys(nodes in some_nodes(), which in any::<prop::sample::Index>(), by in 1_u32..5) {
        let (scheme, hasher) = (Scheme::RingV1, KeyHasher::Xxh3_64);
        let mut heavier = nodes.clone();
        let node = which.get(&nodes).clone();
        heavier[which.index(nodes.len())].weight += by;
        let (before, after) = (all_owners(&ring(scheme, hasher, &nodes)), all_owners(&ring(scheme, hasher, &heavier)));
        for (before, after) in before.into_iter().zip(after) {
            prop_assert!(before == after || after.as_ref() == Some(&node.id));
        }
    }

    #[test]
    fn the_order_of_nodes_never_matters(mut nodes in some_nodes(), seed in any::<u64>()) {
        let (scheme, hasher) = (Scheme::RingV1, KeyHasher::Xxh3_64);
        let before = all_owners(&ring(scheme, hasher, &nodes));
        nodes.sort_by_key(|node| crate::hash::mix64(seed ^ xxhash_rust::xxh3::xxh3_64(node.id.as_bytes())));
        prop_assert_eq!(all_owners(&ring(scheme, hasher, &nodes)), before);
    }

    #[test]
    fn grouping_is_routing_each_key(
        (scheme, hasher) in a_scheme(),
        nodes in some_nodes(),
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..200),
    ) {
        let router = ring(scheme, hasher, &nodes);
        let Ok(groups) = router.group(&keys) else {
            prop_assert!(nodes.iter().all(|node| node.weight == 0));
            return Ok(());
        };
        let mut expected: Vec<(u32, Vec<u32>)> = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            let node = router.route(key).unwrap().node;
            match expected.iter_mut().find(|group| group.0 == node) {
                Some(group) => group.1.push(number as u32),
                None => expected.push((node, vec![number as u32])),
            }
        }
        let found: Vec<(u32, Vec<u32>)> = groups.iter().map(|(node, indices)| (node, indices.to_vec())).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(groups.offsets().len(), groups.len() + 1);

        let data: Vec<u8> = keys.concat();
        let mut offsets = vec![0_u32];
        offsets.extend(keys.iter().scan(0, |sum, key| { *sum += key.len() as u32; Some(*sum) }));
        let packed = router.group_packed(PackedKeys::new(&data, &offsets).unwrap()).unwrap();
        prop_assert_eq!(packed.indices(), groups.indices());
    }

    #[test]
    fn any_sequence_of_changes_ends_where_a_fresh_router_begins(
        changes in prop::collection::vec((0_u8..4, 0_usize..8), 1..30),
    ) {
        let router = router(Scheme::RingV1, names(4));
        let (mut count, mut out) = (4, std::collections::BTreeSet::new());
        for (change, which) in changes {
            let id = format!("node-{which}");
            match change {
                0 => if router.eject(&id).is_ok() { out.insert(which); },
                1 => if router.revive(&id).is_ok() { out.remove(&which); },
                _ => {
                    count = which + 1;
                    out.retain(|&node| node < count);
                    router.publish(topology(Scheme::RingV1, names(count))).unwrap();
                }
            }
        }
        let left = names(count).into_iter().enumerate().filter(|(node, _)| !out.contains(node));
        let fresh = self::router(Scheme::RingV1, left.map(|(_, node)| node).collect());
        prop_assert_eq!(all_owners(&router), all_owners(&fresh));
        prop_assert_eq!(router.stats().dead_nodes, out.len() as u64);
    }
}
