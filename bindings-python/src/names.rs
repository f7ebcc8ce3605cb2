//! The node ids of one revision as Python strings, so that an answer costs no allocation.

use std::sync::Arc;

use arc_swap::ArcSwap;
use pyo3::prelude::*;
use pyo3::types::PyString;
use shardway_core::Snapshot;

/// The ids of a snapshot's nodes, by index. Nodes do not change within a revision: ejections keep it.
///
/// The strings are plain, not interned: interned strings are immortal in some versions of Python, and ids come
/// and go in the life of a process.
pub(crate) struct Names {
    revision: u64,
    ids: Box<[Py<PyString>]>,
}

impl Names {
    fn of(py: Python<'_>, snapshot: &Snapshot) -> Self {
        let ids = snapshot.nodes().iter().map(|node| PyString::new(py, &node.id).unbind()).collect();
        Self { revision: snapshot.revision(), ids }
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The id of `node`, an index of this revision.
    #[inline]
    pub(crate) fn get<'py>(&self, py: Python<'py>, node: u32) -> Bound<'py, PyString> {
        self.ids[node as usize].bind(py).clone()
    }
}

/// A snapshot and the names of its nodes: all that lookups need.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) names: Arc<Names>,
}

/// The names of the revision in force, made again when it changes.
pub(crate) struct NameCache(ArcSwap<Names>);

impl NameCache {
    pub(crate) fn new(py: Python<'_>, snapshot: &Snapshot) -> Self {
        Self(ArcSwap::from_pointee(Names::of(py, snapshot)))
    }

    #[inline]
    pub(crate) fn load(&self) -> arc_swap::Guard<Arc<Names>> {
        self.0.load()
    }

    /// The names of `snapshot`, kept for the next call if it is the newest one seen.
    pub(crate) fn view(&self, py: Python<'_>, snapshot: Arc<Snapshot>) -> View {
        let kept = self.0.load_full();
        if kept.revision == snapshot.revision() {
            return View { snapshot, names: kept };
        }
        let names = Arc::new(Names::of(py, &snapshot));
        if kept.revision < names.revision {
            self.0.store(Arc::clone(&names));
        }
        View { snapshot, names }
    }
}
