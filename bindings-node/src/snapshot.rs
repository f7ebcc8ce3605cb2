//! `Snapshot`: lookups in one view, and what it holds.

use std::sync::Arc;

use napi::bindgen_prelude::{BigInt, BigUint64Array, External, Uint8Array, Uint32Array};
use napi_derive::napi;
use shardway_core::{ErrorCode, Groups, PackedKeys, Scheme, Snapshot, Topology};

use crate::border::{Result, fault, guard, raise};
use crate::key::key;

/// The steps from a key to its owner.
#[napi(object)]
pub(crate) struct WhyRow {
    /// The scheme's name.
    pub scheme: String,
    /// The key hasher's name.
    pub key_hasher: String,
    /// The hash of the key.
    pub hash: BigInt,
    /// The position on the ring.
    pub position: BigInt,
    /// The point that takes it.
    pub point: Option<BigInt>,
    /// The node that has the point.
    pub point_node: Option<String>,
    /// The owner.
    pub owner: Option<String>,
    /// The next owners.
    pub next: Vec<String>,
    /// The ejected nodes.
    pub ejected: Vec<String>,
    /// The revision in force.
    pub revision: BigInt,
    /// The topology's fingerprint.
    pub fingerprint: BigInt,
    /// The whole as text for people.
    pub text: String,
}

fn unsigned(value: &BigInt, place: &str) -> Result<u64> {
    match value.get_u64() {
        (false, value, true) => Ok(value),
        _ => Err(fault(ErrorCode::InvalidArgument, place, format!("{place}: out of range; 0 to 2^64 - 1 is right"))),
    }
}

/// The ids of the nodes, by index.
#[napi]
pub(crate) fn snapshot_ids(snapshot: &External<Arc<Snapshot>>) -> Result<Vec<String>> {
    guard(|| Ok(snapshot.nodes().iter().map(|node| node.id.clone()).collect()))
}

/// The revision in force.
#[napi]
pub(crate) fn snapshot_revision(snapshot: &External<Arc<Snapshot>>) -> Result<BigInt> {
    guard(|| Ok(snapshot.revision().into()))
}

/// The points on the ring.
#[napi]
pub(crate) fn snapshot_points(snapshot: &External<Arc<Snapshot>>) -> Result<f64> {
    guard(|| Ok(snapshot.points() as f64))
}

/// The topology that was compiled.
#[napi]
pub(crate) fn snapshot_topology(snapshot: &External<Arc<Snapshot>>) -> Result<External<Topology>> {
    guard(|| Ok(External::new(snapshot.topology().clone())))
}

/// Whether keys are told apart by their JVM type.
#[napi]
pub(crate) fn snapshot_typed_keys(snapshot: &External<Arc<Snapshot>>) -> Result<bool> {
    guard(|| Ok(matches!(snapshot.topology().scheme(), Scheme::Finagle { thrift_keys: true, .. })))
}

/// The indices of the ejected nodes.
#[napi]
pub(crate) fn snapshot_ejected(snapshot: &External<Arc<Snapshot>>) -> Result<Vec<u32>> {
    guard(|| Ok(snapshot.ejected().collect()))
}

/// The owner of a key, as an index.
#[napi]
pub(crate) fn snapshot_route(snapshot: &External<Arc<Snapshot>>, kind: u32, bytes: Uint8Array) -> Result<u32> {
    guard(|| Ok(snapshot.route(key(kind, &bytes)?).map_err(raise)?.node))
}

/// The owner of a hash, as an index.
#[napi]
pub(crate) fn snapshot_route_hash(snapshot: &External<Arc<Snapshot>>, hash: BigInt) -> Result<u32> {
    guard(|| Ok(snapshot.route_hash(unsigned(&hash, "hash")?).map_err(raise)?.node))
}

/// The first distinct owners of a key, as indices.
#[napi]
pub(crate) fn snapshot_replicas(
    snapshot: &External<Arc<Snapshot>>,
    kind: u32,
    bytes: Uint8Array,
    n: u32,
) -> Result<Vec<u32>> {
    guard(|| {
        let mut owners = vec![0; snapshot.nodes().len().min(n as usize)];
        let found = snapshot.replicas(key(kind, &bytes)?, &mut owners).map_err(raise)?;
        owners.truncate(found.n);
        Ok(owners)
    })
}

/// The hash of a key.
#[napi]
pub(crate) fn snapshot_hash(snapshot: &External<Arc<Snapshot>>, kind: u32, bytes: Uint8Array) -> Result<BigInt> {
    guard(|| Ok(snapshot.hash(key(kind, &bytes)?).map_err(raise)?.into()))
}

/// Groups in one array: their number `g`, `g` nodes, `g + 1` offsets, then the indices.
fn flat(groups: &Groups) -> Uint32Array {
    let mut all = Vec::with_capacity(2 + 2 * groups.len() + groups.indices().len());
    all.push(groups.len() as u32);
    all.extend_from_slice(groups.nodes());
    all.extend_from_slice(groups.offsets());
    all.extend_from_slice(groups.indices());
    all.into()
}

/// Groups a packed batch.
#[napi]
pub(crate) fn snapshot_group(
    snapshot: &External<Arc<Snapshot>>,
    data: Uint8Array,
    offsets: Uint32Array,
) -> Result<Uint32Array> {
    guard(|| {
        let keys = PackedKeys::new(&data, &offsets).map_err(raise)?;
        snapshot.group_packed(keys).map(|groups| flat(&groups)).map_err(raise)
    })
}

/// Groups hashes.
#[napi]
pub(crate) fn snapshot_group_hashes(snapshot: &External<Arc<Snapshot>>, hashes: BigUint64Array) -> Result<Uint32Array> {
    guard(|| snapshot.group_hashes(&hashes).map(|groups| flat(&groups)).map_err(raise))
}

/// The steps from a key to its owner.
#[napi]
pub(crate) fn snapshot_explain(snapshot: &External<Arc<Snapshot>>, kind: u32, bytes: Uint8Array) -> Result<WhyRow> {
    guard(|| {
        let why = snapshot.explain(key(kind, &bytes)?).map_err(raise)?;
        Ok(WhyRow {
            text: why.to_string(),
            scheme: why.scheme.to_owned(),
            key_hasher: why.key_hasher.to_owned(),
            hash: why.hash.into(),
            position: why.position.into(),
            point: why.point.map(BigInt::from),
            point_node: why.point_node,
            owner: why.owner,
            next: why.next,
            ejected: why.ejected,
            revision: why.revision.into(),
            fingerprint: why.fingerprint.into(),
        })
    })
}
