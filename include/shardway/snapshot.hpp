// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/lookup.hpp>
#include <shardway/node.hpp>
#include <shardway/partitions.hpp>
#include <shardway/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace shardway {

/// One view of a topology and of which of its nodes are ejected; it never changes. A request that takes one and keeps
/// it to its end gets answers that fit together. A copy is one more owner.
class Snapshot : public detail::Lookups<shardway_snapshot_t, detail::SnapshotCalls> {
  public:
    /// Takes over a reference of a C handle.
    static Snapshot adopt(detail::Handle<shardway_snapshot_t> handle) noexcept { return Snapshot(std::move(handle)); }

    /// The hash of a key, as its scheme hashes it. Throws `InvalidArgument` when it does not take such a key.
    [[nodiscard]] std::uint64_t hash(KeyView key) const {
        std::uint64_t hash = 0;
        const shardway_key_t typed = key.raw();
        detail::call(shardway_snapshot_hash_typed, raw(), &typed, &hash);
        return hash;
    }

    /// The number of nodes, the ejected ones included.
    [[nodiscard]] std::size_t size() const { return shardway_snapshot_node_count(raw()); }

    /// A node. Throws `InvalidArgument` when `index` is not below `size()`.
    [[nodiscard]] Node node(std::uint32_t index) const {
        shardway_node_t node{};
        node.struct_size = sizeof node;
        detail::call(shardway_snapshot_node, raw(), index, &node);
        return detail::to_node(node);
    }

    /// The id of a node; lent, as long as a copy of the snapshot lives. Throws as `node`.
    [[nodiscard]] std::string_view node_id(std::uint32_t index) const {
        const char *id = nullptr;
        std::size_t length = 0;
        detail::call(shardway_snapshot_node_id, raw(), index, &id, &length);
        return {id, length};
    }

    /// All nodes, in the order of their indices.
    [[nodiscard]] std::vector<Node> nodes() const {
        std::vector<Node> nodes;
        nodes.reserve(size());
        for (std::uint32_t index = 0; index < size(); index++) {
            nodes.push_back(node(index));
        }
        return nodes;
    }

    /// The index of a node by its id; nothing when there is no such node.
    [[nodiscard]] std::optional<std::uint32_t> index_of(std::string_view id) const {
        std::uint32_t index = 0;
        detail::ErrorSlot error;
        const shardway_status_t status = shardway_snapshot_index_of(raw(), id.data(), id.size(), &index, &error);
        if (status == SHARDWAY_UNKNOWN_NODE) {
            return std::nullopt;
        }
        if (status != SHARDWAY_OK) {
            error.raise();
        }
        return index;
    }

    /// Whether a node has lost its keys. Throws as `node`.
    [[nodiscard]] bool is_ejected(std::uint32_t index) const {
        std::int32_t ejected = 0;
        detail::call(shardway_snapshot_is_ejected, raw(), index, &ejected);
        return ejected != 0;
    }

    /// The revision of its topology.
    [[nodiscard]] std::uint64_t revision() const { return shardway_snapshot_revision(raw()); }
    /// The fingerprint of its topology.
    [[nodiscard]] std::uint64_t fingerprint() const { return shardway_snapshot_fingerprint(raw()); }
    /// The points on its ring.
    [[nodiscard]] std::size_t points() const { return shardway_snapshot_point_count(raw()); }

    /// Its topology.
    [[nodiscard]] Topology topology() const {
        return Topology::adopt(detail::Handle<shardway_topology_t>::make(shardway_snapshot_topology, raw()));
    }

    /// The logical partitions that its topology declares; without any, each instance is its own partition.
    [[nodiscard]] PartitionMap partitions() const {
        return PartitionMap::adopt(detail::Handle<shardway_partitions_t>::make(shardway_snapshot_partitions, raw()));
    }

  private:
    using Lookups::Lookups;
};

inline Snapshot Groups::snapshot() const {
    return Snapshot::adopt(detail::Handle<shardway_snapshot_t>::make(shardway_groups_snapshot, raw()));
}

} // namespace shardway
