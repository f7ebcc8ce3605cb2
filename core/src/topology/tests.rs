use super::*;
use crate::error::ErrorCode;

fn three() -> TopologyBuilder {
    Topology::builder(Scheme::RingV1).nodes(["a", "b", "c"].map(Node::new))
}

fn place(builder: TopologyBuilder) -> String {
    let error = builder.build().unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidTopology);
    assert!(error.to_string().starts_with(error.place()), "{error}");
    error.place().to_owned()
}

#[test]
fn the_order_of_nodes_does_not_change_the_fingerprint() {
    let turned = Topology::builder(Scheme::RingV1).nodes(["c", "a", "b"].map(Node::new));
    assert_eq!(three().build().unwrap(), turned.build().unwrap());
}

#[test]
fn in_the_finagle_profile_the_order_is_declared() {
    let of = |names: [&str; 2]| {
        let scheme = Scheme::Finagle { old_libmemcached: false, thrift_keys: false };
        Topology::builder(scheme).nodes(names.map(Node::new)).build().unwrap().fingerprint()
    };
    assert_ne!(of(["a", "b"]), of(["b", "a"]));
}

#[test]
fn every_declared_thing_but_the_revision_changes_the_fingerprint() {
    let base = three().build().unwrap().fingerprint();
    assert_eq!(three().revision(9).build().unwrap().fingerprint(), base);
    let node = Node::new("d");
    let others = [
        three().key_hasher(KeyHasher::Xxh64),
        three().num_reps(159),
        three().weight_unit(2),
        three().eject_failed_host(true),
        three().partitions([]),
        three().failure_accrual(FailureAccrual { consecutive_failures: 4, ..FailureAccrual::default() }),
        three().node(node.clone()),
        three().node(node.clone().with_weight(0)),
        three().node(node.clone().at("h", 1)),
        three().node(node.clone().with_shard_id(0)),
        three().node(Node { zone: Some("z".into()), ..node.clone() }),
        three().node(Node { host: Some("z".into()), ..node }),
    ];
    let mut seen = vec![base];
    for other in others {
        seen.push(other.build().unwrap().fingerprint());
    }
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count);
}

#[test]
fn nodes_are_found_by_id() {
    let topology = Topology::builder(Scheme::RingV1).nodes(["c", "a", "b"].map(Node::new)).build().unwrap();
    assert_eq!(["a", "b", "c"].map(|id| topology.index_of(id)), [Some(1), Some(2), Some(0)]);
    assert_eq!(topology.index_of("d"), None);
}

#[test]
fn broken_rules_name_their_place() {
    assert_eq!(place(three().node(Node::new("b"))), "nodes[3].id");
    assert_eq!(place(three().node(Node::new(""))), "nodes[3].id");
    assert_eq!(place(three().node(Node::new("d").with_weight(MAX_WEIGHT + 1))), "nodes[3].weight");
    assert_eq!(place(three().node(Node::new("d").at("h", 0))), "nodes[3].port");
    assert_eq!(place(three().num_reps(0)), "num_reps");
    assert_eq!(place(three().weight_unit(0)), "weight_unit");
    assert_eq!(place(three().revision(u64::MAX)), "revision");
}

#[test]
fn the_numbers_of_nodes_at_the_borders() {
    let many = |count: usize| {
        let nodes = (0..count).map(|number| Node::new(format!("n{number}")));
        Topology::builder(Scheme::RingV1).nodes(nodes).num_reps(1).build()
    };
    for count in [0, 1, 65_535, 65_536, MAX_NODES] {
        assert_eq!(many(count).unwrap().nodes().len(), count);
    }
    let error = many(MAX_NODES + 1).unwrap_err();
    assert!(error.to_string().contains("100001") && error.to_string().contains("100000"), "{error}");
}

#[test]
fn too_many_points_are_refused_with_the_number_asked_for() {
    let heavy = three().node(Node::new("d").with_weight(1_000_000));
    let error = heavy.clone().build().unwrap_err();
    assert!(error.to_string().contains("160000480") && error.to_string().contains("weight_unit"), "{error}");
    assert!(heavy.weight_unit(1_000_000).build().is_ok());
    let all = Topology::builder(Scheme::RingV1)
        .nodes((0..1000).map(|number| Node::new(format!("n{number}")).with_weight(MAX_WEIGHT)))
        .num_reps(MAX_NUM_REPS);
    assert!(all.build().is_err(), "sums of points beyond 64 bits are refused too");
}

#[test]
fn two_nodes_with_one_finagle_label_are_refused() {
    let scheme = Scheme::Finagle { old_libmemcached: false, thrift_keys: false };
    let twins = Topology::builder(scheme).node(Node::new("a").at("h", 11_211)).node(Node::new("h"));
    assert_eq!(place(twins), "nodes[1]");
}
