//! `Topology`.

use napi::bindgen_prelude::{BigInt, External};
use napi_derive::napi;
use shardway_core::Topology;

use crate::border::{Result, guard, raise};

/// Reads a document.
#[napi]
pub(crate) fn topology_read(text: String) -> Result<External<Topology>> {
    guard(|| Topology::from_json(&text).map(External::new).map_err(raise))
}

/// The document, with every default written out.
#[napi]
pub(crate) fn topology_json(topology: &External<Topology>) -> Result<String> {
    guard(|| Ok(topology.to_json()))
}

/// The digest of everything declared except the revision.
#[napi]
pub(crate) fn topology_fingerprint(topology: &External<Topology>) -> Result<BigInt> {
    guard(|| Ok(topology.fingerprint().into()))
}

/// The revision that was declared, if any.
#[napi]
pub(crate) fn topology_revision(topology: &External<Topology>) -> Result<Option<BigInt>> {
    guard(|| Ok(topology.revision().map(BigInt::from)))
}
