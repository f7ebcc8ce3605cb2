//! The native library of `io.shardway`: the core for the JVM. Each file is glue for one class; the thinking is in
//! `shardway-core`.
//!
//! Glue converts arguments, calls the core once and converts the answer. The exports are the native methods of
//! `io.shardway.Native`, a class that is not public: it is the only caller, and it keeps the rules that each
//! handle came from here and is alive. Every export stands behind `border::guard` or `border::bare`.

mod border;
mod group;
mod key;
mod partition;
mod route;
mod router;
mod snapshot;
mod topology;
mod version;
mod wire;
