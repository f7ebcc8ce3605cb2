//! `shardway._native`: the core for Python. Each file is glue for one class; the thinking is in `shardway-core`.
//!
//! Glue converts arguments, calls the core once and converts the answer. Every export stands behind
//! `border::guard`. Classes are frozen and safe for many threads.

// Doc comments of exports are Python docstrings, in Python's markup.
#![allow(clippy::doc_markdown)]

mod border;
mod document;
mod explain;
mod group;
mod health;
mod key;
mod names;
mod node;
mod partition;
mod router;
mod snapshot;
mod stats;
mod topology;
mod version;

use pyo3::prelude::*;

/// The native half of shardway. Import its names from `shardway`, not from here.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::explain::Explanation;
    #[pymodule_export]
    use super::health::Event;
    #[pymodule_export]
    use super::node::Node;
    #[pymodule_export]
    use super::partition::PartitionMap;
    #[pymodule_export]
    use super::router::Router;
    #[pymodule_export]
    use super::snapshot::Snapshot;
    #[pymodule_export]
    use super::stats::Stats;
    #[pymodule_export]
    use super::topology::Topology;
    #[cfg(feature = "panic-test")]
    #[pymodule_export]
    use super::version::_panic_on_demand;
    #[pymodule_export]
    use super::version::{error_codes, key_hashers, require_version, version};
}
