//! The one object with state: the snapshot in force, who is dead, and what was counted.

mod counters;
mod current;
mod eject;
mod publish;
mod route;
mod vitals;

pub use counters::Stats;
pub use publish::Publish;
pub use route::Router;

#[cfg(test)]
mod tests;
