// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/strategy.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardway {

/// Counts of custom strategies, under Finagle's names.
struct SchemaStats {
    /// Views put in force whose partitions or instances differ from those before.
    std::uint64_t partition_updates = 0;
    /// Views put in force.
    std::uint64_t snap_updates = 0;
    /// Updates that could not be used: a function failed, or no partition was left.
    std::uint64_t update_failures = 0;
    /// Gauge: logical partitions in force.
    std::uint64_t nodes = 0;
    /// Gauge: instances that serve nothing now because something is wrong with them.
    std::uint64_t left_out = 0;
};

namespace detail {

/// What a client tells its log: one sentence each.
using Log = std::function<void(const std::string &)>;

/// A sentence about an exception.
inline std::string describe(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception &known) {
        return known.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

/// One view of a custom strategy: the function and the map that belong together. A request holds it to its end.
template <class Request> struct Schema {
    GetPartitions<Request> split;
    PartitionMap map;
    Snapshot snapshot;
    /// Ids of the instances of each partition.
    std::map<std::int32_t, std::vector<std::string>> content;
};

/// Keeps the view of one custom strategy in force, for any number of threads. A new view is made when the topology's
/// revision or the observed state changes. What fails keeps the old one.
template <class Request, class Response> class SchemaKeeper {
  public:
    using View = std::shared_ptr<const Schema<Request>>;

    SchemaKeeper(CustomStrategy<Request, Response> strategy, Log log)
        : strategy_(std::move(strategy)), log_(std::move(log)) {}

    /// The view for a snapshot of the router. Throws what the user's functions throw when there is none to keep.
    View current(const Snapshot &snapshot) {
        const std::lock_guard lock(mutex_);
        const auto observed = strategy_.observe(snapshot);
        const Seen seen{snapshot.revision(), observed.version};
        if (view_ && (seen == seen_ || seen.revision < seen_.revision || seen.version < seen_.version)) {
            return view_; // this one, or another thread has seen something newer
        }
        View made;
        try {
            made = evaluate(snapshot, observed.evaluate());
        } catch (...) {
            count_failure(seen);
            if (!view_) {
                throw;
            }
            seen_ = seen;
            log_("the last good partitions stay in force: " + describe(std::current_exception()));
            return view_;
        }
        put(made, seen);
        return view_ ? view_ : made; // an empty first one is not kept: asking it says which partition is missing
    }

    [[nodiscard]] SchemaStats stats() const {
        const std::lock_guard lock(mutex_);
        SchemaStats stats = counts_;
        if (view_) {
            stats.nodes = view_->map.size();
            stats.left_out = view_->map.left_out().size();
        }
        return stats;
    }

    [[nodiscard]] const CustomStrategy<Request, Response> &strategy() const noexcept { return strategy_; }

  private:
    struct Seen {
        std::uint64_t revision = 0;
        std::uint64_t version = 0;
        friend bool operator==(const Seen &a, const Seen &b) noexcept {
            return a.revision == b.revision && a.version == b.version;
        }
    };

    static View evaluate(const Snapshot &snapshot, typename CustomStrategy<Request, Response>::Functions functions) {
        if (!functions.split) {
            throw Error(ErrorCode::InvalidArgument, "get_partitions: an empty function; one that can be called is right",
                        "get_partitions");
        }
        PartitionMap map = functions.logical ? mapped(snapshot, functions.logical) : snapshot.partitions();
        std::map<std::int32_t, std::vector<std::string>> content;
        for (const std::int32_t id : map.ids()) {
            for (const std::uint32_t node : map.nodes_of(id)) {
                content[id].emplace_back(snapshot.node_id(node));
            }
        }
        return std::make_shared<const Schema<Request>>(
            Schema<Request>{std::move(functions.split), std::move(map), snapshot, std::move(content)});
    }

    static PartitionMap mapped(const Snapshot &snapshot, const LogicalPartition &logical) {
        std::vector<Instance> instances;
        for (std::uint32_t index = 0; index < snapshot.size(); index++) {
            Instance instance{index, snapshot.node(index).shard_id, ServesOwn{}};
            if (instance.shard_id) {
                try {
                    instance.serves = logical(*instance.shard_id);
                } catch (...) { // that instance's alone
                    instance.serves = ServesFailed{describe(std::current_exception())};
                }
            }
            instances.push_back(std::move(instance));
        }
        return PartitionMap::build(instances);
    }

    void put(const View &made, Seen seen) {
        if (!(failed_ && *failed_ == seen)) { // else said already, when this update was tried before
            for (const LeftOut &one : made->map.left_out()) {
                log_(std::string(name(one.code)) + ": instance " + std::string(made->snapshot.node_id(one.node)) +
                     " is left out: " + one.reason);
            }
        }
        if (made->map.empty()) {
            count_failure(seen);
            if (view_) {
                seen_ = seen;
                log_("the last good partitions stay in force: the new ones would be empty");
            }
            return;
        }
        counts_.snap_updates++;
        counts_.partition_updates += !view_ || view_->content != made->content ? 1 : 0;
        view_ = made;
        seen_ = seen;
    }

    /// Counts an update that cannot be used, once: without a view each request tries anew.
    void count_failure(Seen seen) {
        if (!(failed_ && *failed_ == seen)) {
            failed_ = seen;
            counts_.update_failures++;
        }
    }

    const CustomStrategy<Request, Response> strategy_;
    const Log log_;
    mutable std::recursive_mutex mutex_; // a user's function may call the client
    Seen seen_;
    std::optional<Seen> failed_;
    View view_;
    SchemaStats counts_;
};

} // namespace detail
} // namespace shardway
