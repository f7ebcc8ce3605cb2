//! The rules a declaration must keep, each told with its place.

use super::{
    MAX_NAME_BYTES, MAX_NODES, MAX_NUM_REPS, MAX_PARTITION_ENTRIES, MAX_POINTS, MAX_REVISION, MAX_SLOTS, MAX_WEIGHT,
    MAX_WEIGHT_UNIT, MIN_SLOTS, Node, Scheme, Topology, TopologyBuilder,
};
use crate::error::{Error, Result};
use crate::placement;

/// Checks everything; gives the node indices in the order of their ids' bytes.
pub(super) fn check(draft: &TopologyBuilder) -> Result<Vec<u32>> {
    if draft.nodes.len() > MAX_NODES {
        return Err(Error::topology("nodes", format!("{} nodes; at most {MAX_NODES}", draft.nodes.len())));
    }
    for (index, node) in draft.nodes.iter().enumerate() {
        check_node(index, node)?;
    }
    let by_id = order_by_id(&draft.nodes)?;
    check_numbers(draft)?;
    match draft.scheme {
        Scheme::Finagle { .. } => check_labels("finagle", &draft.nodes, placement::finagle_label)?,
        Scheme::Profile(profile) => check_labels(profile.name(), &draft.nodes, |node| profile.label(node))?,
        Scheme::RingV1 | Scheme::SlotsV1 { .. } | Scheme::RendezvousV1 => {}
    }
    check_points(draft)?;
    check_partitions(draft)?;
    draft.failure_accrual.check()?;
    Ok(by_id)
}

fn check_node(index: usize, node: &Node) -> Result<()> {
    let name = |field: &str, text: &str| {
        if text.is_empty() || text.len() > MAX_NAME_BYTES {
            let rule = format!("{} bytes; 1 to {MAX_NAME_BYTES} bytes are right", text.len());
            return Err(Error::topology(format!("nodes[{index}].{field}"), rule));
        }
        Ok(())
    };
    name("id", &node.id)?;
    node.host.as_deref().map_or(Ok(()), |host| name("host", host))?;
    node.zone.as_deref().map_or(Ok(()), |zone| name("zone", zone))?;
    if node.port == Some(0) {
        return Err(Error::topology(format!("nodes[{index}].port"), "0; 1 to 65535 is right"));
    }
    if node.weight > MAX_WEIGHT {
        let rule = format!("{}; an integer from 0 to {MAX_WEIGHT} is right", node.weight);
        return Err(Error::topology(format!("nodes[{index}].weight"), rule));
    }
    Ok(())
}

fn order_by_id(nodes: &[Node]) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| nodes[a as usize].id.cmp(&nodes[b as usize].id).then(a.cmp(&b)));
    let id = |index: u32| &nodes[index as usize].id;
    match order.windows(2).find(|pair| id(pair[0]) == id(pair[1])) {
        Some(pair) => Err(Error::topology(
            format!("nodes[{}].id", pair[1]),
            format!("{:?} is the id of nodes[{}] already; ids must be unique", id(pair[1]), pair[0]),
        )),
        None => Ok(order),
    }
}

fn check_numbers(draft: &TopologyBuilder) -> Result<()> {
    let range = |field: &'static str, value: u32, least: u32, most: u32| {
        if (least..=most).contains(&value) {
            Ok(())
        } else {
            Err(Error::topology(field, format!("{value}; {least} to {most} is right")))
        }
    };
    match draft.scheme {
        Scheme::RingV1 => {
            range("num_reps", draft.num_reps, 1, MAX_NUM_REPS)?;
            range("weight_unit", draft.weight_unit, 1, MAX_WEIGHT_UNIT)?;
        }
        Scheme::SlotsV1 { slots, balance } => {
            if !slots.is_power_of_two() || !(MIN_SLOTS..=MAX_SLOTS).contains(&slots) {
                let rule = format!("{slots}; a power of two from {MIN_SLOTS} to {MAX_SLOTS} is right");
                return Err(Error::topology("scheme.slots", rule));
            }
            if let Some(balance) = balance.filter(|balance| !(1_010..=2_000).contains(balance)) {
                let rule = format!("{}; 1.01 to 2 is right", f64::from(balance) / 1_000.0);
                return Err(Error::topology("scheme.balance", rule));
            }
            check_no_points(draft)?;
        }
        Scheme::RendezvousV1 => check_no_points(draft)?,
        Scheme::Profile(profile) => {
            check_no_points(draft)?;
            let own = profile.default_key_hasher();
            if !profile.has_key_hashers() && draft.hasher() != own {
                let rule = format!("{:?}; {} has {:?} only", draft.hasher().name(), profile.name(), own.name());
                return Err(Error::topology("key_hasher", rule));
            }
        }
        Scheme::Finagle { .. } => {
            range("num_reps", draft.num_reps, 4, MAX_NUM_REPS)?;
            if draft.weight_unit != 1 {
                let rule = format!("{}; the finagle profile has none, leave it out", draft.weight_unit);
                return Err(Error::topology("weight_unit", rule));
            }
        }
    }
    if let Some(revision) = draft.revision.filter(|revision| !(1..=MAX_REVISION).contains(revision)) {
        return Err(Error::topology("revision", format!("{revision}; 1 to {MAX_REVISION} is right")));
    }
    Ok(())
}

/// Numbers that mean nothing in a scheme whose points are not to be chosen.
fn check_no_points(draft: &TopologyBuilder) -> Result<()> {
    let scheme = draft.scheme.name();
    if draft.num_reps != Topology::DEFAULT_NUM_REPS {
        return Err(Error::topology(
            "num_reps",
            format!("{}; {scheme} has none to choose, leave it out", draft.num_reps),
        ));
    }
    if draft.weight_unit != 1 {
        return Err(Error::topology("weight_unit", format!("{}; {scheme} has none, leave it out", draft.weight_unit)));
    }
    Ok(())
}

/// Two nodes with one label would have the same points, and only one of them would ever be asked.
fn check_labels(scheme: &str, nodes: &[Node], label: impl Fn(&Node) -> String) -> Result<()> {
    let mut labels: Vec<(String, usize)> = nodes.iter().enumerate().map(|(index, node)| (label(node), index)).collect();
    labels.sort_unstable();
    match labels.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Error::topology(
            format!("nodes[{}]", pair[1].1),
            format!(
                "its {scheme} label {:?} is that of nodes[{}] already; give them different shard ids or addresses",
                pair[1].0, pair[0].1
            ),
        )),
        None => Ok(()),
    }
}

fn check_points(draft: &TopologyBuilder) -> Result<()> {
    let points = placement::points_wanted(draft.scheme, &draft.nodes, draft.num_reps, draft.weight_unit);
    if points > MAX_POINTS {
        return Err(Error::topology(
            "nodes",
            format!(
                "the ring would need {points} points; at most {MAX_POINTS} are right: lower num_reps, or (in ring-v1) \
                 raise weight_unit so that the usual weight is one unit"
            ),
        ));
    }
    Ok(())
}

fn check_partitions(draft: &TopologyBuilder) -> Result<()> {
    let Some(partitions) = &draft.partitions else { return Ok(()) };
    let entries: usize = partitions.iter().map(|serving| serving.serves.len()).sum();
    if entries > MAX_PARTITION_ENTRIES {
        let rule = format!("{entries} entries in all; at most {MAX_PARTITION_ENTRIES}");
        return Err(Error::topology("partitions", rule));
    }
    let mut shard_ids: Vec<(i32, usize)> =
        partitions.iter().enumerate().map(|(index, serving)| (serving.shard_id, index)).collect();
    shard_ids.sort_unstable();
    if let Some(pair) = shard_ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Error::topology(
            format!("partitions[{}].shard_id", pair[1].1),
            format!("{} stands at partitions[{}] already; list an instance once", pair[1].0, pair[0].1),
        ));
    }
    for (index, serving) in partitions.iter().enumerate() {
        let mut ids = serving.serves.clone();
        ids.sort_unstable();
        if let Some(&[twice, _]) = ids.array_windows().find(|[a, b]| a == b) {
            return Err(Error::topology(
                format!("partitions[{index}].serves"),
                format!("partition {twice} twice; list a partition once"),
            ));
        }
    }
    Ok(())
}
