//! Compatibility profiles: the rings of other systems, bit for bit. Each is a recipe of what differs between them; one
//! builder makes the ring. `docs/profiles/memcached.md` says where each comes from.

use super::{Position, Ring, Table, finagle};
use crate::hash::{KeyHasher, md5};
use crate::topology::{Node, Profile, Topology};

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
}

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
            Self::LibmemcachedModula | Self::TwemproxyModula => return None,
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
            Some(recipe) => matches!(recipe.count, Count::Single | Count::Whole | Count::ShareFirst),
            None => false,
        }
    }

    /// What a node is called in the system.
    pub(crate) fn label(self, node: &Node) -> String {
        self.recipe().map_or_else(|| memcached_label(node), |recipe| (recipe.label)(node))
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
        Count::PerWeight(labels) => weights.iter().map(|&weight| labels.saturating_mul(share(weight))).collect(),
        Count::Single => finagle::digests(weights.iter().copied(), 160, true),
        _ if total == 0 => vec![0; weights.len()],
        Count::Whole => weights.iter().map(|&weight| 40 * nodes * share(weight) / total).collect(),
        Count::ShareFirst => {
            weights.iter().map(|&weight| (f64::from(weight) / total as f64 * 40.0 * nodes as f64) as u64).collect()
        }
    }
}

/// The points that the nodes of a declaration ask for.
pub(super) fn points_wanted(profile: Profile, nodes: &[Node]) -> u64 {
    let Some(recipe) = profile.recipe() else { return nodes.iter().map(|node| u64::from(node.weight)).sum() };
    let weights: Vec<u32> = nodes.iter().map(|node| node.weight).collect();
    let labels = counts(recipe.count, &weights).into_iter().fold(0, u64::saturating_add);
    match recipe.points {
        Points::Md5Words(words) => labels.saturating_mul(words as u64),
        Points::KeyHash | Points::Crc32Chain => labels,
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
    let Some(recipe) = profile.recipe() else {
        let weight = |index: u32| if profile == Profile::TwemproxyModula { nodes[index as usize].weight } else { 1 };
        let list = members.iter().flat_map(|&index| std::iter::repeat_n(index, weight(index) as usize));
        return Table::Modula(list.collect(), nodes.len());
    };
    let weights: Vec<u32> = members.iter().map(|&index| nodes[index as usize].weight).collect();
    let labels = counts(recipe.count, &weights);
    let mut points = Vec::new();
    let mut add = |index: u32, labels: u64| {
        let label = (recipe.label)(&nodes[index as usize]);
        points_of(&recipe, topology.key_hasher(), &label, labels, |point| {
            points.push((u64::from(point) << 32, index));
        });
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

fn points_of(recipe: &Recipe, hasher: KeyHasher, label: &str, labels: u64, mut add: impl FnMut(u32)) {
    match recipe.points {
        Points::Md5Words(words) => {
            for number in 0..labels {
                let digest = md5(&[label.as_bytes(), b"-", number.to_string().as_bytes()]);
                for word in digest.chunks_exact(4).take(words) {
                    add(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                }
            }
        }
        Points::KeyHash => {
            for number in 0..labels {
                add(hasher.hash(format!("{label}-{number}").as_bytes()) as u32);
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
                add(point);
            }
        }
    }
}
