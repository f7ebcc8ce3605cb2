//! Runs every file of `tests/vectors` through the core.
#![allow(clippy::disallowed_macros, clippy::disallowed_methods, reason = "a test reads and prints")]

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use shardway_core::{Error, Key, KeyHasher, Result, Router, Snapshot, Topology};

#[derive(Deserialize)]
struct Manifest {
    files: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    file: String,
    kind: String,
    answers: usize,
}

#[derive(Deserialize)]
struct File {
    kind: String,
    source: String,
    cases: Vec<Value>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors")
}

fn read<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A key of a case, which may be a bare hash.
enum Asked {
    Text(String),
    Bytes(Vec<u8>),
    I64(i64),
    I32(i32),
    Bool(bool),
    Hash(u64),
}

impl Asked {
    fn read(value: &Value) -> Self {
        let (form, value) = value.as_object().and_then(|form| form.iter().next()).expect("a key has one form");
        let number = || value.as_str().expect("decimal text");
        match form.as_str() {
            "text" => Self::Text(value.as_str().expect("text").to_owned()),
            "hex" => Self::Bytes(bytes(value.as_str().expect("hex"))),
            "i64" => Self::I64(number().parse().expect("i64")),
            "i32" => Self::I32(value.as_i64().expect("i32") as i32),
            "bool" => Self::Bool(value.as_bool().expect("bool")),
            "hash" => Self::Hash(number().parse().expect("u64")),
            other => panic!("unknown form of key {other:?}"),
        }
    }

    fn hash(&self, snapshot: &Snapshot) -> Result<u64> {
        match self {
            Self::Text(text) => snapshot.hash(text),
            Self::Bytes(bytes) => snapshot.hash(bytes),
            Self::I64(value) => snapshot.hash(*value),
            Self::I32(value) => snapshot.hash(*value),
            Self::Bool(value) => snapshot.hash(*value),
            Self::Hash(hash) => Ok(*hash),
        }
    }

    fn key(&self) -> Key<'_> {
        match self {
            Self::Text(text) => Key::Str(text),
            Self::Bytes(bytes) => Key::Bytes(bytes),
            Self::I64(value) => Key::I64(*value),
            Self::I32(value) => Key::I32(*value),
            Self::Bool(value) => Key::Bool(*value),
            Self::Hash(_) => panic!("this kind has no bare hashes"),
        }
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
}

fn list<'a>(case: &'a Value, field: &str) -> &'a [Value] {
    case[field].as_array().unwrap_or_else(|| panic!("{field} is a list"))
}

fn keys(case: &Value) -> Vec<Asked> {
    list(case, "keys").iter().map(Asked::read).collect()
}

fn router(case: &Value) -> Router {
    let topology = Topology::from_json(&case["topology"].to_string()).expect("a sound topology");
    Router::new(topology, 0).expect("a router")
}

fn name(router: &Router, node: u32) -> String {
    router.snapshot().nodes()[node as usize].id.clone()
}

fn owner(router: &Router, key: &Asked) -> Result<String> {
    let route = match key {
        Asked::Hash(hash) => router.route_hash(*hash),
        key => router.route(key.key()),
    };
    route.map(|route| name(router, route.node))
}

fn hashes(case: &Value) -> usize {
    let hasher = KeyHasher::from_name(case["key_hasher"].as_str().expect("a name")).expect("a hasher");
    let expected = list(case, "hashes");
    let keys = keys(case);
    assert_eq!(keys.len(), expected.len());
    for (key, expected) in keys.iter().zip(expected) {
        let Asked::Bytes(bytes) = key else { panic!("hashes are of bytes") };
        assert_eq!(&hasher.hash(bytes).to_string(), expected, "{}", hasher.name());
    }
    keys.len()
}

fn routes(case: &Value) -> usize {
    let (router, keys, expected) = (router(case), keys(case), list(case, "owners"));
    assert_eq!(keys.len(), expected.len());
    for (key, expected) in keys.iter().zip(expected) {
        assert_eq!(&owner(&router, key).expect("an owner"), expected);
    }
    keys.len()
}

fn explain(case: &Value) -> usize {
    let (router, keys) = (router(case), keys(case));
    for (number, key) in keys.iter().enumerate() {
        let told = router.explain(key.key()).expect("an explanation");
        assert_eq!(told.hash.to_string(), case["hashes"][number]);
        assert_eq!(told.point.map(|point| point.to_string()).as_deref(), case["points"][number].as_str());
        assert_eq!(told.owner.as_deref(), case["owners"][number].as_str());
        assert_eq!(told.owner, owner(&router, key).ok());
    }
    keys.len()
}

fn replicas(case: &Value) -> usize {
    let (router, keys) = (router(case), keys(case));
    let n = case["n"].as_u64().expect("n") as usize;
    for (key, expected) in keys.iter().zip(list(case, "owners")) {
        let mut room = vec![0; n];
        let found = router.replicas(key.key(), &mut room).expect("replicas");
        let names: Vec<String> = room[..found.n].iter().map(|&node| name(&router, node)).collect();
        assert_eq!(&Value::from(names), expected);
    }
    keys.len()
}

fn groups(case: &Value) -> usize {
    let (router, keys) = (router(case), keys(case));
    let snapshot = router.snapshot();
    let hashes: Vec<u64> = keys.iter().map(|key| key.hash(&snapshot).expect("a hash")).collect();
    let groups = router.group_hashes(&hashes).expect("groups");
    let found: Vec<Value> = groups
        .iter()
        .map(|(node, indices)| serde_json::json!({"node": name(&router, node), "indices": indices}))
        .collect();
    assert_eq!(Value::from(found), case["groups"]);
    keys.len().max(1)
}

fn ejections(case: &Value) -> usize {
    let (router, keys, steps) = (router(case), keys(case), list(case, "steps"));
    for step in steps {
        let changed = match (step["eject"].as_str(), step["revive"].as_str()) {
            (Some(id), None) => router.eject(id),
            (None, Some(id)) => router.revive(id),
            _ => panic!("a step is one of eject and revive"),
        };
        assert_eq!(changed, Ok(true));
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(owner(&router, key).ok().as_deref(), step["owners"][number].as_str(), "{step}");
        }
    }
    keys.len() * steps.len()
}

fn fingerprints(case: &Value) -> usize {
    let snapshot = router(case).snapshot();
    assert_eq!(format!("{:016x}", snapshot.fingerprint()), case["fingerprint"]);
    1
}

fn errors(case: &Value) -> usize {
    let document = case["document"].as_str().expect("text");
    let error: Error = Topology::from_json(document).expect_err(document);
    assert_eq!(error.code().name(), case["code"], "{document}: {error}");
    assert_eq!(error.place(), case["place"], "{document}: {error}");
    1
}

#[test]
fn every_file_of_the_manifest() {
    let manifest: Manifest = read("manifest.json");
    let mut total = 0;
    for listed in &manifest.files {
        let file: File = read(&listed.file);
        assert_eq!(file.kind, listed.kind, "{}", listed.file);
        assert!(!file.source.is_empty(), "{} says where it is from", listed.file);
        let run = match file.kind.as_str() {
            "hashes" => hashes,
            "routes" => routes,
            "explain" => explain,
            "replicas" => replicas,
            "groups" => groups,
            "ejections" => ejections,
            "fingerprints" => fingerprints,
            "errors" => errors,
            other => panic!("{}: unknown kind {other:?}", listed.file),
        };
        let answers: usize = file.cases.iter().map(run).sum();
        assert_eq!(answers, listed.answers, "{}", listed.file);
        println!("{}: {answers} answers", listed.file);
        total += answers;
    }
    println!("{total} answers in {} files", manifest.files.len());
}

#[test]
fn no_file_is_left_out_of_the_manifest() {
    let manifest: Manifest = read("manifest.json");
    let mut listed: Vec<String> = manifest.files.into_iter().map(|listed| listed.file).collect();
    listed.push("manifest.json".to_owned());
    listed.sort();
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".json"))
        .collect();
    found.sort();
    assert_eq!(found, listed);
}
