//! Faults that users of other libraries reported, each as an input and the right answer.

use shardway_core::{KeyHasher, Node, Profile, Router, Scheme, Topology};

fn router(scheme: Scheme, nodes: impl IntoIterator<Item = Node>) -> Router {
    Router::new(Topology::builder(scheme).nodes(nodes).build().unwrap(), 0).unwrap()
}

fn owner(router: &Router, key: &str) -> String {
    let snapshot = router.snapshot();
    snapshot.nodes()[snapshot.route(key).unwrap().node as usize].id.clone()
}

fn partitions(count: usize) -> Router {
    router(Scheme::Profile(Profile::KafkaMurmur2), (0..count).map(|number| Node::new(number.to_string())))
}

/// Three servers, two of them on memcached's own port, called by their whole addresses.
const ADDRESSES: [(&str, u16); 3] = [("1.1.1.1", 11_211), ("2.2.2.2", 11_211), ("1.1.1.1", 11_212)];

fn whole_addresses() -> Router {
    router(Scheme::Profile(Profile::NpmHashring), ADDRESSES.map(|(host, port)| Node::new(format!("{host}:{port}"))))
}

#[test]
fn kafka_keys_go_where_the_java_client_sends_them() {
    for (key, count, partition) in
        [("fd7af248-ce5c-46a5-93d7-1c0c9005b99d", 32, "26"), ("TT0124", 15, "10"), ("", 32, "25")]
    {
        assert_eq!(owner(&partitions(count), key), partition, "{key:?} of {count}");
    }
}

#[test]
fn the_highest_bit_of_a_kafka_hash_is_cleared_and_its_sign_is_not_turned() {
    let keys = (0..100_000).map(|number| number.to_string());
    assert!(keys.map(|key| KeyHasher::KafkaMurmur2.hash(key.as_bytes())).all(|hash| hash < 1 << 31));
}

#[test]
fn keys_beyond_the_last_point_belong_to_the_lowest() {
    let router = whole_addresses();
    for (key, hash) in [("key:1559", Some(4_294_282_450)), ("key:2720", None), ("key:3076", None)] {
        let told = router.explain(key).unwrap();
        assert!(hash.is_none_or(|hash| told.hash == hash), "{key}");
        assert!(told.position > 4_294_191_989, "{key} is behind the last point");
        assert_eq!(told.point, Some(5_475_968), "{key}");
    }
}

#[test]
fn leaving_out_the_default_port_is_another_placement() {
    let stripped = router(
        Scheme::Profile(Profile::LibmemcachedKetamaWeighted),
        ADDRESSES.map(|(host, port)| Node::new(format!("{host}:{port}")).at(host, port)),
    );
    let whole = whole_addresses();
    let keys = || (0..10_000).map(|number| format!("key:{number}"));
    assert_eq!(keys().filter(|key| owner(&stripped, key) != owner(&whole, key)).count(), 5_325);
}

#[test]
fn ketama_with_weights_and_without_are_two_rings() {
    let points = |profile| router(Scheme::Profile(profile), [Node::new("a")]).snapshot().points();
    assert_eq!(points(Profile::LibmemcachedKetama), 100);
    assert_eq!(points(Profile::LibmemcachedKetamaWeighted), 160);
}

#[test]
fn labels_without_a_separator_do_not_meet() {
    let nodes = ["s1:1", "s1:11", "s2:2", "s2:5"].map(Node::new);
    let topology = Topology::builder(Scheme::RingV1).nodes(nodes).num_reps(100).build().unwrap();
    let router = Router::new(topology, 0).unwrap();
    assert_eq!(router.snapshot().points(), 400);
    let mut counts = [0_u32; 4];
    for key in 0..40_000_u32 {
        counts[router.route(&key.to_le_bytes()).unwrap().node as usize] += 1;
    }
    // Three times the deviation of a share of 100 points.
    assert!(counts.iter().all(|&count| (7_000..13_000).contains(&count)), "{counts:?}");
}

#[test]
fn names_with_colons_stay_as_they_are() {
    let names = ["[::1]:11211", "::1", "[2001:db8::2]", "unix:/a:b"];
    for scheme in [Scheme::RingV1, Scheme::SLOTS_V1, Scheme::Profile(Profile::NginxConsistent)] {
        let router = router(scheme, names.map(Node::new));
        let ids: Vec<String> = router.snapshot().nodes().iter().map(|node| node.id.clone()).collect();
        assert_eq!(ids, names);
    }
}

#[test]
fn a_new_address_under_the_same_id_moves_no_key() {
    for scheme in [Scheme::RingV1, Scheme::SLOTS_V1, Scheme::RendezvousV1] {
        let before = router(scheme, ["a", "b", "c"].map(|id| Node::new(id).at("10.0.0.1", 1)));
        let after = router(scheme, ["a", "b", "c"].map(|id| Node::new(id).at("10.9.9.9", 2)));
        assert!((0..2_000).map(|key| key.to_string()).all(|key| owner(&before, &key) == owner(&after, &key)));
    }
}

#[test]
fn the_same_content_again_rebuilds_nothing() {
    let nodes = || ["a", "b", "c"].map(Node::new);
    let router = router(Scheme::SLOTS_V1, nodes());
    let built = router.stats().redistributes;
    for _ in 0..10_000 {
        router.publish(Topology::builder(Scheme::SLOTS_V1).nodes(nodes()).build().unwrap()).unwrap();
    }
    assert_eq!(router.stats().redistributes, built);
}

#[test]
fn a_weight_that_falls_away_moves_nothing_between_the_others() {
    for scheme in [Scheme::RingV1, Scheme::SLOTS_V1, Scheme::RendezvousV1] {
        let fleet = |without: u32| {
            router(scheme, (1..=20).filter(|&n| n != without).map(|n| Node::new(format!("n{n}")).with_weight(n)))
        };
        let all = fleet(0);
        for gone in [1, 10, 20] {
            let rest = fleet(gone);
            let lost = format!("n{gone}");
            for key in (0..2_000).map(|key| key.to_string()) {
                let before = owner(&all, &key);
                assert!(before == lost || before == owner(&rest, &key), "{key}");
            }
        }
    }
}
