// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace shardway {

/// Counters (they only rise) and gauges of a router, of one moment.
struct Stats {
    /// Counter: times the ring changed, by a publish, an ejection or a revival. The first one counts.
    std::uint64_t redistributes;
    /// Counter: nodes that joined, the first ones included.
    std::uint64_t joins;
    /// Counter: nodes that left.
    std::uint64_t leaves;
    /// Counter: nodes that lost their keys, by hand or by failure accrual.
    std::uint64_t ejections;
    /// Counter: nodes that got their keys back.
    std::uint64_t revivals;
    /// Counter: publishes that changed the logical partitions.
    std::uint64_t partition_updates;
    /// Counter: publishes that were put in force, the first one included.
    std::uint64_t snap_updates;
    /// Counter: publishes that were refused so that the old topology stayed.
    std::uint64_t update_failures;
    /// Gauge: nodes that are not ejected.
    std::uint64_t live_nodes;
    /// Gauge: nodes that are ejected.
    std::uint64_t dead_nodes;
    /// Gauge: nodes of the topology in force.
    std::uint64_t nodes;
    /// Gauge: revision in force.
    std::uint64_t revision;
    /// Gauge: fingerprint of the topology in force.
    std::uint64_t fingerprint;
    /// Gauge: points on the ring in force.
    std::uint64_t points;
};

} // namespace shardway
