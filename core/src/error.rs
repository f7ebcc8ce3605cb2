//! What can go wrong, and how it is said: one code for every language, a place, a sentence.

use std::borrow::Cow;

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an error. The numbers are part of the C ABI: they never change, and gaps are left for
/// kinds that come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A topology, or the document of one, breaks a rule.
    InvalidTopology = 10,
    /// An argument of a call is out of range, of the wrong form or not valid text.
    InvalidArgument = 11,
    /// A topology is older than the one in force.
    StaleRevision = 20,
    /// A topology has the revision of the one in force and other content.
    RevisionConflict = 21,
    /// A node id that the topology in force does not know.
    UnknownNode = 30,
    /// A request gave no key to route by. Raised by host layers.
    NoPartitioningKeys = 40,
    /// A strategy or merger of the user failed or is missing. Raised by host layers.
    PartitioningStrategy = 41,
    /// No instance serves the partition that was asked for.
    NoPartition = 50,
    /// An instance has no shard id, so it cannot serve a logical partition.
    NoShardId = 51,
    /// No node is there to own a key: none is declared with weight, or all are ejected.
    ShardNotAvailable = 60,
    /// The combination asked for is not defined.
    Unsupported = 70,
    /// The handle was closed before the call. Raised by host layers.
    Closed = 80,
    /// A defect in this library. The call had no effect; the next one works.
    Internal = 90,
}

impl ErrorCode {
    /// Every code, in the order of their numbers.
    pub const ALL: [Self; 13] = [
        Self::InvalidTopology,
        Self::InvalidArgument,
        Self::StaleRevision,
        Self::RevisionConflict,
        Self::UnknownNode,
        Self::NoPartitioningKeys,
        Self::PartitioningStrategy,
        Self::NoPartition,
        Self::NoShardId,
        Self::ShardNotAvailable,
        Self::Unsupported,
        Self::Closed,
        Self::Internal,
    ];

    /// The number that crosses the C ABI.
    #[must_use]
    pub const fn as_i32(self) -> i32 {
        self as i32
    }

    /// The code of a number, `None` when no code has it.
    #[must_use]
    pub fn from_i32(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_i32() == number)
    }

    /// The name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidTopology => "InvalidTopology",
            Self::InvalidArgument => "InvalidArgument",
            Self::StaleRevision => "StaleRevision",
            Self::RevisionConflict => "RevisionConflict",
            Self::UnknownNode => "UnknownNode",
            Self::NoPartitioningKeys => "NoPartitioningKeys",
            Self::PartitioningStrategy => "PartitioningStrategy",
            Self::NoPartition => "NoPartition",
            Self::NoShardId => "NoShardId",
            Self::ShardNotAvailable => "ShardNotAvailable",
            Self::Unsupported => "Unsupported",
            Self::Closed => "Closed",
            Self::Internal => "Internal",
        }
    }

    /// One line of advice: what to look at first.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::InvalidTopology => "correct the document at the place named; the topology in force is unchanged",
            Self::InvalidArgument => "correct the argument named; nothing was changed",
            Self::StaleRevision => "a newer topology is in force already; drop this one",
            Self::RevisionConflict => "two documents share a revision; give the newer one a higher number",
            Self::UnknownNode => "use an id of the topology in force",
            Self::NoPartitioningKeys => {
                "give the endpoint a case in the hashing strategy that returns at least one key"
            }
            Self::PartitioningStrategy => {
                "look at the cause: the strategy or merger of that endpoint failed or is missing"
            }
            Self::NoPartition => "no live instance declares this partition; check the partition mapping",
            Self::NoShardId => "give the instance a shard id in service discovery",
            Self::ShardNotAvailable => {
                "no node can own a key; wait for a revival or publish a topology with weighted nodes"
            }
            Self::Unsupported => "choose a combination that the scheme's page lists",
            Self::Closed => "the handle was closed; make a new one",
            Self::Internal => "this is a defect of the library; please report it with the message",
        }
    }
}

/// An error: its [`ErrorCode`], the place in the input it is about, and a sentence that names the value
/// and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: ErrorCode,
    place: Cow<'static, str>,
    message: Cow<'static, str>,
}

impl Error {
    /// An error of `code` about `place` (empty when it is about no single place).
    pub fn new(code: ErrorCode, place: impl Into<Cow<'static, str>>, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, place: place.into(), message: message.into() }
    }

    pub(crate) fn topology(place: impl Into<Cow<'static, str>>, message: impl AsRef<str>) -> Self {
        let place = place.into();
        let message =
            if place.is_empty() { message.as_ref().to_owned() } else { format!("{place}: {}", message.as_ref()) };
        Self::new(ErrorCode::InvalidTopology, place, message)
    }

    pub(crate) fn argument(place: impl Into<Cow<'static, str>>, message: impl AsRef<str>) -> Self {
        let place = place.into();
        let message = format!("{place}: {}", message.as_ref());
        Self::new(ErrorCode::InvalidArgument, place, message)
    }

    pub(crate) fn unknown_node(id: &str) -> Self {
        Self::new(
            ErrorCode::UnknownNode,
            "id",
            format!("id: no node {id:?} in the topology in force; use the id of a declared node"),
        )
    }

    /// Allocates nothing: during an outage this is the answer to every call.
    pub(crate) const fn shard_not_available() -> Self {
        Self {
            code: ErrorCode::ShardNotAvailable,
            place: Cow::Borrowed(""),
            message: Cow::Borrowed("no node can own a key: none is declared with weight, or all are ejected"),
        }
    }

    /// The kind.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The place in the input, for instance `nodes[3].weight`; empty when the error is about no single place.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_released_ones() {
        let numbers: Vec<i32> = ErrorCode::ALL.iter().map(|code| code.as_i32()).collect();
        assert_eq!(numbers, [10, 11, 20, 21, 30, 40, 41, 50, 51, 60, 70, 80, 90]);
    }

    #[test]
    fn every_code_has_a_name_advice_and_a_way_back() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_i32(code.as_i32()), Some(code));
            assert!(!code.name().is_empty() && !code.advice().is_empty());
        }
        assert_eq!(ErrorCode::from_i32(0), None);
    }
}
