//! Compatibility profiles: the rings of other systems, bit for bit. Each is a recipe of what differs between them; one
//! builder makes the ring. `docs/profiles/memcached.md` says where each comes from.

use super::{Entry, List, Position, Ring, Table, finagle, maglev};
use crate::hash::{KeyHasher, md5, murmur64a, sha256_64};
use crate::topology::{Node, Profile, Topology};
use xxhash_rust::xxh64::xxh64;

/// The port that memcached's clients leave out of a label.
const MEMCACHED_PORT: u16 = 11_211;

/// How many labels each node has.
#[derive(Clone, Copy, Debug)]
enum Count {
    /// As many for each, whatever its weight.
    Each(u64),
    /// By share of the weights, computed in single precision.
    Single,
    /// By share of the weights: 40 times nodes times weight, over all weight, in whole numbers.
    Whole,
    /// The same in double precision, the share first.
    ShareFirst,
    /// So many for a weight of 1.
    PerWeight(u64),
    /// Envoy's: a running sum over the nodes in their order, in double precision.
    Running,
}

/// What the points of a label are.
#[derive(Clone, Copy, Debug)]
enum Points {
    /// The first little-endian words of the label's MD5.
    Md5Words(usize),
    /// The key hash of the label.
    KeyHash,
    /// CRC-32 of the address and of the point before.
    Crc32Chain,
    /// xxHash64 of `label_i`.
    Xxh64,
    /// `MurmurHash64A` of `label_i`, with libstdc++'s seed.
    Murmur64a,
    /// The first eight bytes of SHA-256 of label and number.
    Sha256,
}

/// The seed of libstdc++'s `std::hash`.
const LIBSTDCXX_SEED: u64 = 0xc70f_6907;
/// Envoy's default sizes of a ring.
const ENVOY_LEAST: f64 = 1_024.0;
const ENVOY_MOST: f64 = 8_388_608.0;
/// Envoy's default size of a Maglev table.
const ENVOY_TABLE: usize = 65_537;

/// A ring of another system.
struct Recipe {
    label: fn(&Node) -> String,
    count: Count,
    points: Points,
    /// Where two points are equal the node that is listed later has it.
    later_wins: bool,
    position: Position,
}

impl Profile {
    /// How the ring is made; `None` for a profile without one.
    const fn recipe(self) -> Option<Recipe> {
        let libmemcached = Recipe {
            label: memcached_label,
            count: Count::Each(100),
            points: Points::KeyHash,
            later_wins: false,
            position: Position::Low32,
        };
        let words = Points::Md5Words(4);
        Some(match self {
            Self::LibmemcachedModula | Self::TwemproxyModula | Self::EnvoyMaglev | Self::KafkaMurmur2 | Self::Jump => {
                return None;
            }
            Self::EnvoyRingHash | Self::EnvoyRingHashMurmur2 => Recipe {
                label: full_address,
                count: Count::Running,
                points: if matches!(self, Self::EnvoyRingHash) { Points::Xxh64 } else { Points::Murmur64a },
                later_wins: false,
                position: Position::Whole,
            },
            Self::WeightedVnodeSha256 => Recipe {
                label: id,
                count: Count::PerWeight(128),
                points: Points::Sha256,
                later_wins: false,
                position: Position::Whole,
            },
            Self::LibmemcachedKetama => libmemcached,
            Self::LibmemcachedKetamaSpy => Recipe { label: spy_label, ..libmemcached },
            Self::LibmemcachedKetamaWeighted | Self::TwemproxyKetama => {
                Recipe { count: Count::Single, points: words, ..libmemcached }
            }
            Self::UhashringKetama => Recipe {
                label: id,
                count: Count::Whole,
                points: words,
                later_wins: true,
                position: Position::AboveLow32,
            },
            Self::PythonHashRing => Recipe {
                label: id,
                count: Count::Whole,
                points: Points::Md5Words(3),
                later_wins: true,
                position: Position::AboveLow32,
            },
            Self::NpmHashring => Recipe { label: id, count: Count::ShareFirst, points: words, ..libmemcached },
            Self::NginxConsistent => {
                Recipe { label: address, count: Count::PerWeight(160), points: Points::Crc32Chain, ..libmemcached }
            }
        })
    }

    /// Whether taking a node out changes the points of others: so it is in the system itself.
    pub(crate) const fn rebuilds(self) -> bool {
        match self.recipe() {
            Some(recipe) => !matches!(recipe.count, Count::Each(_) | Count::PerWeight(_)),
            None => matches!(self, Self::EnvoyMaglev),
        }
    }

    /// What a node is called in the system.
    pub(crate) fn label(self, node: &Node) -> String {
        match self {
            Self::EnvoyMaglev => full_address(node),
            Self::KafkaMurmur2 | Self::Jump => id(node),
            _ => self.recipe().map_or_else(|| memcached_label(node), |recipe| (recipe.label)(node)),
        }
    }
}

/// `host`, or `host:port` where the port is not memcached's; the id of a node without an address.
fn memcached_label(node: &Node) -> String {
    match (&node.host, node.port) {
        (Some(host), Some(port)) if port != MEMCACHED_PORT => format!("{host}:{port}"),
        (Some(host), _) => host.clone(),
        (None, _) => node.id.clone(),
    }
}

/// `/host:port`, the port always written.
fn spy_label(node: &Node) -> String {
    match (&node.host, node.port) {
        (Some(host), port) => format!("/{host}:{}", port.unwrap_or(MEMCACHED_PORT)),
        (None, _) => format!("/{}", node.id),
    }
}

/// `host:port`; the id of a node without an address.
fn full_address(node: &Node) -> String {
    match (&node.host, node.port) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        _ => node.id.clone(),
    }
}

fn id(node: &Node) -> String {
    node.id.clone()
}

/// Host and port with a zero byte between, as nginx hashes them; an id is taken apart at the last colon that digits
/// follow.
fn address(node: &Node) -> String {
    match (&node.host, node.port) {
        (Some(host), Some(port)) => format!("{host}\0{port}"),
        (Some(host), None) => format!("{host}\0"),
        (None, _) => match node.id.rsplit_once(':') {
            Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("{host}\0{port}")
            }
            _ => format!("{}\0", node.id),
        },
    }
}

/// The labels of each node, in their order.
fn counts(count: Count, weights: &[u32]) -> Vec<u64> {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let nodes = weights.len() as u64;
    let share = |weight: u32| u64::from(weight);
    match count {
        Count::Each(labels) => vec![labels; weights.len()],
        Count::Running => running(weights, total),
        Count::PerWeight(labels) => weights.iter().map(|&weight| labels.saturating_mul(share(weight))).collect(),
        Count::Single => finagle::digests(weights.iter().copied(), 160, true),
        _ if total == 0 => vec![0; weights.len()],
        Count::Whole => weights.iter().map(|&weight| 40 * nodes * share(weight) / total).collect(),
        Count::ShareFirst => {
            weights.iter().map(|&weight| (f64::from(weight) / total as f64 * 40.0 * nodes as f64) as u64).collect()
        }
    }
}

/// Envoy's counts: points are added to a node while the sum so far is below its target.
fn running(weights: &[u32], total: u64) -> Vec<u64> {
    let share = |weight: u32| f64::from(weight) / total as f64;
    let Some(least) = weights.iter().copied().filter(|&weight| weight > 0).min().map(share) else {
        return vec![0; weights.len()];
    };
    // The smallest whole number that is not below.
    let whole = (least * ENVOY_LEAST) as u64;
    let ceiling = if (whole as f64) < least * ENVOY_LEAST { whole + 1 } else { whole };
    let scale = (ceiling as f64 / least).min(ENVOY_MOST);
    let (mut target, mut current) = (0.0, 0.0);
    let mut counts = Vec::with_capacity(weights.len());
    for &weight in weights {
        target += scale * share(weight);
        let mut count = 0;
        while current < target {
            count += 1;
            current += 1.0;
        }
        counts.push(count);
    }
    counts
}

/// The points that the nodes of a declaration ask for.
pub(super) fn points_wanted(profile: Profile, nodes: &[Node]) -> u64 {
    let Some(recipe) = profile.recipe() else {
        // The entries of a list.
        return match profile {
            Profile::TwemproxyModula => nodes.iter().map(|node| u64::from(node.weight)).sum(),
            _ => nodes.len() as u64,
        };
    };
    let weights: Vec<u32> = nodes.iter().map(|node| node.weight).collect();
    let labels = counts(recipe.count, &weights).into_iter().fold(0, u64::saturating_add);
    match recipe.points {
        Points::Md5Words(words) => labels.saturating_mul(words as u64),
        _ => labels,
    }
}

/// The table of the nodes that `live` lets in.
pub(super) fn build(topology: &Topology, profile: Profile, live: impl Fn(u32) -> bool) -> Table {
    let nodes = topology.nodes();
    let mut members: Vec<u32> = (0..nodes.len() as u32).filter(|&index| live(index)).collect();
    if matches!(profile, Profile::TwemproxyKetama | Profile::TwemproxyModula) {
        // It sorts its servers when it reads them: shorter names first, then by bytes.
        members.sort_by_key(|&index| {
            let label = memcached_label(&nodes[index as usize]);
            (label.len(), label)
        });
    }
    if profile == Profile::EnvoyMaglev {
        let hosts =
            members.iter().map(|&index| (full_address(&nodes[index as usize]), nodes[index as usize].weight, index));
        let entries = maglev::table(hosts.collect(), ENVOY_TABLE);
        return Table::List(List { entries, entry: Entry::Modulo, n_nodes: nodes.len() });
    }
    if profile == Profile::WeightedVnodeSha256 {
        // Of equal points the lesser id owns.
        members.sort_by(|&a, &b| nodes[a as usize].id.cmp(&nodes[b as usize].id));
    }
    let Some(recipe) = profile.recipe() else {
        let weight = |index: u32| if profile == Profile::TwemproxyModula { nodes[index as usize].weight } else { 1 };
        let list = members.iter().flat_map(|&index| std::iter::repeat_n(index, weight(index) as usize));
        let entry = if profile == Profile::Jump { Entry::Jump } else { Entry::Modulo32 };
        return Table::List(List { entries: list.collect(), entry, n_nodes: nodes.len() });
    };
    let weights: Vec<u32> = members.iter().map(|&index| nodes[index as usize].weight).collect();
    let labels = counts(recipe.count, &weights);
    let mut points = Vec::new();
    let mut add = |index: u32, labels: u64| {
        let label = (recipe.label)(&nodes[index as usize]);
        points_of(&recipe, topology.key_hasher(), &label, labels, |point| points.push((point, index)));
    };
    let pairs = members.into_iter().zip(labels);
    if recipe.later_wins {
        // Of equal points the first of the list owns.
        pairs.rev().for_each(|(index, labels)| add(index, labels));
    } else {
        pairs.for_each(|(index, labels)| add(index, labels));
    }
    Table::Ring(Ring::new(&points, nodes.len()), recipe.position)
}

fn points_of(recipe: &Recipe, hasher: KeyHasher, label: &str, labels: u64, mut add: impl FnMut(u64)) {
    let narrow = |point: u32| u64::from(point) << 32;
    match recipe.points {
        Points::Md5Words(words) => {
            for number in 0..labels {
                let digest = md5(&[label.as_bytes(), b"-", number.to_string().as_bytes()]);
                for word in digest.chunks_exact(4).take(words) {
                    add(narrow(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
                }
            }
        }
        Points::KeyHash => {
            for number in 0..labels {
                add(narrow(hasher.hash(format!("{label}-{number}").as_bytes()) as u32));
            }
        }
        Points::Crc32Chain => {
            let mut base = crc32fast::Hasher::new();
            base.update(label.as_bytes());
            let mut point = 0_u32;
            for _ in 0..labels {
                let mut next = base.clone();
                next.update(&point.to_le_bytes());
                point = next.finalize();
                add(narrow(point));
            }
        }
        Points::Xxh64 => (0..labels).for_each(|number| add(xxh64(format!("{label}_{number}").as_bytes(), 0))),
        Points::Murmur64a => {
            (0..labels).for_each(|number| add(murmur64a(format!("{label}_{number}").as_bytes(), LIBSTDCXX_SEED)));
        }
        Points::Sha256 => {
            (0..labels).for_each(|number| add(sha256_64(&[label.as_bytes(), number.to_string().as_bytes()])));
        }
    }
}
