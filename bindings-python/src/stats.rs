//! `Stats`.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::border::guard;

macro_rules! stats {
    ($($(#[$doc:meta])* $name:ident)*) => {
        #[pymethods]
        impl Stats {
            $($(#[$doc])* #[getter] fn $name(&self, py: Python<'_>) -> PyResult<u64> {
                guard(py, || Ok(self.0.$name))
            })*

            /// The numbers by name, for a metrics exporter.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                guard(py, || {
                    let numbers = PyDict::new(py);
                    $(numbers.set_item(stringify!($name), self.0.$name)?;)*
                    Ok(numbers)
                })
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                guard(py, || {
                    let numbers = [$(format!("{}={}", stringify!($name), self.0.$name)),*];
                    Ok(format!("Stats({})", numbers.join(", ")))
                })
            }
        }
    };
}

/// Counters since the router was made, and gauges of the moment at which they were taken. Frozen, comparable.
#[pyclass(frozen, eq, module = "shardway")]
#[derive(PartialEq, Eq)]
pub(crate) struct Stats(pub(crate) shardway_core::Stats);

stats! {
    /// Times the ring in force changed: by a publish, an ejection or a revival. The first one counts.
    redistributes
    /// Nodes that joined, the first ones included.
    joins
    /// Nodes that left.
    leaves
    /// Nodes that lost their keys, by hand or by failure accrual.
    ejections
    /// Nodes that got their keys back.
    revivals
    /// Publishes that changed the logical partitions.
    partition_updates
    /// Publishes that were put in force, the first one included.
    snap_updates
    /// Publishes that were refused so that the old topology was kept.
    update_failures
    /// Nodes that are not ejected now.
    live_nodes
    /// Nodes that are ejected now.
    dead_nodes
    /// Nodes of the topology in force.
    nodes
    /// Points on the ring in force.
    points
    /// The revision in force.
    revision
    /// The fingerprint of the topology in force.
    fingerprint
}
