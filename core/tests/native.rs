//! What must hold for the native schemes, whatever the nodes: who moves, who does not, and how even it is.
#![allow(clippy::disallowed_macros, reason = "a test prints what it measured")]

use proptest::prelude::*;
use shardway_core::{DEFAULT_SLOTS, Node, Profile, Router, Scheme, Snapshot, Topology};
use std::sync::Arc;

/// The schemes in which nodes never exchange keys because of a third.
const SCHEMES: [Scheme; 3] = [Scheme::RingV1, Scheme::SlotsV1 { slots: 4_096, balance: None }, Scheme::RendezvousV1];

fn snapshot(scheme: Scheme, nodes: &[(String, u32)]) -> Arc<Snapshot> {
    router(scheme, nodes).snapshot()
}

fn router(scheme: Scheme, nodes: &[(String, u32)]) -> Router {
    let nodes = nodes.iter().map(|(id, weight)| Node::new(id).with_weight(*weight));
    Router::new(Topology::builder(scheme).nodes(nodes).build().unwrap(), 0).unwrap()
}

fn owner(snapshot: &Snapshot, key: u64) -> Option<String> {
    let route = snapshot.route(&key.to_le_bytes()).ok()?;
    Some(snapshot.nodes()[route.node as usize].id.clone())
}

fn fleet() -> impl Strategy<Value = Vec<(String, u32)>> {
    prop::collection::btree_map("[a-z]{1,6}", prop_oneof![Just(1_u32), 0_u32..5, 1_u32..200], 1..12)
        .prop_map(|nodes| nodes.into_iter().collect())
}

fn scheme() -> impl Strategy<Value = Scheme> {
    prop::sample::select(SCHEMES.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_keys_of_the_node_that_changed_move(
        scheme in scheme(), nodes in fleet(), which in any::<prop::sample::Index>(), weight in 0_u32..200,
    ) {
        let which = which.index(nodes.len());
        let (id, old) = nodes[which].clone();
        let mut after = nodes.clone();
        after[which].1 = weight;
        let (before, after) = (snapshot(scheme, &nodes), snapshot(scheme, &after));
        for key in 0..400 {
            let (from, to) = (owner(&before, key), owner(&after, key));
            if from == to {
                continue;
            }
            if weight > old {
                prop_assert_eq!(to.as_ref(), Some(&id), "a weight that rises only brings keys");
            } else {
                prop_assert_eq!(from.as_ref(), Some(&id), "a weight that falls only takes keys away");
            }
        }
    }

    #[test]
    fn a_node_that_joins_or_leaves_moves_no_key_between_others(
        scheme in scheme(), nodes in fleet(), which in any::<prop::sample::Index>(),
    ) {
        let which = which.index(nodes.len());
        let mut without = nodes.clone();
        let (id, _) = without.remove(which);
        let (with, without) = (snapshot(scheme, &nodes), snapshot(scheme, &without));
        for key in 0..400 {
            let (before, after) = (owner(&with, key), owner(&without, key));
            prop_assert!(before == after || before.as_ref() == Some(&id));
        }
    }

    #[test]
    fn the_order_of_nodes_never_matters(scheme in scheme(), nodes in fleet(), turn in any::<prop::sample::Index>()) {
        let mut turned = nodes.clone();
        turned.rotate_left(turn.index(nodes.len()));
        turned.reverse();
        let (one, other) = (snapshot(scheme, &nodes), snapshot(scheme, &turned));
        prop_assert_eq!(one.fingerprint(), other.fingerprint());
        for key in 0..400 {
            prop_assert_eq!(owner(&one, key), owner(&other, key));
        }
    }

    #[test]
    fn an_ejection_is_a_fleet_without_the_node(
        scheme in scheme(), nodes in fleet(), which in any::<prop::sample::Index>(),
    ) {
        let router = router(scheme, &nodes);
        let mut without = nodes.clone();
        let (id, _) = without.remove(which.index(nodes.len()));
        router.eject(&id).unwrap();
        let (ejected, without) = (router.snapshot(), snapshot(scheme, &without));
        for key in 0..400 {
            prop_assert_eq!(owner(&ejected, key), owner(&without, key));
        }
    }

    #[test]
    fn replicas_are_the_owners_in_turn(scheme in scheme(), nodes in fleet(), n in 1_usize..8) {
        let router = router(scheme, &nodes);
        let all = router.snapshot();
        for key in 0..40_u64 {
            let mut room = vec![0; n];
            let Ok(found) = all.replicas(&key.to_le_bytes(), &mut room) else { continue };
            let names: Vec<String> = room[..found.n].iter().map(|&node| all.nodes()[node as usize].id.clone()).collect();
            let able = nodes.iter().filter(|(_, weight)| *weight > 0).count();
            prop_assert_eq!(found.n, n.min(able));
            for name in &names {
                let found = owner(&router.snapshot(), key);
                prop_assert_eq!(found.as_ref(), Some(name));
                router.eject(name).unwrap();
            }
            for name in &names {
                router.revive(name).unwrap();
            }
        }
    }

    #[test]
    fn replicas_are_of_as_many_zones_as_there_are(
        scheme in scheme(), zones in prop::collection::vec(prop::option::of(0_u8..4), 1..12), n in 1_usize..12,
        gone in any::<prop::sample::Index>(),
    ) {
        let node = |(number, zone): (usize, &Option<u8>)| {
            let mut node = Node::new(format!("n{number}"));
            node.zone = zone.map(|zone| zone.to_string());
            node
        };
        let nodes: Vec<Node> = zones.iter().enumerate().map(node).collect();
        let router = Router::new(Topology::builder(scheme).nodes(nodes.clone()).build().unwrap(), 0).unwrap();
        let gone = gone.index(zones.len()) as u32;
        let before = router.snapshot();
        router.eject(&nodes[gone as usize].id).unwrap();
        let after = router.snapshot();
        let named: std::collections::BTreeSet<u8> = zones.iter().flatten().copied().collect();
        let own = zones.iter().filter(|zone| zone.is_none()).count();
        for key in 0..30_u64 {
            let mut room = vec![0; n];
            let found = before.replicas(&key.to_le_bytes(), &mut room).unwrap().n;
            let found = &room[..found];
            prop_assert_eq!(found[0], before.route(&key.to_le_bytes()).unwrap().node);
            let zone = |node: &u32| zones[*node as usize].map_or(1_000 + *node, u32::from);
            let distinct = |nodes: &[u32]| nodes.iter().map(zone).collect::<std::collections::BTreeSet<u32>>().len();
            prop_assert_eq!(distinct(found), found.len().min(named.len() + own));
            // Who stays keeps its place relative to the others that stay, but for those of the zone of the node that went.
            let mut room = vec![0; n];
            let Ok(rest) = after.replicas(&key.to_le_bytes(), &mut room) else { continue };
            prop_assert!(!room[..rest.n].contains(&gone));
            let others = |nodes: &[u32]| -> Vec<u32> {
                nodes.iter().copied().filter(|node| zone(node) != zone(&gone)).collect()
            };
            let (old, new) = (others(found), others(&room[..rest.n]));
            let shorter = old.len().min(new.len());
            prop_assert_eq!(&old[..shorter], &new[..shorter]);
        }
    }

    #[test]
    fn with_a_cap_the_order_of_nodes_does_not_matter_either(nodes in fleet(), turn in any::<prop::sample::Index>()) {
        let scheme = Scheme::SlotsV1 { slots: 1_024, balance: Some(1_050) };
        let mut turned = nodes.clone();
        turned.rotate_left(turn.index(nodes.len()));
        let (one, other) = (snapshot(scheme, &nodes), snapshot(scheme, &turned));
        for key in 0..400 {
            prop_assert_eq!(owner(&one, key), owner(&other, key));
        }
    }

    #[test]
    fn a_group_is_the_route_of_each_key(scheme in scheme(), nodes in fleet()) {
        let all = snapshot(scheme, &nodes);
        let keys: Vec<[u8; 8]> = (0..100_u64).map(u64::to_le_bytes).collect();
        let Ok(groups) = all.group(&keys) else { return Ok(()) };
        for (node, indices) in groups.iter() {
            for &index in indices {
                prop_assert_eq!(all.route(&keys[index as usize]).unwrap().node, node);
            }
        }
    }
}

fn equal(count: usize) -> Vec<(String, u32)> {
    (0..count).map(|node| (format!("node-{node}"), 1)).collect()
}

/// Slots of each node: keys are chosen so that each stands in another slot.
fn slots_of(scheme: Scheme, nodes: &[(String, u32)]) -> Vec<u32> {
    let snapshot = snapshot(scheme, nodes);
    let step = u64::MAX / u64::from(DEFAULT_SLOTS) + 1;
    (0..u64::from(DEFAULT_SLOTS)).map(|slot| snapshot.route_hash(slot * step).unwrap().node).collect()
}

fn max_over_mean(owners: &[u32], nodes: usize) -> f64 {
    let mut counts = vec![0_usize; nodes];
    for &node in owners {
        counts[node as usize] += 1;
    }
    *counts.iter().max().unwrap() as f64 * nodes as f64 / owners.len() as f64
}

#[test]
fn slots_of_100_equal_nodes_are_even_and_as_even_as_asked_for() {
    let (nodes, more) = (equal(100), equal(101));
    for (balance, even, movement) in [(None, 1.11, 1.0), (Some(1_050), 1.05, 1.10), (Some(1_020), 1.02, 1.25)] {
        let scheme = Scheme::SlotsV1 { slots: DEFAULT_SLOTS, balance };
        let (before, after) = (slots_of(scheme, &nodes), slots_of(scheme, &more));
        let uneven = max_over_mean(&before, 100);
        let moved = before.iter().zip(&after).filter(|(from, to)| from != to).count() as f64;
        // The least that can move is what the new node gets.
        let least = after.iter().filter(|&&node| node == 100).count() as f64;
        println!("balance {balance:?}: max/mean {uneven:.3}, moved {:.3} of the least", moved / least);
        assert!(uneven <= even, "{uneven}");
        assert!(moved / least <= movement, "{}", moved / least);
    }
}

#[test]
fn shares_follow_weights() {
    let nodes: Vec<(String, u32)> =
        [1, 2, 3, 5, 10, 1_000].into_iter().map(|weight| (format!("w{weight}"), weight)).collect();
    let total: u32 = nodes.iter().map(|(_, weight)| weight).sum();
    for scheme in [Scheme::SLOTS_V1, Scheme::RendezvousV1] {
        let snapshot = snapshot(scheme, &nodes);
        let mut counts = vec![0_u32; nodes.len()];
        let keys = 400_000_u32;
        for key in 0..keys {
            counts[snapshot.route(&key.to_le_bytes()).unwrap().node as usize] += 1;
        }
        for ((id, weight), count) in nodes.iter().zip(&counts) {
            let share = f64::from(*weight) / f64::from(total);
            let slots = if scheme == Scheme::RendezvousV1 { f64::from(keys) } else { f64::from(DEFAULT_SLOTS) };
            let deviation = (share * (1.0 - share) / slots).sqrt() + (share / f64::from(keys)).sqrt();
            let found = f64::from(*count) / f64::from(keys);
            assert!((found - share).abs() < 5.0 * deviation, "{}: {id} has {found}, {share} is right", scheme.name());
        }
    }
}

#[test]
fn nobody_owns_anything_without_weight() {
    for scheme in SCHEMES.into_iter().chain([Scheme::SlotsV1 { slots: 256, balance: Some(1_050) }]) {
        for nodes in [vec![], vec![("a".to_owned(), 0)]] {
            let snapshot = snapshot(scheme, &nodes);
            assert_eq!(owner(&snapshot, 1), None, "{}", scheme.name());
            assert!(snapshot.replicas("x", &mut [0; 3]).is_err());
        }
    }
}

#[test]
fn an_ejection_under_a_profile_is_a_fleet_without_the_node() {
    let nodes: Vec<(String, u32)> = (0..26).map(|node| (format!("10.0.0.{node}:9090"), 1 + node % 3)).collect();
    for profile in Profile::ALL {
        let scheme = Scheme::Profile(profile);
        let router = router(scheme, &nodes);
        for out in [0, 13, 25] {
            let mut without = nodes.clone();
            let (id, _) = without.remove(out);
            let before = router.snapshot();
            router.eject(&id).unwrap();
            let (ejected, without) = (router.snapshot(), snapshot(scheme, &without));
            let is_list = [Profile::LibmemcachedModula, Profile::TwemproxyModula, Profile::KafkaMurmur2, Profile::Jump];
            for key in 0..2_000 {
                let found = owner(&ejected, key);
                assert_ne!(found.as_ref(), Some(&id), "{}", profile.name());
                if is_list.contains(&profile) {
                    // Lists keep their length, so that only the node's own keys move.
                    assert!(found == owner(&before, key) || owner(&before, key).as_ref() == Some(&id));
                } else {
                    assert_eq!(found, owner(&without, key), "{}", profile.name());
                }
            }
            router.revive(&id).unwrap();
            assert_eq!(owner(&router.snapshot(), 7), owner(&before, 7));
        }
    }
}

#[test]
fn profiles_refuse_what_their_systems_do_not_have() {
    let document = |profile: &str, more: &str, nodes: &str| {
        format!(r#"{{"format": 1, "scheme": {{"profile": "{profile}"}}{more}, "nodes": [{nodes}]}}"#)
    };
    let twins = r#"{"id": "a", "host": "h", "port": 11211}, {"id": "b", "host": "h"}"#;
    for (profile, more, nodes, place) in [
        ("memcached", "", "", "scheme.profile"),
        ("npm-hashring", r#", "key_hasher": "xxh64""#, "", "key_hasher"),
        ("kafka-murmur2", r#", "key_hasher": "ketama""#, "", "key_hasher"),
        ("nginx-consistent", r#", "num_reps": 100"#, "", "num_reps"),
        ("envoy-maglev", r#", "weight_unit": 2"#, "", "weight_unit"),
        ("libmemcached-ketama", "", twins, "nodes[1]"),
        ("twemproxy-modula", "", r#"{"id": "a", "weight": 1000000000}"#, "nodes"),
    ] {
        let error = Topology::from_json(&document(profile, more, nodes)).unwrap_err();
        assert_eq!(error.place(), place, "{profile}: {error}");
    }
}

#[test]
fn documents_of_the_schemes_read_back() {
    let native = [
        Scheme::SLOTS_V1,
        Scheme::SlotsV1 { slots: 1 << 20, balance: Some(1_010) },
        Scheme::SlotsV1 { slots: 256, balance: Some(2_000) },
        Scheme::RendezvousV1,
    ];
    for scheme in native.into_iter().chain(Profile::ALL.map(Scheme::Profile)) {
        let topology = Topology::builder(scheme).node(Node::new("a")).build().unwrap();
        let again = Topology::from_json(&topology.to_json()).unwrap();
        assert_eq!(again, topology);
        assert_eq!(again.scheme(), scheme);
    }
    let document =
        |scheme: &str, more: &str| format!(r#"{{"format": 1, "scheme": {scheme}, "nodes": [{{"id": "a"}}]{more}}}"#);
    for (scheme, more, place) in [
        (r#"{"native": "slots-v1", "slots": 1000}"#, "", "scheme.slots"),
        (r#"{"native": "slots-v1", "slots": 128}"#, "", "scheme.slots"),
        (r#"{"native": "slots-v1", "balance": 1.0}"#, "", "scheme.balance"),
        (r#"{"native": "slots-v1", "balance": 1.0001}"#, "", "scheme.balance"),
        (r#"{"native": "slots-v1", "thrift_keys": true}"#, "", "scheme.thrift_keys"),
        (r#"{"native": "slots-v1"}"#, r#", "num_reps": 100"#, "num_reps"),
        (r#"{"native": "rendezvous-v1"}"#, r#", "weight_unit": 10"#, "weight_unit"),
        (r#"{"native": "rendezvous-v1", "slots": 256}"#, "", "scheme.slots"),
        (r#"{"native": "ring-v1", "balance": 1.1}"#, "", "scheme.balance"),
        (r#"{"native": "slots-v2"}"#, "", "scheme.native"),
    ] {
        let error = Topology::from_json(&document(scheme, more)).unwrap_err();
        assert_eq!(error.place(), place, "{scheme}: {error}");
    }
}
