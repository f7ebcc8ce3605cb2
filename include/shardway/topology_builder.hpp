// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/topology.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardway {

/// When a node is marked dead and for how long.
struct FailureAccrual {
    /// Failures in a row that mark a node dead; at least 1.
    std::uint32_t consecutive_failures = 5;
    /// How long it is dead for the first time, in ms.
    std::uint64_t backoff_min_ms = 5'000;
    /// How long it is dead at most, in ms.
    std::uint64_t backoff_max_ms = 300'000;
    /// After how many ms a probe that nobody reported no longer blocks the next one.
    std::uint64_t probe_timeout_ms = 5'000;
};

/// Declares a topology without writing its document. The library checks it all in `build`, and names the place of
/// what is wrong as in a document: `nodes[3].weight`.
class TopologyBuilder {
  public:
    /// Adds a node of an id alone.
    TopologyBuilder &node(std::string_view id) { return node(Node{std::string(id)}); }

    /// Adds a node.
    TopologyBuilder &node(Node node) {
        nodes_.push_back(std::move(node));
        return *this;
    }

    /// Adds nodes.
    TopologyBuilder &nodes(const std::vector<Node> &nodes) {
        nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
        return *this;
    }

    /// The hash of keys by its name, as `docs/placement.md` lists them: "xxh3-64", "ketama".
    TopologyBuilder &key_hasher(std::string_view name) { return set("key_hasher", quoted(name)); }

    /// Points that a node has for one unit of weight, 1 to 65,536 (finagle: from 4).
    TopologyBuilder &num_reps(std::uint32_t points) { return set("num_reps", std::to_string(points)); }

    /// Weight that `num_reps` points stand for, 1 to 1,000,000; `ring-v1` only.
    TopologyBuilder &weight_unit(std::uint32_t unit) { return set("weight_unit", std::to_string(unit)); }

    /// The revision, from 1; without it the router numbers the topology.
    TopologyBuilder &revision(std::uint64_t revision) { return set("revision", std::to_string(revision)); }

    /// Whether a dead node loses its keys to others.
    TopologyBuilder &eject_failed_host(bool eject) { return set("eject_failed_host", eject ? "true" : "false"); }

    /// When a node is marked dead and for how long.
    TopologyBuilder &failure_accrual(const FailureAccrual &accrual) {
        return set("failure_accrual",
                   "{\"consecutive_failures\":" + std::to_string(accrual.consecutive_failures) +
                       ",\"backoff_min_ms\":" + std::to_string(accrual.backoff_min_ms) +
                       ",\"backoff_max_ms\":" + std::to_string(accrual.backoff_max_ms) +
                       ",\"probe_timeout_ms\":" + std::to_string(accrual.probe_timeout_ms) + "}");
    }

    /// The logical partitions that the instance of a shard id serves. Instances that no call names are left out.
    TopologyBuilder &serves(std::int32_t shard_id, const std::vector<std::int32_t> &partitions) {
        std::string list;
        for (const std::int32_t partition : partitions) {
            list += (list.empty() ? "" : ",") + std::to_string(partition);
        }
        partitions_ += (partitions_.empty() ? "" : ",") + std::string("{\"shard_id\":") + std::to_string(shard_id) +
                       ",\"serves\":[" + list + "]}";
        return *this;
    }

    /// The document.
    [[nodiscard]] std::string to_json() const {
        std::string json = "{\"format\":1,\"scheme\":" + scheme_;
        for (const auto &[field, value] : fields_) {
            json += ",\"" + field + "\":" + value;
        }
        if (!partitions_.empty()) {
            json += ",\"partitions\":[" + partitions_ + "]";
        }
        json += ",\"nodes\":[";
        for (std::size_t index = 0; index < nodes_.size(); index++) {
            json += (index == 0 ? "" : ",") + of(nodes_[index]);
        }
        return json + "]}";
    }

    /// Checks it all. Throws as `Topology::from_json`.
    [[nodiscard]] Topology build() const { return Topology::from_json(to_json()); }

  private:
    friend class Topology;

    explicit TopologyBuilder(std::string scheme) : scheme_(std::move(scheme)) {}

    TopologyBuilder &set(const char *field, std::string value) {
        fields_[field] = std::move(value);
        return *this;
    }

    static std::string quoted(std::string_view text) {
        static constexpr char digits[] = "0123456789abcdef";
        std::string json = "\"";
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                json += '\\';
                json += c;
            } else if (byte < 0x20) {
                json += "\\u00";
                json += digits[byte >> 4];
                json += digits[byte & 15];
            } else {
                json += c;
            }
        }
        return json + '"';
    }

    static std::string of(const Node &node) {
        std::string json = "{\"id\":" + quoted(node.id) + ",\"weight\":" + std::to_string(node.weight);
        if (node.host) {
            json += ",\"host\":" + quoted(*node.host);
        }
        if (node.port) {
            json += ",\"port\":" + std::to_string(*node.port);
        }
        if (node.shard_id) {
            json += ",\"shard_id\":" + std::to_string(*node.shard_id);
        }
        if (node.zone) {
            json += ",\"zone\":" + quoted(*node.zone);
        }
        return json + "}";
    }

    std::string scheme_;
    std::map<std::string, std::string> fields_;
    std::string partitions_;
    std::vector<Node> nodes_;
};

inline TopologyBuilder Topology::slots_v1(std::uint32_t slots, std::optional<double> balance) {
    std::string scheme = "{\"native\":\"slots-v1\",\"slots\":" + std::to_string(slots);
    if (balance) {
        // Six places, of which the last three must be zeros.
        scheme += ",\"balance\":" + std::to_string(*balance);
    }
    return TopologyBuilder(scheme + "}");
}

inline TopologyBuilder Topology::profile(std::string_view name) {
    return TopologyBuilder("{\"profile\":" + TopologyBuilder::quoted(std::string(name)) + "}");
}

inline TopologyBuilder Topology::rendezvous_v1() { return TopologyBuilder("{\"native\":\"rendezvous-v1\"}"); }

inline TopologyBuilder Topology::ring_v1() { return TopologyBuilder("{\"native\":\"ring-v1\"}"); }

inline TopologyBuilder Topology::finagle(bool old_libmemcached, bool thrift_keys) {
    return TopologyBuilder(std::string("{\"profile\":\"finagle\",\"old_libmemcached\":") +
                           (old_libmemcached ? "true" : "false") +
                           ",\"thrift_keys\":" + (thrift_keys ? "true" : "false") + "}");
}

} // namespace shardway
