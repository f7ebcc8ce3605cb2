//! What lookups read: a compiled topology and who is ejected. Never changed after it is made.

mod compile;
mod explain;
mod lookup;
mod mask;

pub use explain::Explanation;
pub use lookup::{Replicas, Route};

pub(crate) use compile::Compiled;
pub(crate) use mask::Mask;

use std::sync::Arc;

use crate::partition::PartitionMap;
use crate::placement::Table;
use crate::topology::{Node, Topology};

/// One consistent view of the ring. A request that holds a snapshot sees no change until it lets go of it.
///
/// A node is told by its index in [`nodes`](Self::nodes). An index means something only together with the
/// snapshot (or a snapshot of the same revision) that gave it.
///
/// Safe for many threads. Lookups take no lock and allocate nothing.
#[derive(Debug)]
pub struct Snapshot {
    compiled: Arc<Compiled>,
    /// The compiled table, or one rebuilt without the ejected nodes where the scheme asks for that.
    table: Arc<Table>,
    ejected: Mask,
    /// Whether owners in the table may be ejected, so that a lookup has to look.
    masked: bool,
    /// Nodes that can own keys and are not ejected.
    live_owners: usize,
    revision: u64,
}

impl Snapshot {
    /// The view of `compiled` without the nodes of `ejected`.
    pub(crate) fn new(compiled: Arc<Compiled>, ejected: Mask, revision: u64) -> Self {
        let rebuild = ejected.any() && compiled.rebuilds_on_ejection();
        let table = if rebuild { Arc::new(compiled.table_without(&ejected)) } else { Arc::clone(compiled.table()) };
        let masked = ejected.any() && !rebuild;
        let masked_owners = if masked { ejected.iter().filter(|&node| table.is_owner(node)).count() } else { 0 };
        let live_owners = table.n_owners() - masked_owners;
        Self { compiled, table, ejected, masked, live_owners, revision }
    }

    pub(crate) fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    pub(crate) fn ejected_mask(&self) -> &Mask {
        &self.ejected
    }

    /// The nodes, in the order of the topology. Their places are the indices that lookups answer with.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        self.topology().nodes()
    }

    /// The node with `index`.
    #[must_use]
    pub fn node(&self, index: u32) -> Option<&Node> {
        self.nodes().get(index as usize)
    }

    /// The index of the node with `id`.
    #[must_use]
    pub fn index_of(&self, id: &str) -> Option<u32> {
        self.topology().index_of(id)
    }

    /// Whether the node with `index` is ejected. `false` for an index that no node has.
    #[must_use]
    pub fn is_ejected(&self, index: u32) -> bool {
        self.ejected.contains(index)
    }

    /// The indices of the ejected nodes, ascending.
    pub fn ejected(&self) -> impl Iterator<Item = u32> + '_ {
        self.ejected.iter()
    }

    /// The revision in force: the document's, or the router's own count where the document has none.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The fingerprint of the topology.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.topology().fingerprint()
    }

    /// The topology this was compiled from.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        self.compiled.topology()
    }

    /// The logical partitions that the topology declares.
    #[must_use]
    pub fn partitions(&self) -> &PartitionMap {
        self.compiled.partitions()
    }

    /// The entries of the table: points of a ring, slots of a slot table.
    #[must_use]
    pub fn points(&self) -> usize {
        self.table.len()
    }
}
