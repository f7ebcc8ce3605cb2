//! `ffi/symbols.txt`: what the shared library exports. A symbol that goes or comes is a change of the ABI.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use object::{Object, ObjectSymbol};

use crate::{Outcome, exports, files};

const PLACE: &str = "ffi/symbols.txt";

/// Writes the list.
pub(crate) fn write(library: Option<&str>) -> Outcome {
    files::write(PLACE, &list(library)?)
}

/// Fails when the library and the list differ, or the library's name is not the versioned one.
pub(crate) fn check(library: Option<&str>) -> Outcome {
    let list = list(library)?;
    let sources = exports::sources()?;
    let declared: BTreeSet<String> =
        sources.iter().flat_map(|source| &source.exports).map(|export| export.sig.ident.to_string()).collect();
    let exported: BTreeSet<String> = list.lines().map(str::to_owned).collect();
    if let Some(name) = declared.symmetric_difference(&exported).next() {
        let where_ = if exported.contains(name) { "exported, but not in the sources" } else { "not exported" };
        return Err(format!("{name}: is {where_}"));
    }
    files::compare(PLACE, &list, "symbols")
}

fn list(library: Option<&str>) -> Outcome<String> {
    let path = library.map_or_else(build, |path| Ok(PathBuf::from(path)))?;
    let shown = path.display().to_string();
    let bytes = fs::read(&path).map_err(|error| format!("{shown}: {error}"))?;
    let file = object::File::parse(&*bytes).map_err(|error| format!("{shown}: {error}"))?;
    let name = soname(&bytes).map_err(|error| format!("{shown}: {error}"))?;
    let expected = format!("libshardway.so.{}", files::read("ffi/ABI_VERSION")?.trim());
    if name.as_deref() != Some(&expected) {
        return Err(format!("{shown}: its SONAME is {name:?}; {expected} is right"));
    }
    let symbols: BTreeSet<&str> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .filter_map(|symbol| symbol.name().ok())
        .collect();
    println!("{} symbols, SONAME {expected}", symbols.len());
    Ok(symbols.into_iter().collect::<Vec<_>>().join("\n") + "\n")
}

/// Builds the library as it is without features, and says where it is.
fn build() -> Outcome<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--package", "shardway-ffi"])
        .current_dir(files::path("."))
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("cargo: the library does not build".to_owned());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| files::path("target"), PathBuf::from);
    Ok(target.join("debug/libshardway.so"))
}

fn soname(bytes: &[u8]) -> object::Result<Option<String>> {
    use object::read::elf::{Dyn, FileHeader, SectionHeader};
    let header = object::elf::FileHeader64::<object::Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    for section in sections.iter() {
        let Some((entries, link)) = section.dynamic(endian, bytes)? else { continue };
        let strings = sections.strings(endian, bytes, link)?;
        for entry in entries {
            if entry.d_tag(endian) == object::elf::DT_SONAME {
                return Ok(Some(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned()));
            }
        }
    }
    Ok(None)
}
