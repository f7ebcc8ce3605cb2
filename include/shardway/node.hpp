// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace shardway {

/// An instance that owns keys. A plain value.
struct Node {
    /// Its name, unique in its topology; 1 to 1,024 bytes.
    std::string id;
    /// Host name or address.
    std::optional<std::string> host{};
    /// TCP port, 1 to 65,535.
    std::optional<std::uint16_t> port{};
    /// Share of the keys relative to other nodes, 0 to 1,000,000,000; 0 owns none.
    std::uint32_t weight = 1;
    /// Shard id of service discovery.
    std::optional<std::int32_t> shard_id{};
    /// Failure domain.
    std::optional<std::string> zone{};

    friend bool operator==(const Node &a, const Node &b) {
        return std::tie(a.id, a.host, a.port, a.weight, a.shard_id, a.zone) ==
               std::tie(b.id, b.host, b.port, b.weight, b.shard_id, b.zone);
    }
    friend bool operator!=(const Node &a, const Node &b) { return !(a == b); }
};

namespace detail {

inline std::optional<std::string> optional_text(const char *text, std::size_t length) {
    return text == nullptr ? std::nullopt : std::optional<std::string>(std::string(text, length));
}

inline Node to_node(const shardway_node_t &raw) {
    Node node;
    node.id.assign(raw.id, raw.id_length);
    node.host = optional_text(raw.host, raw.host_length);
    node.zone = optional_text(raw.zone, raw.zone_length);
    node.weight = raw.weight;
    if (raw.port != 0) {
        node.port = static_cast<std::uint16_t>(raw.port);
    }
    if (raw.has_shard_id != 0) {
        node.shard_id = raw.shard_id;
    }
    return node;
}

} // namespace detail
} // namespace shardway
