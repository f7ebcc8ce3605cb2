// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/handle.hpp>
#include <shardway/node.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardway {

class TopologyBuilder;

/// A checked declaration of nodes, scheme, partitions and policies. Immutable; a copy is one more owner of the same.
class Topology : public detail::Owner<shardway_topology_t> {
  public:
    /// Reads a topology document. Throws `InvalidTopology` with the place of what is wrong, `Unsupported` for a
    /// combination that the scheme does not have.
    static Topology from_json(std::string_view json) {
        return adopt(detail::Handle<shardway_topology_t>::make(shardway_topology_from_json, json.data(), json.size()));
    }

    /// Begins a topology of the native scheme `slots-v1`, the best choice for a new one. `slots` is a power of two from
    /// 256 to 1,048,576; `balance` caps a node's slots at that factor of its exact share, 1.01 to 2 with at most three
    /// decimal places. Include `shardway/topology_builder.hpp`.
    static TopologyBuilder slots_v1(std::uint32_t slots = 65'536, std::optional<double> balance = {});

    /// Begins a topology that places keys as another system does, by the profile's name: docs/profiles.md lists them.
    /// Include `shardway/topology_builder.hpp`.
    static TopologyBuilder profile(std::string_view name);

    /// Begins a topology of the native scheme `rendezvous-v1`; include `shardway/topology_builder.hpp`.
    static TopologyBuilder rendezvous_v1();

    /// Begins a topology of the native scheme `ring-v1`; include `shardway/topology_builder.hpp`.
    static TopologyBuilder ring_v1();

    /// Begins a topology that places keys as Finagle's clients do; include `shardway/topology_builder.hpp`.
    static TopologyBuilder finagle(bool old_libmemcached = false, bool thrift_keys = false);

    /// Takes over a reference of a C handle.
    static Topology adopt(detail::Handle<shardway_topology_t> handle) noexcept { return Topology(std::move(handle)); }

    /// The document of it, which reads back to the same topology.
    [[nodiscard]] std::string to_json() const {
        return detail::to_string(detail::Handle<shardway_text_t>::make(shardway_topology_to_json, raw()));
    }

    /// A hash of all that decides who owns a key. Equal for equal placements in every language.
    [[nodiscard]] std::uint64_t fingerprint() const { return shardway_topology_fingerprint(raw()); }

    /// The revision declared; nothing when the router is to number it.
    [[nodiscard]] std::optional<std::uint64_t> revision() const {
        const std::uint64_t revision = shardway_topology_revision(raw());
        return revision == 0 ? std::nullopt : std::optional<std::uint64_t>(revision);
    }

    /// The number of nodes.
    [[nodiscard]] std::size_t size() const { return shardway_topology_node_count(raw()); }

    /// A node. Throws `InvalidArgument` when `index` is not below `size()`.
    [[nodiscard]] Node node(std::uint32_t index) const {
        shardway_node_t node{};
        node.struct_size = sizeof node;
        detail::call(shardway_topology_node, raw(), index, &node);
        return detail::to_node(node);
    }

    /// All nodes, in the order of the document.
    [[nodiscard]] std::vector<Node> nodes() const {
        std::vector<Node> nodes;
        nodes.reserve(size());
        for (std::uint32_t index = 0; index < size(); index++) {
            nodes.push_back(node(index));
        }
        return nodes;
    }

    /// Whether two topologies declare the same.
    friend bool operator==(const Topology &a, const Topology &b) {
        return shardway_topology_equals(a.raw(), b.raw()) != 0;
    }
    friend bool operator!=(const Topology &a, const Topology &b) { return !(a == b); }

  private:
    using Owner::Owner;
};

} // namespace shardway

#include <shardway/topology_builder.hpp>
