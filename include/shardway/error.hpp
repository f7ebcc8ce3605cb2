// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

/// Which instance owns this key, right now: the C++ interface over `shardway.h`.
namespace shardway {

/// What went wrong, with the same numbers in every language. A newer library may give others.
enum class ErrorCode : std::int32_t {
    /// Of a `RouteResult` only: nothing went wrong.
    Ok = SHARDWAY_OK,
    InvalidTopology = SHARDWAY_INVALID_TOPOLOGY,
    InvalidArgument = SHARDWAY_INVALID_ARGUMENT,
    StaleRevision = SHARDWAY_STALE_REVISION,
    RevisionConflict = SHARDWAY_REVISION_CONFLICT,
    UnknownNode = SHARDWAY_UNKNOWN_NODE,
    NoPartitioningKeys = SHARDWAY_NO_PARTITIONING_KEYS,
    PartitioningStrategy = SHARDWAY_PARTITIONING_STRATEGY,
    NoPartition = SHARDWAY_NO_PARTITION,
    NoShardId = SHARDWAY_NO_SHARD_ID,
    ShardNotAvailable = SHARDWAY_SHARD_NOT_AVAILABLE,
    Unsupported = SHARDWAY_UNSUPPORTED,
    Closed = SHARDWAY_CLOSED,
    Internal = SHARDWAY_INTERNAL,
};

/// Every code that an error can have, ascending.
inline constexpr std::array<ErrorCode, 13> all_error_codes = {
    ErrorCode::InvalidTopology,    ErrorCode::InvalidArgument,      ErrorCode::StaleRevision,
    ErrorCode::RevisionConflict,   ErrorCode::UnknownNode,          ErrorCode::NoPartitioningKeys,
    ErrorCode::PartitioningStrategy, ErrorCode::NoPartition,        ErrorCode::NoShardId,
    ErrorCode::ShardNotAvailable,  ErrorCode::Unsupported,          ErrorCode::Closed,
    ErrorCode::Internal,
};

/// The name of a code, the same in every language: "InvalidTopology". Lives for ever.
inline const char *name(ErrorCode code) noexcept { return shardway_status_name(static_cast<std::int32_t>(code)); }

/// One line of advice for a code: what to look at first. Lives for ever.
inline const char *advice(ErrorCode code) noexcept { return shardway_status_advice(static_cast<std::int32_t>(code)); }

/// Every exception of shardway. `what()` is a sentence that names the value and what would be right. One that has a
/// cause (a strategy or merger that failed) is also a `std::nested_exception`.
class Error : public std::runtime_error {
  public:
    /// Makes an error; `place` is where in the input, and may be empty.
    Error(ErrorCode code, const std::string &message, std::string place = {})
        : std::runtime_error(message), code_(code), place_(std::make_shared<const std::string>(std::move(place))) {}

    /// What went wrong.
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }

    /// Where in the input: `nodes[3].weight` of a document, a parameter's name, an endpoint; may be empty.
    [[nodiscard]] const std::string &place() const noexcept { return *place_; }

  private:
    ErrorCode code_;
    std::shared_ptr<const std::string> place_; // shared, so that a copy cannot throw
};

/// A part of a request was not sent: every node that could answer is marked dead, or its one probe is under way.
class NodeUnavailable : public Error {
  public:
    /// Makes an error that names the nodes that were considered.
    explicit NodeUnavailable(const std::string &message) : Error(ErrorCode::ShardNotAvailable, message) {}
};

namespace detail {

/// The struct that a C call writes its error to. Only its size is set: what a call that succeeds costs is nothing.
class ErrorSlot {
  public:
    ErrorSlot() noexcept { raw_.struct_size = sizeof raw_; }

    shardway_error_t *operator&() noexcept { return &raw_; }

    [[noreturn]] void raise() const {
        throw Error(static_cast<ErrorCode>(raw_.code), raw_.message, raw_.place);
    }

  private:
    shardway_error_t raw_;
};

/// Calls a function of the C interface whose last parameter is the error, and throws what it answers.
template <class Function, class... Arguments> void call(Function function, Arguments... arguments) {
    ErrorSlot error;
    if (function(arguments..., &error) != SHARDWAY_OK) {
        error.raise();
    }
}

} // namespace detail
} // namespace shardway
