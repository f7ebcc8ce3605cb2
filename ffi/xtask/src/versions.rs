//! One package version wherever it is stamped. The workspace's is the one; the others are compared with it.

use toml::{Table, Value};

use crate::{Outcome, files};

const WORKSPACE: &str = "Cargo.toml";
const PYTHON: &str = "bindings-python/pyproject.toml";
const NODE: &str = "bindings-node/package.json";
const NODE_LOCK: &str = "bindings-node/package-lock.json";
const JAVA: &str = "bindings-java/pom.xml";
const HEADER: &str = "include/shardway.h";

/// Fails at the first stamp that differs.
pub(crate) fn check() -> Outcome {
    let root = table(WORKSPACE)?;
    let version = text(&root, &["workspace", "package", "version"])
        .ok_or_else(|| format!("{WORKSPACE}: has no workspace.package.version"))?;
    let mut stamps = 1;

    let dependencies = at(&root, &["workspace", "dependencies"]).and_then(Value::as_table);
    for (name, dependency) in dependencies.into_iter().flatten() {
        if dependency.get("path").is_some() {
            same(
                WORKSPACE,
                &format!("workspace.dependencies.{name}"),
                dependency.get("version").and_then(Value::as_str),
                version,
            )?;
            stamps += 1;
        }
    }
    let members = at(&root, &["workspace", "members"]).and_then(Value::as_array);
    for member in members.into_iter().flatten().filter_map(Value::as_str) {
        let place = format!("{member}/Cargo.toml");
        let manifest = table(&place)?;
        if at(&manifest, &["package", "version", "workspace"]).and_then(Value::as_bool) != Some(true) {
            same(&place, "package.version", text(&manifest, &["package", "version"]), version)?;
        }
        stamps += 1;
    }
    let python = table(PYTHON)?;
    let dynamic = at(&python, &["project", "dynamic"]).and_then(Value::as_array);
    let is_dynamic = dynamic.into_iter().flatten().any(|field| field.as_str() == Some("version"));
    if !is_dynamic {
        same(PYTHON, "project.version", text(&python, &["project", "version"]), version)?;
    }
    for place in [NODE, NODE_LOCK] {
        let package: serde_json::Value =
            serde_json::from_str(&files::read(place)?).map_err(|error| format!("{place}: {error}"))?;
        same(place, "version", package["version"].as_str(), version)?;
    }
    // The project's own version is the first one of the file.
    let pom = files::read(JAVA)?;
    let stamp = pom.split_once("<version>").and_then(|(_, rest)| rest.split_once("</version>")).map(|(stamp, _)| stamp);
    same(JAVA, "version", stamp, version)?;
    stamps += 3;
    let header = files::read(HEADER)?;
    let stamp = header.lines().find_map(|line| line.strip_prefix("#define SHARDWAY_VERSION "));
    same(HEADER, "SHARDWAY_VERSION", stamp.map(|stamp| stamp.trim_matches('"')), version)?;
    stamps += 2;
    println!("version {version} in {stamps} places");
    Ok(())
}

fn same(place: &str, field: &str, found: Option<&str>, version: &str) -> Outcome {
    if found == Some(version) {
        return Ok(());
    }
    Err(format!("{place}: {field} is {found:?}; the workspace's version is {version}"))
}

fn table(place: &str) -> Outcome<Table> {
    files::read(place)?.parse().map_err(|error| format!("{place}: {error}"))
}

fn at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
}

fn text<'a>(table: &'a Table, path: &[&str]) -> Option<&'a str> {
    at(table, path).and_then(Value::as_str)
}
