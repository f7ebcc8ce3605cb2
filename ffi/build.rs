//! Gives the shared library its versioned name, and the code its ABI version. Both come from the file
//! `ABI_VERSION`. Writes nothing into the tree: the header is made by `cargo run -p xtask -- header`.

use std::env;
use std::fs;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=ABI_VERSION");
    let abi = fs::read_to_string("ABI_VERSION").expect("the file ABI_VERSION beside build.rs");
    let abi: u32 = abi.trim().parse().expect("one whole number in ABI_VERSION");
    println!("cargo::rustc-env=SHARDWAY_ABI_VERSION={abi}");
    // A plain cdylib has no SONAME, so a program linked to it would ask for whatever file it was built with.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libshardway.so.{abi}");
    }
}
