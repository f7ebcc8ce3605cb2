//! `docs/operations.md`: each operation of the core and its name in C and in every language, from
//! `tests/surface.json`. Every name is looked for in the sources, and every operation of the core has a row or a
//! reason, so that an operation that a language lacks is seen.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value};

use crate::{Outcome, files};

const TABLE: &str = "tests/surface.json";
const PAGE: &str = "docs/operations.md";

/// A column of the table: its name in the data, its title, and where its names stand.
struct Column {
    key: &'static str,
    title: &'static str,
    folders: &'static [&'static str],
    suffixes: &'static [&'static str],
}

const COLUMNS: [Column; 6] = [
    Column { key: "core", title: "core", folders: &["core/src"], suffixes: &[".rs"] },
    Column { key: "c", title: "C", folders: &["include"], suffixes: &[".h"] },
    Column { key: "cpp", title: "C++", folders: &["include/shardway"], suffixes: &[".hpp"] },
    Column {
        key: "python",
        title: "Python",
        folders: &["bindings-python/python/shardway"],
        suffixes: &[".py", ".pyi"],
    },
    Column { key: "node", title: "Node", folders: &["bindings-node/lib"], suffixes: &[".ts"] },
    Column { key: "java", title: "Java", folders: &["bindings-java/src/main/java/io/shardway"], suffixes: &[".java"] },
];

/// Whose public functions need a row.
const TYPES: [&str; 6] = ["Topology", "Router", "Snapshot", "Groups", "PartitionMap", "PartitionTable"];

/// Checks the table and writes the page.
pub(crate) fn write() -> Outcome {
    files::write(PAGE, &page()?)
}

/// Checks the table, and that the page is what it would be now.
pub(crate) fn check() -> Outcome {
    files::compare(PAGE, &page()?, "operations")
}

fn page() -> Outcome<String> {
    let data: Value = serde_json::from_str(&files::read(TABLE)?).map_err(|error| format!("{TABLE}: {error}"))?;
    let rows = data["operations"].as_array().ok_or_else(|| format!("{TABLE}: has no operations"))?;
    let mut missing = Vec::new();
    for column in &COLUMNS {
        let sources = sources(column)?;
        for row in rows {
            let idea = row["idea"].as_str().unwrap_or("an operation without a name");
            match row.get(column.key) {
                Some(Value::String(name)) if stands(name, &sources) => {}
                Some(Value::String(name)) => missing.push(format!("{idea}: {name} is not in {:?}", column.folders)),
                Some(Value::Null) if row["why"].is_string() => {}
                _ => missing.push(format!("{idea}: has no name in {} and no `why`", column.title)),
            }
        }
    }
    let without = data["without_row"].as_object().cloned().unwrap_or_default();
    missing.extend(unlisted(rows, &without)?);
    if !missing.is_empty() {
        return Err(format!("{TABLE}:\n  {}", missing.join("\n  ")));
    }
    Ok(text(rows, &without))
}

/// The text of every source of a column, each with its name.
fn sources(column: &Column) -> Outcome<Vec<String>> {
    let mut texts = Vec::new();
    let mut folders: Vec<_> = column.folders.iter().map(|place| files::path(place)).collect();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            let name = path.to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if column.suffixes.iter().any(|suffix| name.ends_with(suffix)) {
                texts.push(fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?);
            }
        }
    }
    Ok(texts)
}

/// Whether a name is declared: `Type`, `Type.member`, `Type::member`, or a function of C.
fn stands(name: &str, sources: &[String]) -> bool {
    let (kind, member) = name.split_once("::").or_else(|| name.split_once('.')).unwrap_or((name, ""));
    let is_type = |text: &String| {
        ["class ", "struct ", "enum ", "impl ", "record ", "interface ", "using "]
            .iter()
            .any(|word| words(text, &format!("{word}{kind}")))
    };
    if name.starts_with("shardway_") {
        return sources.iter().any(|text| words(text, &format!("{name}(")));
    }
    if !sources.iter().any(is_type) {
        return false;
    }
    // A member may stand in a base class, in another file of the same language.
    let forms = [format!("{member}("), format!("{member}<"), format!("{member}:"), format!("{member} =")];
    member.is_empty() || sources.iter().any(|text| forms.iter().any(|form| words(text, form)))
}

/// Whether `part` stands in `text` as whole words.
fn words(text: &str, part: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    text.match_indices(part).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_none_or(|sign| !is_word(sign));
        let ends_in_word = part.chars().next_back().is_some_and(is_word);
        let after = text[at + part.len()..].chars().next().is_none_or(|sign| !ends_in_word || !is_word(sign));
        before && after
    })
}

/// The public functions of the core's types that have neither a row nor a reason.
fn unlisted(rows: &[Value], without: &Map<String, Value>) -> Outcome<Vec<String>> {
    let mut unlisted = Vec::new();
    for text in sources(&COLUMNS[0])? {
        let file: syn::File = syn::parse_str(&text).map_err(|error| format!("core/src: {error}"))?;
        for item in file.items {
            let syn::Item::Impl(block) = item else { continue };
            let syn::Type::Path(path) = *block.self_ty else { continue };
            let Some(kind) = path.path.segments.last().map(|segment| segment.ident.to_string()) else { continue };
            if block.trait_.is_some() || !TYPES.contains(&kind.as_str()) {
                continue;
            }
            for member in block.items {
                let syn::ImplItem::Fn(function) = member else { continue };
                let name = format!("{kind}::{}", function.sig.ident);
                let listed = rows.iter().any(|row| row["core"] == name.as_str()) || without.contains_key(&name);
                if matches!(function.vis, syn::Visibility::Public(_)) && !listed {
                    unlisted.push(format!("{name} has no row, and no reason in without_row"));
                }
            }
        }
    }
    unlisted.sort();
    Ok(unlisted)
}

fn text(rows: &[Value], without: &Map<String, Value>) -> String {
    let mut page =
        "# Operations and their names\n\nWritten by `cargo run -p xtask -- operations` from `tests/surface.json`; \
                    `make lint` looks for every name in the sources.\n\n| operation |"
            .to_owned();
    for column in &COLUMNS {
        let _ = write!(page, " {} |", column.title);
    }
    let _ = writeln!(page, "\n|---|{}", "---|".repeat(COLUMNS.len()));
    let mut notes: Vec<&str> = Vec::new();
    for row in rows {
        let _ = write!(page, "| {} |", row["idea"].as_str().unwrap_or_default());
        let why = row["why"].as_str();
        for column in &COLUMNS {
            let name = row[column.key].as_str().map(|name| format!("`{name}`"));
            let note = why.map(|why| {
                let known = notes.iter().position(|note| *note == why);
                known.unwrap_or_else(|| {
                    notes.push(why);
                    notes.len() - 1
                })
            });
            let none = note.map_or_else(String::new, |note| format!("({})", note + 1));
            let _ = write!(page, " {} |", name.unwrap_or(none));
        }
        page.push('\n');
    }
    page.push('\n');
    for (number, note) in notes.iter().enumerate() {
        let _ = writeln!(page, "({}) {note}.", number + 1);
    }
    page.push_str("\nFunctions of the core without a row:\n\n");
    for (name, why) in without {
        let _ = writeln!(page, "- `{name}`: {}.", why.as_str().unwrap_or_default());
    }
    page
}
