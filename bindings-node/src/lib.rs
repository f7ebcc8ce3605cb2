//! The native module of the npm package `shardway`: glue between `shardway-core` and Node.
//!
//! Each export is a plain function: it converts its arguments, makes one call of the core and converts the answer.
//! Handles are externals; the classes that people use, and the checks of what they pass, are in `lib/*.ts`.

// An export owns what was converted for it: references to these types are not what Node-API gives.
#![allow(clippy::needless_pass_by_value)]
// Compiled as a test, the exports are left out by their own macro, and then nothing is used.
#![cfg_attr(test, allow(dead_code, unused_imports))]

mod border;
mod health;
mod hot;
mod key;
mod meta;
mod partition;
mod router;
mod snapshot;
mod topology;
