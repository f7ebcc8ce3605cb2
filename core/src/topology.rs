//! What an operator declares: nodes, scheme, partitions, policies. Plain data, checked once, then trusted.

mod builder;
mod fingerprint;
mod rules;

pub use builder::TopologyBuilder;

use crate::hash::KeyHasher;
use crate::health::FailureAccrual;

/// The most nodes a topology may declare.
pub const MAX_NODES: usize = 100_000;
/// The most points a ring may have, all nodes together. At 16 bytes a point and 16 MiB of
/// index this is 272 MiB, and twice that while it is built.
pub const MAX_POINTS: u64 = 1 << 24;
/// The largest weight of a node.
pub const MAX_WEIGHT: u32 = 1_000_000_000;
/// The most bytes of an id, a host or a zone.
pub const MAX_NAME_BYTES: usize = 1_024;
/// The largest `num_reps`.
pub const MAX_NUM_REPS: u32 = 65_536;
/// The largest revision: what a signed 64-bit integer of any language holds.
pub const MAX_REVISION: u64 = i64::MAX as u64;
/// The largest `weight_unit`.
pub const MAX_WEIGHT_UNIT: u32 = 1_000_000;
/// The fewest slots of `slots-v1`.
pub const MIN_SLOTS: u32 = 256;
/// The most slots of `slots-v1`.
pub const MAX_SLOTS: u32 = 1 << 20;
/// The slots of `slots-v1` where a document names no number.
pub const DEFAULT_SLOTS: u32 = 65_536;
/// The most entries of all `serves` lists together.
pub const MAX_PARTITION_ENTRIES: usize = 1 << 22;

/// One instance that answers requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The stable name, 1 to 1,024 bytes, unique in a topology. Placement follows the id, never the address.
    pub id: String,
    /// Host name or address, for the host's transport. The `finagle` profile builds its label from it.
    pub host: Option<String>,
    /// TCP port, 1 to 65,535.
    pub port: Option<u16>,
    /// Share of the keys relative to other nodes, 0 to 1,000,000,000. 0 keeps the node known and gives it no key.
    pub weight: u32,
    /// The shard id that service discovery gives the instance, for logical partitions.
    pub shard_id: Option<i32>,
    /// Failure domain.
    pub zone: Option<String>,
}

impl Node {
    /// A node of weight 1 that is nothing but its id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), host: None, port: None, weight: 1, shard_id: None, zone: None }
    }

    /// The same node with `weight`.
    #[must_use]
    pub fn with_weight(self, weight: u32) -> Self {
        Self { weight, ..self }
    }

    /// The same node with `shard_id`.
    #[must_use]
    pub fn with_shard_id(self, shard_id: i32) -> Self {
        Self { shard_id: Some(shard_id), ..self }
    }

    /// The same node at `host` and `port`.
    #[must_use]
    pub fn at(self, host: impl Into<String>, port: u16) -> Self {
        Self { host: Some(host.into()), port: Some(port), ..self }
    }
}

/// How keys are placed on nodes. A scheme's answers never change once it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// The native ring: a node's points depend on its id and weight only.
    RingV1,
    /// Slots that nodes own by weighted rendezvous: a lookup is one hash and one read. The best choice for a new
    /// topology.
    SlotsV1 {
        /// The number of slots: a power of two from [`MIN_SLOTS`] to [`MAX_SLOTS`]. At 2 bytes a slot the table of
        /// 65,536 takes 128 KiB.
        slots: u32,
        /// The most slots of a node, in thousandths of its exact share: 1,010 to 2,000. `None`: no cap.
        balance: Option<u32>,
    },
    /// Weighted rendezvous of every key with every node: exact shares, no table, and a cost that grows with the nodes.
    RendezvousV1,
    /// The ring of another system, bit for bit.
    Profile(Profile),
    /// Finagle's `ConsistentHashingDistributor`, bit for bit.
    Finagle {
        /// Point counts in single precision, as old versions of libmemcached had them.
        old_libmemcached: bool,
        /// Hash the four big-endian bytes of the key's JVM `hashCode()`, as a Finagle Thrift client does.
        thrift_keys: bool,
    },
}

/// The placements of other systems that are reproduced bit for bit; `docs/profiles/` has a page for each family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// libmemcached's `MODULA`: the hash modulo the number of servers, in their order; weights do not count.
    LibmemcachedModula,
    /// libmemcached's `CONSISTENT` and `KETAMA` without weights: 100 points a server, by the key hash.
    LibmemcachedKetama,
    /// libmemcached's `KETAMA_WEIGHTED`: MD5, points by share of the weights in single precision.
    LibmemcachedKetamaWeighted,
    /// libmemcached's `CONSISTENT_KETAMA_SPY` without weights.
    LibmemcachedKetamaSpy,
    /// twemproxy's `ketama`.
    TwemproxyKetama,
    /// twemproxy's `modula`.
    TwemproxyModula,
    /// Python's uhashring in its `ketama` mode.
    UhashringKetama,
    /// Python's `hash_ring`, and `hashring` that comes from it.
    PythonHashRing,
    /// npm's `hashring` with MD5 and its defaults.
    NpmHashring,
    /// nginx's `hash ... consistent`, which is pingora-ketama's V1.
    NginxConsistent,
    /// Envoy's `ring_hash` with xxHash and its default sizes.
    EnvoyRingHash,
    /// Envoy's `ring_hash` with `MURMUR_HASH_2` and its default sizes; keys are hashed by xxHash in Envoy too.
    EnvoyRingHashMurmur2,
    /// Envoy's `maglev` with its default table of 65,537.
    EnvoyMaglev,
    /// 128 points for a weight of 1, of SHA-256, as a Go sharding middleware has it.
    WeightedVnodeSha256,
    /// Kafka's default partitioner: the hash modulo the number of nodes, which are the partitions in their order.
    KafkaMurmur2,
    /// Jump consistent hash over the nodes in their order, which is Guava's `consistentHash`. Nodes may join and leave at the end only.
    Jump,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 16] = [
        Self::LibmemcachedModula,
        Self::LibmemcachedKetama,
        Self::LibmemcachedKetamaWeighted,
        Self::LibmemcachedKetamaSpy,
        Self::TwemproxyKetama,
        Self::TwemproxyModula,
        Self::UhashringKetama,
        Self::PythonHashRing,
        Self::NpmHashring,
        Self::NginxConsistent,
        Self::EnvoyRingHash,
        Self::EnvoyRingHashMurmur2,
        Self::EnvoyMaglev,
        Self::WeightedVnodeSha256,
        Self::KafkaMurmur2,
        Self::Jump,
    ];

    /// The name in the topology document.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LibmemcachedModula => "libmemcached-modula",
            Self::LibmemcachedKetama => "libmemcached-ketama",
            Self::LibmemcachedKetamaWeighted => "libmemcached-ketama-weighted",
            Self::LibmemcachedKetamaSpy => "libmemcached-ketama-spy",
            Self::TwemproxyKetama => "twemproxy-ketama",
            Self::TwemproxyModula => "twemproxy-modula",
            Self::UhashringKetama => "uhashring-ketama",
            Self::PythonHashRing => "python-hash-ring",
            Self::NpmHashring => "npm-hashring",
            Self::NginxConsistent => "nginx-consistent",
            Self::EnvoyRingHash => "envoy-ring-hash",
            Self::EnvoyRingHashMurmur2 => "envoy-ring-hash-murmur2",
            Self::EnvoyMaglev => "envoy-maglev",
            Self::WeightedVnodeSha256 => "weighted-vnode-sha256",
            Self::KafkaMurmur2 => "kafka-murmur2",
            Self::Jump => "jump",
        }
    }

    /// The profile of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The key hasher of the system's own defaults.
    #[must_use]
    pub const fn default_key_hasher(self) -> KeyHasher {
        match self {
            Self::LibmemcachedModula | Self::LibmemcachedKetama | Self::LibmemcachedKetamaSpy => KeyHasher::OneAtATime,
            Self::TwemproxyKetama | Self::TwemproxyModula => KeyHasher::LibmemcachedFnv1a64,
            Self::LibmemcachedKetamaWeighted | Self::UhashringKetama | Self::PythonHashRing | Self::NpmHashring => {
                KeyHasher::Ketama
            }
            Self::NginxConsistent => KeyHasher::Crc32Itu,
            Self::EnvoyRingHash | Self::EnvoyRingHashMurmur2 | Self::EnvoyMaglev | Self::Jump => KeyHasher::Xxh64,
            Self::WeightedVnodeSha256 => KeyHasher::Sha256_64,
            Self::KafkaMurmur2 => KeyHasher::KafkaMurmur2,
        }
    }

    /// Whether the system lets one choose the key hasher.
    pub(crate) const fn has_key_hashers(self) -> bool {
        matches!(
            self,
            Self::LibmemcachedModula
                | Self::LibmemcachedKetama
                | Self::LibmemcachedKetamaWeighted
                | Self::LibmemcachedKetamaSpy
                | Self::TwemproxyKetama
                | Self::TwemproxyModula
                | Self::Jump
        )
    }
}

impl Scheme {
    /// `slots-v1` with [`DEFAULT_SLOTS`] slots and no cap.
    pub const SLOTS_V1: Self = Self::SlotsV1 { slots: DEFAULT_SLOTS, balance: None };

    /// `ring-v1`, `slots-v1`, `rendezvous-v1`, `finagle`, or the name of another profile.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RingV1 => "ring-v1",
            Self::SlotsV1 { .. } => "slots-v1",
            Self::RendezvousV1 => "rendezvous-v1",
            Self::Profile(profile) => profile.name(),
            Self::Finagle { .. } => "finagle",
        }
    }

    /// The key hasher of a document that names none.
    #[must_use]
    pub const fn default_key_hasher(self) -> KeyHasher {
        match self {
            Self::RingV1 | Self::SlotsV1 { .. } | Self::RendezvousV1 => KeyHasher::Xxh3_64,
            Self::Profile(profile) => profile.default_key_hasher(),
            Self::Finagle { .. } => KeyHasher::Ketama,
        }
    }

    /// Whether nodes have points, so that `num_reps` means something.
    pub(crate) const fn has_points(self) -> bool {
        matches!(self, Self::RingV1 | Self::Finagle { .. })
    }

    /// Whether the order of nodes is part of the declaration: in profiles it decides who keeps a shared point.
    #[must_use]
    pub const fn order_matters(self) -> bool {
        matches!(self, Self::Finagle { .. } | Self::Profile(_))
    }
}

/// The logical partitions that the instance with `shard_id` serves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    /// The instance.
    pub shard_id: i32,
    /// Its partitions, without repeats. Two instances may serve the same one.
    pub serves: Vec<i32>,
}

/// A checked declaration. Made by [`Topology::from_json`] or [`Topology::builder`]; immutable.
///
/// Two topologies are equal when their fingerprints and revisions are.
#[derive(Clone, Debug)]
pub struct Topology {
    nodes: Vec<Node>,
    scheme: Scheme,
    key_hasher: KeyHasher,
    num_reps: u32,
    weight_unit: u32,
    revision: Option<u64>,
    partitions: Option<Vec<Serving>>,
    eject_failed_host: bool,
    failure_accrual: FailureAccrual,
    fingerprint: u64,
    /// Node indices in the order of their ids' bytes.
    by_id: Vec<u32>,
}

impl Topology {
    /// The default of `num_reps`: points per unit of weight.
    pub const DEFAULT_NUM_REPS: u32 = 160;

    /// Starts a declaration in code.
    #[must_use]
    pub fn builder(scheme: Scheme) -> TopologyBuilder {
        TopologyBuilder::new(scheme)
    }

    /// The nodes in the order of the document.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The key hasher, the scheme's default where the document names none.
    #[must_use]
    pub const fn key_hasher(&self) -> KeyHasher {
        self.key_hasher
    }

    /// Points per unit of weight.
    #[must_use]
    pub const fn num_reps(&self) -> u32 {
        self.num_reps
    }

    /// The weight that gets `num_reps` points.
    #[must_use]
    pub const fn weight_unit(&self) -> u32 {
        self.weight_unit
    }

    /// The revision the document declares, if any.
    #[must_use]
    pub const fn revision(&self) -> Option<u64> {
        self.revision
    }

    /// The declared logical partitions; `None` means that each instance is its own.
    #[must_use]
    pub fn partitions(&self) -> Option<&[Serving]> {
        self.partitions.as_deref()
    }

    /// Whether a node that failure accrual marks dead loses its keys to the next ones until it is back.
    #[must_use]
    pub const fn eject_failed_host(&self) -> bool {
        self.eject_failed_host
    }

    /// When a node counts as dead, and for how long.
    #[must_use]
    pub const fn failure_accrual(&self) -> FailureAccrual {
        self.failure_accrual
    }

    /// A 64-bit digest of everything declared except the revision: the same for equal declarations on every
    /// machine, whatever the order of nodes (with a scheme where [order matters](Scheme::order_matters) the
    /// order is declared content).
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The index of the node with `id`.
    #[must_use]
    pub fn index_of(&self, id: &str) -> Option<u32> {
        self.by_id
            .binary_search_by(|&index| self.nodes[index as usize].id.as_str().cmp(id))
            .ok()
            .map(|place| self.by_id[place])
    }

    /// Node indices in the order of their ids' bytes.
    pub(crate) fn by_id(&self) -> &[u32] {
        &self.by_id
    }
}

impl PartialEq for Topology {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && self.revision == other.revision
    }
}

impl Eq for Topology {}

#[cfg(test)]
mod tests;
