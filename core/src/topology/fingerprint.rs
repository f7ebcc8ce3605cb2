//! The fingerprint: xxh3-64 over one canonical encoding of the declaration.
//!
//! The encoding is part of the product: it is written down in `docs/topology.md`, and a change of it needs a
//! new version word at its head.

use super::{Node, Scheme, TopologyBuilder};
use xxhash_rust::xxh3::Xxh3;

const VERSION: &str = "shardway-topology-1";

struct Canonical(Xxh3);

impl Canonical {
    fn number(&mut self, value: u64) {
        self.0.update(&value.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    fn optional(&mut self, value: Option<u64>) {
        self.number(u64::from(value.is_some()));
        self.number(value.unwrap_or(0));
    }

    fn optional_text(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        self.text(text.unwrap_or(""));
    }

    fn node(&mut self, node: &Node) {
        self.text(&node.id);
        self.optional_text(node.host.as_deref());
        self.optional(node.port.map(u64::from));
        self.number(u64::from(node.weight));
        self.optional(node.shard_id.map(|id| id as i64 as u64));
        self.optional_text(node.zone.as_deref());
    }
}

pub(super) fn of(draft: &TopologyBuilder, by_id: &[u32]) -> u64 {
    let mut canonical = Canonical(Xxh3::new());
    canonical.text(VERSION);
    canonical.text(draft.scheme.name());
    match draft.scheme {
        Scheme::RingV1 | Scheme::RendezvousV1 | Scheme::Profile(_) => {}
        Scheme::SlotsV1 { slots, balance } => {
            canonical.number(u64::from(slots));
            canonical.number(u64::from(balance.unwrap_or(0)));
        }
        Scheme::Finagle { old_libmemcached, thrift_keys } => {
            canonical.number(u64::from(old_libmemcached));
            canonical.number(u64::from(thrift_keys));
        }
    }
    canonical.text(draft.hasher().name());
    canonical.number(u64::from(draft.num_reps));
    canonical.number(u64::from(draft.weight_unit));
    canonical.number(u64::from(draft.eject_failed_host));
    let accrual = draft.failure_accrual;
    canonical.number(u64::from(accrual.consecutive_failures));
    canonical.number(accrual.backoff_min_ms);
    canonical.number(accrual.backoff_max_ms);
    canonical.number(accrual.probe_timeout_ms);

    canonical.number(draft.nodes.len() as u64);
    let in_order: Vec<&Node> = if draft.scheme.order_matters() {
        draft.nodes.iter().collect()
    } else {
        by_id.iter().map(|&index| &draft.nodes[index as usize]).collect()
    };
    for node in in_order {
        canonical.node(node);
    }

    canonical.optional(draft.partitions.as_ref().map(|partitions| partitions.len() as u64));
    let mut partitions: Vec<_> = draft.partitions.iter().flatten().collect();
    partitions.sort_unstable_by_key(|serving| serving.shard_id);
    for serving in partitions {
        canonical.number(serving.shard_id as i64 as u64);
        canonical.number(serving.serves.len() as u64);
        let mut serves = serving.serves.clone();
        serves.sort_unstable();
        for id in serves {
            canonical.number(id as i64 as u64);
        }
    }
    canonical.0.digest()
}
