// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway.h>

#include <cstdint>
#include <string>

namespace shardway {

/// How a request ended.
enum class Outcome : std::int32_t {
    /// The node answered. A declared exception is an answer.
    Success = SHARDWAY_OUTCOME_SUCCESS,
    /// The node did not answer, or with garbage.
    Failure = SHARDWAY_OUTCOME_FAILURE,
    /// It says nothing about the node: the caller cancelled.
    Ignored = SHARDWAY_OUTCOME_IGNORED,
};

/// Whether a request may go to a node.
enum class Admission : std::int32_t {
    /// Send it.
    Send = SHARDWAY_ADMISSION_SEND,
    /// Send it; it is the one probe: report how it ended.
    Probe = SHARDWAY_ADMISSION_PROBE,
    /// Do not send it: the node is dead, or being probed.
    FailFast = SHARDWAY_ADMISSION_FAIL_FAST,
};

/// What happened to a node.
enum class EventKind : std::int32_t {
    /// It was marked dead.
    Ejected = SHARDWAY_EVENT_EJECTED,
    /// Its time is up; it may be probed.
    Probing = SHARDWAY_EVENT_PROBING,
    /// It answered its probe and is live.
    Revived = SHARDWAY_EVENT_REVIVED,
};

/// Something that happened to a node.
struct Event {
    EventKind kind;
    /// Id of the node.
    std::string node;
    /// When, in ms of the caller's clock.
    std::uint64_t at_ms;
    /// Of `Ejected`: when the node may be probed, in ms of the caller's clock. Else `at_ms`.
    std::uint64_t until_ms;
};

namespace detail {

inline Event to_event(const shardway_event_t &raw) {
    return {static_cast<EventKind>(raw.kind), std::string(raw.node, raw.node_length), raw.at_ms, raw.until_ms};
}

} // namespace detail
} // namespace shardway
