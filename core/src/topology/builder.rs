//! Declaring a topology in code. The document form ends here too, so both are checked by the same rules.

use super::{Node, Scheme, Serving, Topology, fingerprint, rules};
use crate::error::Result;
use crate::hash::KeyHasher;
use crate::health::FailureAccrual;

/// Collects a declaration; [`build`](Self::build) checks it.
///
/// ```
/// use shardway_core::{Node, Scheme, Topology};
///
/// let topology = Topology::builder(Scheme::RingV1)
///     .node(Node::new("a").at("10.0.0.1", 9090))
///     .node(Node::new("b").at("10.0.0.2", 9090).with_weight(2))
///     .revision(7)
///     .build()?;
/// assert_eq!(topology.nodes().len(), 2);
/// # Ok::<(), shardway_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TopologyBuilder {
    pub(super) nodes: Vec<Node>,
    pub(super) scheme: Scheme,
    pub(super) key_hasher: Option<KeyHasher>,
    pub(super) num_reps: u32,
    pub(super) weight_unit: u32,
    pub(super) revision: Option<u64>,
    pub(super) partitions: Option<Vec<Serving>>,
    pub(super) eject_failed_host: bool,
    pub(super) failure_accrual: FailureAccrual,
}

impl TopologyBuilder {
    pub(super) fn new(scheme: Scheme) -> Self {
        Self {
            nodes: Vec::new(),
            scheme,
            key_hasher: None,
            num_reps: Topology::DEFAULT_NUM_REPS,
            weight_unit: 1,
            revision: None,
            partitions: None,
            eject_failed_host: false,
            failure_accrual: FailureAccrual::default(),
        }
    }

    /// Adds a node.
    #[must_use]
    pub fn node(mut self, node: Node) -> Self {
        self.nodes.push(node);
        self
    }

    /// Adds nodes.
    #[must_use]
    pub fn nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.nodes.extend(nodes);
        self
    }

    /// Sets the key hasher; without it the scheme's default is used.
    #[must_use]
    pub fn key_hasher(mut self, hasher: KeyHasher) -> Self {
        self.key_hasher = Some(hasher);
        self
    }

    /// Sets the points per unit of weight, 1 to 65,536 (from 4 on in the `finagle` profile); 160 by default.
    #[must_use]
    pub fn num_reps(mut self, num_reps: u32) -> Self {
        self.num_reps = num_reps;
        self
    }

    /// Sets the weight that gets `num_reps` points, 1 to 1,000,000; 1 by default. `ring-v1` only.
    #[must_use]
    pub fn weight_unit(mut self, weight_unit: u32) -> Self {
        self.weight_unit = weight_unit;
        self
    }

    /// Sets the revision, 1 and up. Without it a router numbers the topology itself.
    #[must_use]
    pub fn revision(mut self, revision: u64) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Declares logical partitions. An instance that is not listed serves none.
    #[must_use]
    pub fn partitions(mut self, partitions: impl IntoIterator<Item = Serving>) -> Self {
        self.partitions = Some(partitions.into_iter().collect());
        self
    }

    /// Sets whether dead nodes lose their keys to the next ones; `false` by default.
    #[must_use]
    pub fn eject_failed_host(mut self, eject: bool) -> Self {
        self.eject_failed_host = eject;
        self
    }

    /// Sets when a node counts as dead, and for how long.
    #[must_use]
    pub fn failure_accrual(mut self, policy: FailureAccrual) -> Self {
        self.failure_accrual = policy;
        self
    }

    /// Checks the declaration. The error names the first place that breaks a rule.
    pub fn build(self) -> Result<Topology> {
        let by_id = rules::check(&self)?;
        let fingerprint = fingerprint::of(&self, &by_id);
        Ok(Topology {
            key_hasher: self.hasher(),
            nodes: self.nodes,
            scheme: self.scheme,
            num_reps: self.num_reps,
            weight_unit: self.weight_unit,
            revision: self.revision,
            partitions: self.partitions,
            eject_failed_host: self.eject_failed_host,
            failure_accrual: self.failure_accrual,
            fingerprint,
            by_id,
        })
    }

    pub(super) fn hasher(&self) -> KeyHasher {
        self.key_hasher.unwrap_or(self.scheme.default_key_hasher())
    }
}
