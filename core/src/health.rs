//! Failure accrual: a pure state machine. Outcomes and time come in; states and events come out.
//!
//! A node is **live** until it fails `consecutive_failures` times in a row. Then it is **dead** for a while:
//! the first time `backoff_min_ms`, doubled with each death up to `backoff_max_ms`, plus a jitter of up to as
//! much again, never above `backoff_max_ms` (equal jitter; the default pair is Finagle's, 5 s and 300 s). When
//! its time is up it is **probing**: one request is let through. Its success makes the node live and forgets
//! the deaths; its failure makes it dead again, for longer.
//!
//! Time is milliseconds of any clock of the caller's. A report of a request that was sent before the node's
//! last change says nothing about the state it is in now, so it is ignored.

use crate::error::{Error, Result};
use crate::hash::{SPLITMIX_GAMMA, mix64};

/// When a node counts as dead, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FailureAccrual {
    /// Failures in a row that mark a node dead, 1 and up; 5 by default.
    pub consecutive_failures: u32,
    /// The shortest time a node stays dead, in ms, 1 and up; 5,000 by default.
    pub backoff_min_ms: u64,
    /// The longest time a node stays dead, in ms, at least `backoff_min_ms`; 300,000 by default.
    pub backoff_max_ms: u64,
    /// How long an unreported probe keeps others from being sent, in ms, 1 and up; 5,000 by default.
    pub probe_timeout_ms: u64,
}

/// The longest time a policy may name, in ms: 365 days.
pub const MAX_BACKOFF_MS: u64 = 365 * 24 * 3_600_000;

impl Default for FailureAccrual {
    fn default() -> Self {
        Self { consecutive_failures: 5, backoff_min_ms: 5_000, backoff_max_ms: 300_000, probe_timeout_ms: 5_000 }
    }
}

impl FailureAccrual {
    pub(crate) fn check(&self) -> Result<()> {
        let range = |field: &str, value: u64, least: u64, most: u64| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(Error::topology(format!("failure_accrual.{field}"), format!("{value}; {least} to {most} is right")))
            }
        };
        range("consecutive_failures", u64::from(self.consecutive_failures), 1, u64::from(u32::MAX))?;
        range("backoff_min_ms", self.backoff_min_ms, 1, MAX_BACKOFF_MS)?;
        range("backoff_max_ms", self.backoff_max_ms, self.backoff_min_ms, MAX_BACKOFF_MS)?;
        range("probe_timeout_ms", self.probe_timeout_ms, 1, MAX_BACKOFF_MS)
    }

    /// How long the death number `deaths` (1, 2, ...) of a node lasts; `random` is any 64 bits.
    fn backoff_ms(&self, deaths: u32, random: u64) -> u64 {
        let doubled = 1_u64.checked_shl(deaths - 1).and_then(|factor| self.backoff_min_ms.checked_mul(factor));
        let half = doubled.map_or(self.backoff_max_ms, |half| half.min(self.backoff_max_ms));
        (half + random % (half + 1)).min(self.backoff_max_ms)
    }
}

/// How a request ended, for the health of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Outcome {
    /// The node answered. A declared exception is an answer.
    Success = 0,
    /// The node did not answer, or with garbage.
    Failure = 1,
    /// It says nothing about the node: the caller cancelled.
    Ignored = 2,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Success, Self::Failure, Self::Ignored];

    /// The name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Ignored => "ignored",
        }
    }
}

/// Whether a request may go to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Admission {
    /// Send it.
    Send = 0,
    /// Send it; it is the one probe, so its outcome must be reported.
    Probe = 1,
    /// Do not send it: the node is dead, or its probe is under way.
    FailFast = 2,
}

impl Admission {
    /// The name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Probe => "probe",
            Self::FailFast => "fail_fast",
        }
    }
}

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum EventKind {
    /// It was marked dead.
    Ejected = 0,
    /// Its time is up; it may be probed.
    Probing = 1,
    /// It answered its probe and is live.
    Revived = 2,
}

impl EventKind {
    /// The name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ejected => "ejected",
            Self::Probing => "probing",
            Self::Revived => "revived",
        }
    }
}

/// A change of a node's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The node's id.
    pub node: String,
    /// When, in ms of the caller's clock.
    pub at_ms: u64,
    /// For [`EventKind::Ejected`] the time at which it may be probed; else the same as `at_ms`.
    pub until_ms: u64,
}

/// The state of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Live,
    Dead {
        until_ms: u64,
    },
    /// With the time the probe was sent, if one is under way.
    Probing {
        sent_ms: Option<u64>,
    },
}

/// A change that a call made: what, and for a death until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) kind: EventKind,
    pub(crate) at_ms: u64,
    pub(crate) until_ms: u64,
}

/// The health of one node: its state and what led to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeHealth {
    state: State,
    failures: u32,
    deaths: u32,
    changed_ms: u64,
}

impl NodeHealth {
    /// Whether nothing is held against the node: a success would change nothing.
    pub(crate) fn is_clean(&self) -> bool {
        self.state == State::Live && self.failures == 0
    }

    /// Whether the node is marked dead and its time is not up.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, State::Dead { .. })
    }

    /// Takes the outcome of a request that was sent at `sent_ms`. `random` is any 64 bits that differ from node
    /// to node; they are stirred with the number of deaths.
    pub(crate) fn report(
        &mut self,
        policy: &FailureAccrual,
        outcome: Outcome,
        sent_ms: u64,
        now_ms: u64,
        random: u64,
    ) -> Option<Change> {
        if sent_ms < self.changed_ms {
            return None;
        }
        match (self.state, outcome) {
            (State::Live, Outcome::Success) => {
                self.failures = 0;
                None
            }
            (State::Live, Outcome::Failure) => {
                self.failures = self.failures.saturating_add(1);
                (self.failures >= policy.consecutive_failures).then(|| self.die(policy, now_ms, random))
            }
            (State::Probing { .. }, Outcome::Success) => {
                *self = Self { changed_ms: now_ms, ..Self::default() };
                Some(Change { kind: EventKind::Revived, at_ms: now_ms, until_ms: now_ms })
            }
            (State::Probing { .. }, Outcome::Failure) => Some(self.die(policy, now_ms, random)),
            (State::Probing { .. }, Outcome::Ignored) => {
                self.state = State::Probing { sent_ms: None };
                None
            }
            (State::Live, Outcome::Ignored) | (State::Dead { .. }, _) => None,
        }
    }

    fn die(&mut self, policy: &FailureAccrual, now_ms: u64, random: u64) -> Change {
        self.deaths = self.deaths.saturating_add(1);
        let random = mix64(random.wrapping_add(u64::from(self.deaths).wrapping_mul(SPLITMIX_GAMMA)));
        let until_ms = now_ms.saturating_add(policy.backoff_ms(self.deaths, random));
        self.failures = 0;
        self.changed_ms = now_ms;
        self.state = State::Dead { until_ms };
        Change { kind: EventKind::Ejected, at_ms: now_ms, until_ms }
    }

    /// Lets time pass.
    pub(crate) fn tick(&mut self, policy: &FailureAccrual, now_ms: u64) -> Option<Change> {
        match self.state {
            State::Dead { until_ms } if until_ms <= now_ms => {
                self.state = State::Probing { sent_ms: None };
                self.changed_ms = now_ms;
                Some(Change { kind: EventKind::Probing, at_ms: now_ms, until_ms: now_ms })
            }
            State::Probing { sent_ms: Some(sent_ms) } if sent_ms.saturating_add(policy.probe_timeout_ms) <= now_ms => {
                self.state = State::Probing { sent_ms: None };
                None
            }
            _ => None,
        }
    }

    /// Whether a request may go, after [`tick`](Self::tick) with the same time.
    pub(crate) fn admit(&mut self, now_ms: u64) -> Admission {
        match self.state {
            State::Live => Admission::Send,
            State::Probing { sent_ms: None } => {
                self.state = State::Probing { sent_ms: Some(now_ms) };
                Admission::Probe
            }
            State::Dead { .. } | State::Probing { .. } => Admission::FailFast,
        }
    }

    /// The next time at which [`tick`](Self::tick) does something.
    pub(crate) fn next_tick_ms(&self, policy: &FailureAccrual) -> Option<u64> {
        match self.state {
            State::Dead { until_ms } => Some(until_ms),
            State::Probing { sent_ms: Some(sent_ms) } => Some(sent_ms.saturating_add(policy.probe_timeout_ms)),
            State::Live | State::Probing { sent_ms: None } => None,
        }
    }
}

#[cfg(test)]
mod tests;
