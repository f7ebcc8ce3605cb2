use super::*;
use crate::error::ErrorCode;
use proptest::prelude::*;

fn document(nodes: &str) -> String {
    format!(r#"{{"format": 1, "scheme": {{"native": "ring-v1"}}, "nodes": {nodes}}}"#)
}

fn refused(text: &str) -> (String, String) {
    let error = Topology::from_json(text).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidTopology);
    (error.place().to_owned(), error.to_string())
}

#[test]
fn a_weight_that_is_no_weight_says_what_would_be_right() {
    for weight in ["-300", "1.5", "\"1\"", "null", "true", "1e308", "[]"] {
        let (place, message) = refused(&document(&format!(r#"[{{"id": "a", "weight": {weight}}}]"#)));
        assert_eq!(place, "nodes[0].weight");
        assert!(message.contains("an integer from 0 to 1000000000"), "{message}");
    }
    assert_eq!(refused(&document(r#"[{"id": "a", "weight": NaN}]"#)).0, "nodes[0].weight");
}

#[test]
fn fields_that_come_twice_are_refused() {
    assert!(refused(r#"{"format": 1, "format": 1}"#).1.contains("duplicate"));
    let (place, message) = refused(&document(r#"[{"id": "a", "id": "b"}]"#));
    assert_eq!(place, "nodes[0]");
    assert!(message.contains("duplicate field `id`"), "{message}");
}

#[test]
fn a_million_nodes_are_refused_while_they_are_read() {
    let nodes: Vec<String> = (0..1_000_000).map(|number| format!(r#"{{"id":"{number}"}}"#)).collect();
    let (place, message) = refused(&document(&format!("[{}]", nodes.join(","))));
    assert_eq!(place, "nodes");
    assert!(message.contains("more than 100000 items"), "{message}");
}

#[test]
fn a_document_that_is_too_long_is_not_read() {
    let (_, message) = refused(&" ".repeat(MAX_DOCUMENT_BYTES + 1));
    assert!(message.contains("67108864"), "{message}");
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    refused(&"[".repeat(1_000_000));
    refused(&format!(r#"{{"format": {}"#, "[".repeat(1_000_000)));
}

#[test]
fn the_schema_names_the_same_fields() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../docs/topology.schema.json")).unwrap();
    let full = Topology::builder(Scheme::Finagle { old_libmemcached: true, thrift_keys: true })
        .node(Node { zone: Some("z".into()), ..Node::new("a").at("h", 1).with_shard_id(0) })
        .revision(1)
        .partitions([Serving { shard_id: 0, serves: vec![0] }])
        .build()
        .unwrap();
    let written: serde_json::Value = serde_json::from_str(&full.to_json()).unwrap();
    let names = |value: &serde_json::Value| -> Vec<String> {
        let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let mut fields = names(&written);
    fields.push("weight_unit".to_owned());
    fields.sort();
    assert_eq!(names(&schema["properties"]), fields);
    let node = &schema["properties"]["nodes"]["items"]["properties"];
    assert_eq!(names(node), names(&written["nodes"][0]));
    let accrual = &schema["properties"]["failure_accrual"]["properties"];
    assert_eq!(names(accrual), names(&written["failure_accrual"]));
    let serving = &schema["properties"]["partitions"]["items"]["properties"];
    assert_eq!(names(serving), names(&written["partitions"][0]));
    let hashers: Vec<&str> = schema["properties"]["key_hasher"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    assert_eq!(hashers, KeyHasher::ALL.map(KeyHasher::name));
}

prop_compose! {
    fn a_node()(
        id in "\\PC{1,20}",
        host in proptest::option::of("[a-z.]{1,20}"),
        port in proptest::option::of(1_u16..),
        weight in 0_u32..2_000,
        shard_id in proptest::option::of(any::<i32>()),
        zone in proptest::option::of("\\PC{1,9}"),
    ) -> Node {
        Node { id, host, port, weight, shard_id, zone }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_equal(
        nodes in prop::collection::vec(a_node(), 0..8),
        num_reps in 1_u32..300,
        weight_unit in 1_u32..50,
        revision in proptest::option::of(1_u64..1 << 60),
        eject in any::<bool>(),
        serves in proptest::option::of(prop::collection::hash_set(any::<i32>(), 0..4)),
    ) {
        let mut builder = Topology::builder(Scheme::RingV1)
            .nodes(nodes)
            .num_reps(num_reps)
            .weight_unit(weight_unit)
            .eject_failed_host(eject);
        if let Some(revision) = revision {
            builder = builder.revision(revision);
        }
        if let Some(serves) = serves {
            builder = builder.partitions([Serving { shard_id: 3, serves: serves.into_iter().collect() }]);
        }
        let Ok(topology) = builder.build() else { return Ok(()) };
        let read = Topology::from_json(&topology.to_json()).unwrap();
        prop_assert_eq!(&read, &topology);
        prop_assert_eq!(read.nodes(), topology.nodes());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let _ = Topology::from_json(&text);
    }

    #[test]
    fn no_broken_document_makes_the_reader_panic(cut in 0_usize..200, byte in any::<char>()) {
        let whole = document(r#"[{"id": "a", "weight": 3, "port": 80}, {"id": "b", "shard_id": -1}]"#);
        let mut text: String = whole.chars().take(cut).collect();
        text.push(byte);
        text.extend(whole.chars().skip(cut + 1));
        let _ = Topology::from_json(&text);
    }
}
