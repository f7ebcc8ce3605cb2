//! Files of the tree, by their place below its root.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;

/// A place below the root of the tree.
pub(crate) fn path(place: &str) -> PathBuf {
    // This crate lies two folders below the root.
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place)
}

/// The text of a file.
pub(crate) fn read(place: &str) -> Outcome<String> {
    fs::read_to_string(path(place)).map_err(|error| format!("{place}: {error}"))
}

/// Writes a generated file, unless it is so already.
pub(crate) fn write(place: &str, text: &str) -> Outcome {
    if read(place).is_ok_and(|old| old == text) {
        println!("{place}: is up to date");
        return Ok(());
    }
    fs::write(path(place), text).map_err(|error| format!("{place}: {error}"))?;
    println!("{place}: written");
    Ok(())
}

/// Fails when a generated file is not what it would be now; `chore` is the command that makes it so.
pub(crate) fn compare(place: &str, text: &str, chore: &str) -> Outcome {
    let old = read(place)?;
    if old == text {
        println!("{place}: is up to date, {} lines", text.lines().count());
        return Ok(());
    }
    let line = old.lines().zip(text.lines()).take_while(|(old, new)| old == new).count();
    let shown = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    Err(format!(
        "{place}: has drifted at line {}\n  is       {}\n  would be {}\nrun `cargo run -p xtask -- {chore}` and look at the difference",
        line + 1,
        shown(&old),
        shown(text)
    ))
}
