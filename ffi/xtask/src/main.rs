//! The project's own chores. `cargo run -p xtask -- header` and so on; `--check` compares and writes nothing.
//!
//! - `header`: `include/shardway.h`, from the sources of `ffi/`.
//! - `symbols`: `ffi/symbols.txt`, from a library built for it (or `--library PATH`).
//! - `borders --check`: every export of `ffi/` stands behind the boundary, has its five labels, and takes
//!   only what may cross.
//! - `operations`: `docs/operations.md`, from `tests/surface.json`, whose names are looked for in the sources.
//! - `versions --check`: one package version wherever it is stamped.

mod borders;
mod constants;
mod exports;
mod files;
mod header;
mod operations;
mod symbols;
mod versions;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo run -p xtask -- header [--check] | symbols [--check] [--library PATH] | borders --check | operations [--check] | versions --check";

/// What went wrong, for the console.
pub(crate) type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["header"] => header::write(),
        ["header", "--check"] => header::check(),
        ["symbols"] => symbols::write(None),
        ["symbols", "--library", library] => symbols::write(Some(library)),
        ["symbols", "--check"] => symbols::check(None),
        ["symbols", "--check", "--library", library] => symbols::check(Some(library)),
        ["borders", "--check"] => borders::check(),
        ["operations"] => operations::write(),
        ["operations", "--check"] => operations::check(),
        ["versions", "--check"] => versions::check(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}
