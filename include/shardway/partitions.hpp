// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/handle.hpp>
#include <shardway/span.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace shardway {

/// Of an instance that is its own partition, numbered by its shard id.
struct ServesOwn {};

/// Of an instance whose mapping failed, and why.
struct ServesFailed {
    std::string reason;
};

/// The partitions of an instance: its own, a list, or none because of a failure.
using Serves = std::variant<ServesOwn, std::vector<std::int32_t>, ServesFailed>;

/// An instance, as a mapping sees it.
struct Instance {
    /// Its number in whatever list of nodes the caller keeps.
    std::uint32_t node = 0;
    /// Its shard id; without one it is left out.
    std::optional<std::int32_t> shard_id{};
    /// What it serves.
    Serves serves = ServesOwn{};
};

/// An instance that serves no partition because something is wrong with it.
struct LeftOut {
    /// Its number.
    std::uint32_t node;
    /// `NoShardId` or `PartitioningStrategy`.
    ErrorCode code;
    /// A sentence for the log.
    std::string reason;
};

namespace detail {

/// Instances as the C interface has them; lends from the vector it was made of.
inline std::vector<shardway_instance_t> to_raw(const std::vector<Instance> &instances) {
    std::vector<shardway_instance_t> raw;
    raw.reserve(instances.size());
    for (const Instance &instance : instances) {
        shardway_instance_t one{};
        one.struct_size = sizeof one;
        one.node = instance.node;
        one.has_shard_id = instance.shard_id ? 1 : 0;
        one.shard_id = instance.shard_id.value_or(0);
        one.serves = SHARDWAY_SERVES_OWN;
        if (const auto *list = std::get_if<std::vector<std::int32_t>>(&instance.serves)) {
            one.serves = SHARDWAY_SERVES_LIST;
            one.list = list->data();
            one.n_list = list->size();
        } else if (const auto *failed = std::get_if<ServesFailed>(&instance.serves)) {
            one.serves = SHARDWAY_SERVES_FAILED;
            one.reason = failed->reason.data();
            one.reason_length = failed->reason.size();
        }
        raw.push_back(one);
    }
    return raw;
}

} // namespace detail

/// Which instances serve which logical partition, in both directions. Immutable; a copy is one more owner.
class PartitionMap : public detail::Owner<shardway_partitions_t> {
  public:
    /// Builds the map. What is wrong with an instance leaves out that one only.
    static PartitionMap build(const std::vector<Instance> &instances) {
        const auto raw = detail::to_raw(instances);
        // An empty vector's data() may be NULL, which the C interface refuses.
        static constexpr shardway_instance_t none{};
        return adopt(detail::Handle<shardway_partitions_t>::make(shardway_partitions_build,
                                                                 raw.empty() ? &none : raw.data(), raw.size()));
    }

    /// Takes over a reference of a C handle.
    static PartitionMap adopt(detail::Handle<shardway_partitions_t> handle) noexcept {
        return PartitionMap(std::move(handle));
    }

    /// The number of partitions that are served.
    [[nodiscard]] std::size_t size() const { return shardway_partitions_count(raw()); }
    [[nodiscard]] bool empty() const { return size() == 0; }

    /// The ids of all partitions, ascending.
    [[nodiscard]] std::vector<std::int32_t> ids() const {
        std::vector<std::int32_t> ids(size() + 1); // never of length 0, so that there is a pointer
        std::size_t count = 0;
        detail::call(shardway_partitions_ids, raw(), ids.data(), ids.size(), &count);
        ids.resize(count);
        return ids;
    }

    /// The instances that serve a partition, ascending; lent. Throws `NoPartition` when none does.
    [[nodiscard]] Span<const std::uint32_t> nodes_of(std::int32_t partition) const {
        const std::uint32_t *nodes = nullptr;
        std::size_t count = 0;
        detail::call(shardway_partitions_nodes_of, raw(), partition, &nodes, &count);
        return {nodes, count};
    }

    /// The partitions that an instance serves, ascending; lent. None for an instance that is unknown or left out.
    [[nodiscard]] Span<const std::int32_t> partitions_of(std::uint32_t node) const {
        const std::int32_t *ids = nullptr;
        std::size_t count = 0;
        detail::call(shardway_partitions_of_node, raw(), node, &ids, &count);
        return {ids, count};
    }

    /// The instances that were left out, in the order in which they were given.
    [[nodiscard]] std::vector<LeftOut> left_out() const {
        std::vector<LeftOut> all;
        const std::size_t count = shardway_partitions_left_out_count(raw());
        all.reserve(count);
        for (std::size_t index = 0; index < count; index++) {
            shardway_left_out_t one{};
            one.struct_size = sizeof one;
            detail::call(shardway_partitions_left_out, raw(), index, &one);
            all.push_back({one.node, static_cast<ErrorCode>(one.code), std::string(one.reason, one.reason_length)});
        }
        return all;
    }

  private:
    using Owner::Owner;
};

/// Counters (they only rise) and a gauge of a partition table.
struct PartitionStats {
    /// Maps that were put in force and differ from the one before.
    std::uint64_t partition_updates;
    /// Maps that were put in force.
    std::uint64_t snap_updates;
    /// Updates that could not be used; the old map stayed.
    std::uint64_t update_failures;
    /// Gauge: partitions in force.
    std::uint64_t nodes;
};

/// The partitions in force, for a caller that maps instances itself. A map that would be empty never replaces one
/// that is not. For any number of threads; a copy is the same table.
class PartitionTable : public detail::Owner<shardway_partition_table_t> {
  public:
    /// A table without partitions.
    PartitionTable() : Owner(detail::Handle<shardway_partition_table_t>::make(shardway_partition_table_new)) {}

    /// Puts the map of instances in force; false when it would be empty, so that the old one stays.
    bool update(const std::vector<Instance> &instances) const {
        const auto list = detail::to_raw(instances);
        static constexpr shardway_instance_t none{};
        std::int32_t updated = 0;
        detail::call(shardway_partition_table_update, raw(), list.empty() ? &none : list.data(), list.size(), &updated);
        return updated != 0;
    }

    /// Counts an update whose evaluation failed; the map in force stays.
    void update_failed() const { detail::call(shardway_partition_table_update_failed, raw()); }

    /// The partitions in force; later updates do not change them.
    [[nodiscard]] PartitionMap current() const {
        return PartitionMap::adopt(
            detail::Handle<shardway_partitions_t>::make(shardway_partition_table_current, raw()));
    }

    /// The counts, of one moment.
    [[nodiscard]] PartitionStats stats() const {
        shardway_partition_stats_t stats{};
        stats.struct_size = sizeof stats;
        detail::call(shardway_partition_table_stats, raw(), &stats);
        return {stats.partition_updates, stats.snap_updates, stats.update_failures, stats.nodes};
    }
};

} // namespace shardway
