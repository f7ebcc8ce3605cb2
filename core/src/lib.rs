//! Which instance owns this key, right now: the core of shardway.
//!
//! No IO: this crate computes. It opens no file and no socket, reads no clock, starts no thread, prints nothing
//! and draws no randomness that it was not given. Transport, timers and discovery are the host's.
//!
//! The way of the data is
//! topology document → [`Topology`] → [`Snapshot`] → [`Router`] → route and group.
//!
//! # Declare
//!
//! A topology comes from a JSON document or from code. It is checked once; an error names the place.
//!
//! ```
//! use shardway_core::Topology;
//!
//! let document = r#"{
//!     "format": 1,
//!     "scheme": {"native": "ring-v1"},
//!     "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c", "weight": 2}]
//! }"#;
//! let topology = Topology::from_json(document)?;
//! assert_eq!(topology.nodes().len(), 3);
//!
//! let error = Topology::from_json(&document.replace("2}", "-2}")).unwrap_err();
//! assert_eq!(error.place(), "nodes[2].weight");
//! # Ok::<(), shardway_core::Error>(())
//! ```
//!
//! # Route
//!
//! A router answers with a node's index; the snapshot of that revision has its name.
//!
//! ```
//! # use shardway_core::{Node, Router, Scheme, Topology};
//! let topology = Topology::builder(Scheme::RingV1).nodes(["a", "b", "c"].map(Node::new)).build()?;
//! let router = Router::new(topology, 42)?;
//!
//! let route = router.route("user:42")?;
//! let snapshot = router.snapshot();
//! assert_eq!(snapshot.revision(), route.revision);
//! println!("{} owns user:42", snapshot.nodes()[route.node as usize].id);
//!
//! let mut owners = [0; 2];
//! let replicas = router.replicas("user:42", &mut owners)?;
//! assert_eq!((replicas.n, owners[0]), (2, route.node));
//! # Ok::<(), shardway_core::Error>(())
//! ```
//!
//! # Group
//!
//! Many keys become one request a node, in the order of the input.
//!
//! ```
//! # use shardway_core::{Node, Router, Scheme, Topology};
//! # let topology = Topology::builder(Scheme::RingV1).nodes(["a", "b", "c"].map(Node::new)).build()?;
//! # let router = Router::new(topology, 42)?;
//! let keys = ["one", "two", "three", "two"];
//! let groups = router.group(&keys)?;
//! for (node, indices) in groups.iter() {
//!     let node = &groups.snapshot().nodes()[node as usize].id;
//!     println!("{node} gets {:?}", indices.iter().map(|&index| keys[index as usize]).collect::<Vec<_>>());
//! }
//! # Ok::<(), shardway_core::Error>(())
//! ```
//!
//! # Change
//!
//! A new topology is compiled aside and swapped in whole; an ejection masks a node and moves its keys only.
//!
//! ```
//! # use shardway_core::{Node, Outcome, Publish, Router, Scheme, Topology};
//! # let topology = Topology::builder(Scheme::RingV1).nodes(["a", "b", "c"].map(Node::new)).build()?;
//! # let router = Router::new(topology, 42)?;
//! let bigger = Topology::builder(Scheme::RingV1).nodes(["a", "b", "c", "d"].map(Node::new)).build()?;
//! assert_eq!(router.publish(bigger)?, Publish::Published);
//! assert!(router.eject("d")?);
//! assert_ne!(router.snapshot().index_of("d"), Some(router.route("user:42")?.node));
//!
//! // Outcomes and time come in from the host.
//! for now_ms in 0..5 {
//!     router.report("a", Outcome::Failure, now_ms, now_ms)?;
//! }
//! assert!(router.next_tick_ms().is_some());
//! # Ok::<(), shardway_core::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::todo, clippy::unimplemented, clippy::unreachable))]

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadmeSnippets;

mod document;
mod error;
mod group;
mod hash;
mod health;
pub mod host;
mod partition;
mod placement;
mod router;
mod snapshot;
mod topology;

pub use document::MAX_DOCUMENT_BYTES;
pub use error::{Error, ErrorCode, Result};
pub use group::Groups;
pub use hash::{KeyHasher, jvm_hash_code};
pub use health::{Admission, Event, EventKind, FailureAccrual, MAX_BACKOFF_MS, Outcome};
pub use host::{Key, PackedKeys};
pub use partition::{Instance, LeftOut, PartitionMap, PartitionStats, PartitionTable, Serves};
pub use router::{Publish, Router, Stats};
pub use snapshot::{Explanation, Replicas, Route, Snapshot};
pub use topology::{
    DEFAULT_SLOTS, MAX_NAME_BYTES, MAX_NODES, MAX_NUM_REPS, MAX_PARTITION_ENTRIES, MAX_POINTS, MAX_REVISION, MAX_SLOTS,
    MAX_WEIGHT, MAX_WEIGHT_UNIT, MIN_SLOTS, Node, Profile, Scheme, Serving, Topology, TopologyBuilder,
};
