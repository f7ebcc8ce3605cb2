//! Writes the answers of the conformance vectors that are ours, or with `--check` fails where one differs:
//!
//! ```text
//! cargo run -p shardway-core --example make_vectors [-- --check]
//! ```
//!
//! The cases (topologies, keys, steps, documents) stand in the files of `tests/vectors`; this computes each answer with
//! the core and writes the file again, byte for byte in the same form. `tests/vectors/make_native.py` makes cases and
//! answers without the core: where the two differ, one of them is wrong.
#![allow(clippy::disallowed_macros, clippy::disallowed_methods, reason = "a program reads, writes and prints")]

use std::error::Error;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use shardway_core::{Key, Router, Topology};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;
type Raw = Box<RawValue>;

/// Answers of ours name their other maker as the source.
const OURS: &str = "tests/vectors/make_native.py";

#[derive(Deserialize)]
struct Head {
    kind: String,
    source: String,
}

#[derive(Deserialize)]
struct File<C> {
    cases: Vec<C>,
}

#[derive(Serialize, Deserialize)]
struct Routes {
    topology: Raw,
    keys: Vec<Raw>,
    owners: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Replicas {
    topology: Raw,
    n: usize,
    keys: Vec<Raw>,
    owners: Vec<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
struct Group {
    node: String,
    indices: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct Grouped {
    topology: Raw,
    keys: Vec<Raw>,
    groups: Vec<Group>,
}

#[derive(Serialize, Deserialize)]
struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    eject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revive: Option<String>,
    owners: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
struct Ejections {
    topology: Raw,
    keys: Vec<Raw>,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
struct Fingerprint {
    topology: Raw,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct Refused {
    document: String,
    code: String,
    place: String,
}

/// One form of a key.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Form {
    Text(String),
    Hex(String),
    I64(String),
    I32(i32),
    Bool(bool),
    Hash(String),
}

fn router(topology: &Raw) -> Outcome<Router> {
    Ok(Router::new(Topology::from_json(topology.get())?, 0)?)
}

/// The owner of a key; an error where there is none.
fn owner(router: &Router, key: &Raw) -> Outcome<String> {
    let route = match form(key)? {
        Form::Hash(hash) => router.route_hash(hash.parse()?)?,
        form => with_key(&form, |key| Ok(router.route(key)?))?,
    };
    Ok(router.snapshot().nodes()[route.node as usize].id.clone())
}

fn form(key: &Raw) -> Outcome<Form> {
    Ok(serde_json::from_str(key.get())?)
}

fn with_key<T>(form: &Form, use_it: impl FnOnce(Key<'_>) -> Outcome<T>) -> Outcome<T> {
    match form {
        Form::Text(text) => use_it(Key::Str(text)),
        Form::Hex(hex) => {
            let digits: Result<Vec<u8>, _> =
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16)).collect();
            use_it(Key::Bytes(&digits?))
        }
        Form::I64(number) => use_it(Key::I64(number.parse()?)),
        Form::I32(number) => use_it(Key::I32(*number)),
        Form::Bool(value) => use_it(Key::Bool(*value)),
        Form::Hash(_) => Err("a bare hash is no key here".into()),
    }
}

fn routes(mut case: Routes) -> Outcome<Routes> {
    let router = router(&case.topology)?;
    case.owners = case.keys.iter().map(|key| owner(&router, key)).collect::<Outcome<_>>()?;
    Ok(case)
}

fn replicas(mut case: Replicas) -> Outcome<Replicas> {
    let router = router(&case.topology)?;
    let snapshot = router.snapshot();
    let mut owners = Vec::new();
    for key in &case.keys {
        let mut room = vec![0; case.n];
        let found = with_key(&form(key)?, |key| Ok(router.replicas(key, &mut room)?))?;
        owners.push(room[..found.n].iter().map(|&node| snapshot.nodes()[node as usize].id.clone()).collect());
    }
    case.owners = owners;
    Ok(case)
}

fn groups(mut case: Grouped) -> Outcome<Grouped> {
    let snapshot = router(&case.topology)?.snapshot();
    let mut hashes = Vec::new();
    for key in &case.keys {
        hashes.push(with_key(&form(key)?, |key| Ok(snapshot.hash(key)?))?);
    }
    let groups = snapshot.group_hashes(&hashes)?;
    let node = |index: u32| snapshot.nodes()[index as usize].id.clone();
    case.groups = groups.iter().map(|(owner, keys)| Group { node: node(owner), indices: keys.to_vec() }).collect();
    Ok(case)
}

fn ejections(mut case: Ejections) -> Outcome<Ejections> {
    let router = router(&case.topology)?;
    for step in &mut case.steps {
        match (&step.eject, &step.revive) {
            (Some(id), None) => router.eject(id)?,
            (None, Some(id)) => router.revive(id)?,
            _ => return Err("a step is one of eject and revive".into()),
        };
        // No list: there is no owner for any key.
        let stats = router.stats();
        let owners = || case.keys.iter().map(|key| owner(&router, key)).collect::<Outcome<Vec<_>>>();
        step.owners = if stats.live_nodes == 0 { None } else { owners().ok() };
    }
    Ok(case)
}

fn fingerprints(case: Fingerprint) -> Outcome<Fingerprint> {
    let fingerprint = format!("{:016x}", Topology::from_json(case.topology.get())?.fingerprint());
    Ok(Fingerprint { fingerprint, ..case })
}

fn errors(case: Refused) -> Outcome<Refused> {
    match Topology::from_json(&case.document) {
        Ok(_) => Err(format!("no error for {}", case.document).into()),
        Err(error) => Ok(Refused {
            code: error.code().name().to_owned(),
            place: error.place().to_owned(),
            document: case.document,
        }),
    }
}

/// One blank behind each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

fn spaced(value: &impl Serialize) -> Outcome<String> {
    let mut text = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, Spaced))?;
    Ok(String::from_utf8(text)?)
}

fn render<C: Serialize + for<'de> Deserialize<'de>>(
    text: &str,
    head: &Head,
    answer: fn(C) -> Outcome<C>,
) -> Outcome<String> {
    let file: File<C> = serde_json::from_str(text)?;
    let mut rows = Vec::new();
    for case in file.cases {
        rows.push(format!("  {}", spaced(&answer(case)?)?));
    }
    let (kind, source) = (spaced(&head.kind)?, spaced(&head.source)?);
    Ok(format!("{{\n \"kind\": {kind},\n \"source\": {source},\n \"cases\": [\n{}\n ]\n}}\n", rows.join(",\n")))
}

fn made(text: &str, head: &Head) -> Outcome<String> {
    match head.kind.as_str() {
        "routes" => render(text, head, routes),
        "replicas" => render(text, head, replicas),
        "groups" => render(text, head, groups),
        "ejections" => render(text, head, ejections),
        "fingerprints" => render(text, head, fingerprints),
        "errors" => render(text, head, errors),
        other => Err(format!("no way to make vectors of kind {other:?}").into()),
    }
}

fn run(check: bool) -> Outcome<bool> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let (mut files, mut differing) = (0, Vec::new());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "json") || name == "manifest.json" {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let head: Head = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
        if !head.source.starts_with(OURS) {
            continue;
        }
        files += 1;
        let new = made(&text, &head).map_err(|error| format!("{name}: {error}"))?;
        if new != text {
            if !check {
                fs::write(&path, &new)?;
            }
            differing.push(name);
        }
    }
    println!("{files} files, {} {}: {differing:?}", differing.len(), if check { "differ" } else { "written" });
    Ok(!check || differing.is_empty())
}

fn main() -> ExitCode {
    let check = std::env::args().nth(1).is_some_and(|word| word == "--check");
    match run(check) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("make_vectors: {error}");
            ExitCode::FAILURE
        }
    }
}
