//! shardway's core beside named peers: the inputs, the peers and the stopwatch that the runner
//! (`src/main.rs`, one row a comparison) and the criterion benches (`benches/detail.rs`) share.

pub mod baseline;
pub mod inputs;
#[cfg(feature = "libmemcached")]
pub mod libmemcached;
pub mod peers;
pub mod stopwatch;
