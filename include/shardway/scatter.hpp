// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/router.hpp>
#include <shardway/schema.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace shardway::detail {

/// What one node, or one of several equivalent ones, is asked.
template <class Request> struct Part {
    std::shared_ptr<const Request> request;
    std::vector<Node> candidates;
    Pick pick = Pick::RoundRobin;
    std::vector<Key> keys;
    std::optional<std::int32_t> partition;
    std::exception_ptr error; // set when the part cannot be sent
};

/// The parts of a request, in the order in which their keys first appear, and who merges the answers.
template <class Request, class Response> struct Plan {
    std::string endpoint;
    std::vector<Part<Request>> parts;
    const ResponseMerger<Request, Response> *merge = nullptr;
};

/// Throws a `PartitioningStrategy` that keeps the exception under way as its cause.
[[noreturn]] inline void raise_failed(const std::string &endpoint, const std::string &role) {
    const std::string text = endpoint + ": the " + role + " failed: " + describe(std::current_exception());
    std::throw_with_nested(Error(ErrorCode::PartitioningStrategy, text, endpoint));
}

[[noreturn]] inline void raise_strategy(const std::string &endpoint, const std::string &why) {
    throw Error(ErrorCode::PartitioningStrategy, endpoint + ": " + why, endpoint);
}

[[noreturn]] inline void raise_no_keys(const std::string &endpoint, const std::string &why) {
    throw Error(ErrorCode::NoPartitioningKeys, endpoint + ": no partitioning keys: the hashing strategy " + why,
                endpoint);
}

/// From a request to its parts; for any number of threads. No sending here.
template <class Request, class Response> class Scatter {
  public:
    using Hashing = HashingStrategy<Request, Response>;
    using Custom = CustomStrategy<Request, Response>;
    using Keeper = SchemaKeeper<Request, Response>;
    using Parts = std::vector<Part<Request>>;

    Scatter(Router router, Strategy<Request, Response> strategy, const Log &log)
        : router_(std::move(router)), strategy_(std::move(strategy)) {
        if (const auto *hashing = std::get_if<Hashing>(&strategy_)) {
            freeze(*hashing);
        } else if (const auto *custom = std::get_if<Custom>(&strategy_)) {
            keep("", *custom, log);
        } else if (const auto *methods = std::get_if<MethodStrategies<Request, Response>>(&strategy_)) {
            for (const auto &[endpoint, one] : *methods) {
                if (const auto *inner = std::get_if<Hashing>(&one)) {
                    freeze(*inner);
                } else {
                    keep(endpoint, std::get<Custom>(one), log);
                }
            }
        }
    }

    /// Renews the views at once: counters then follow a change, and the next request finds it done.
    void observe() {
        const Snapshot snapshot = router_.snapshot();
        for (auto &[endpoint, keeper] : keepers_) {
            try {
                keeper->current(snapshot);
            } catch (...) { // there is no view at all yet: the first request that needs one says why
                continue;
            }
        }
    }

    /// Calls a function after each change of a state that a strategy follows; gives what ends that.
    std::vector<std::function<void()>> watch(const std::function<void()> &watcher) const {
        std::vector<std::function<void()>> ends;
        for (const auto &[endpoint, keeper] : keepers_) {
            ends.push_back(keeper->strategy().watch(watcher));
        }
        return ends;
    }

    /// Asks the strategy once and makes the parts. Nothing was sent when this throws.
    Plan<Request, Response> plan(const std::string &endpoint, const Request &request) {
        const Snapshot snapshot = router_.snapshot();
        Plan<Request, Response> plan{endpoint, {}, nullptr};
        if (const Hashing *hashing = hashing_of(endpoint)) {
            plan.parts = by_keys(*hashing, snapshot, endpoint, request);
            plan.merge = hashing->response_mergers().find(endpoint);
        } else if (Keeper *keeper = keeper_of(endpoint)) {
            plan.parts = by_partitions(*keeper, snapshot, endpoint, request);
            plan.merge = keeper->strategy().response_mergers().find(endpoint);
        } else {
            plan.parts.push_back(whole(snapshot, request));
        }
        if (plan.parts.size() > 1 && plan.merge == nullptr) {
            raise_missing(endpoint, "response merger");
        }
        return plan;
    }

    /// The sums over all custom strategies, for the topology in force.
    SchemaStats stats() {
        observe();
        SchemaStats sum;
        for (const auto &[endpoint, keeper] : keepers_) {
            const SchemaStats one = keeper->stats();
            sum.partition_updates += one.partition_updates;
            sum.snap_updates += one.snap_updates;
            sum.update_failures += one.update_failures;
            sum.nodes += one.nodes;
            sum.left_out += one.left_out;
        }
        return sum;
    }

  private:
    static void freeze(const Hashing &hashing) {
        hashing.request_mergers().freeze();
        hashing.response_mergers().freeze();
    }

    void keep(const std::string &endpoint, const Custom &custom, const Log &log) {
        custom.response_mergers().freeze();
        keepers_.emplace(endpoint, std::make_unique<Keeper>(custom, log));
    }

    const Hashing *hashing_of(const std::string &endpoint) const {
        const Hashing *hashing = std::get_if<Hashing>(&strategy_);
        if (const auto *methods = std::get_if<MethodStrategies<Request, Response>>(&strategy_)) {
            const auto found = methods->find(endpoint);
            hashing = found == methods->end() ? nullptr : std::get_if<Hashing>(&found->second);
        }
        return hashing != nullptr && hashing->splits(endpoint) ? hashing : nullptr;
    }

    Keeper *keeper_of(const std::string &endpoint) const {
        const auto found = keepers_.find(std::holds_alternative<Custom>(strategy_) ? "" : endpoint);
        return found == keepers_.end() ? nullptr : found->second.get();
    }

    /// A request that outlives the call, so that no copy is needed.
    static std::shared_ptr<const Request> lend(const Request &request) {
        return {std::shared_ptr<const Request>(), &request};
    }

    static Part<Request> whole(const Snapshot &snapshot, const Request &request) {
        std::vector<Node> all = snapshot.nodes();
        std::vector<Node> live;
        for (std::uint32_t index = 0; index < all.size(); index++) {
            if (all[index].weight > 0 && !snapshot.is_ejected(index)) {
                live.push_back(all[index]);
            }
        }
        return {lend(request), live.empty() ? std::move(all) : std::move(live), Pick::RoundRobin, {}, {}, nullptr};
    }

    static Groups group(const Snapshot &snapshot, const KeyedRequests<Request> &table) {
        std::vector<KeyView> keys;
        bool plain = true;
        keys.reserve(table.size());
        for (const auto &[key, request] : table) {
            keys.push_back(key.view());
            plain = plain && key.is_bytes();
        }
        if (plain) {
            return snapshot.group(keys);
        }
        std::vector<std::uint64_t> hashes; // the scheme knows what an integer's bytes are
        hashes.reserve(keys.size());
        for (const KeyView key : keys) {
            hashes.push_back(snapshot.hash(key));
        }
        return snapshot.group_hashes(hashes);
    }

    static Groups group_or_raise(const Snapshot &snapshot, const KeyedRequests<Request> &table,
                                 const std::string &endpoint) {
        try {
            return group(snapshot, table);
        } catch (const Error &error) {
            if (error.code() != ErrorCode::InvalidArgument) {
                throw;
            }
            raise_failed(endpoint, "partitioning strategy"); // a key that the scheme does not take
        }
    }

    static std::optional<KeyedRequests<Request>> ask(const Hashing &strategy, const std::string &endpoint,
                                                     const Request &request) {
        try {
            return strategy.get_keys()(endpoint, request);
        } catch (...) {
            rethrow_own(endpoint);
            raise_failed(endpoint, "partitioning strategy");
        }
    }

    static Parts by_keys(const Hashing &strategy, const Snapshot &snapshot, const std::string &endpoint,
                         const Request &request) {
        std::optional<KeyedRequests<Request>> table = ask(strategy, endpoint, request);
        if (!table) {
            raise_no_keys(endpoint, "has no case for it");
        }
        if (table->empty()) {
            raise_no_keys(endpoint, "gave no key");
        }
        const Groups groups = group_or_raise(snapshot, *table, endpoint);
        Parts parts;
        for (const Group group : groups) {
            Part<Request> part;
            part.candidates.push_back(snapshot.node(group.node));
            std::vector<Request> requests;
            for (const std::uint32_t index : group.indices) {
                part.keys.push_back((*table)[index].first);
                if (groups.size() > 1) {
                    requests.push_back(std::move((*table)[index].second));
                }
            }
            part.request = groups.size() == 1     ? lend(request)
                           : requests.size() == 1 ? std::make_shared<const Request>(std::move(requests[0]))
                                                  : merged(strategy, endpoint, std::move(requests));
            parts.push_back(std::move(part));
        }
        return parts;
    }

    static std::shared_ptr<const Request> merged(const Hashing &strategy, const std::string &endpoint,
                                                 std::vector<Request> requests) {
        const auto *merge = strategy.request_mergers().find(endpoint);
        if (merge == nullptr) {
            raise_missing(endpoint, "request merger");
        }
        try {
            return std::make_shared<const Request>((*merge)(std::move(requests)));
        } catch (...) {
            raise_failed(endpoint, "request merger");
        }
    }

    struct Asked {
        typename Keeper::View view;
        std::optional<PartitionedRequests<Request>> table;
    };

    static Asked ask(Keeper &keeper, const Snapshot &snapshot, const std::string &endpoint, const Request &request) {
        try {
            typename Keeper::View view = keeper.current(snapshot);
            auto table = view->split(endpoint, request);
            return {std::move(view), std::move(table)};
        } catch (...) {
            rethrow_own(endpoint);
            raise_failed(endpoint, "partitioning strategy");
        }
    }

    static Parts by_partitions(Keeper &keeper, const Snapshot &snapshot, const std::string &endpoint,
                               const Request &request) {
        Asked asked = ask(keeper, snapshot, endpoint, request);
        if (!asked.table) {
            raise_strategy(endpoint, "the custom strategy has no case for it; check that it is defined");
        }
        if (asked.table->empty()) {
            raise_strategy(endpoint, "the custom strategy gave no partition; at least one is right");
        }
        std::set<std::int32_t> seen;
        Parts parts;
        for (auto &[partition, sub_request] : *asked.table) {
            if (!seen.insert(partition).second) {
                raise_strategy(endpoint, "the custom strategy gave partition " + std::to_string(partition) +
                                             " twice; each once is right");
            }
            Part<Request> part;
            part.request = std::make_shared<const Request>(std::move(sub_request));
            part.pick = keeper.strategy().pick();
            part.partition = partition;
            try {
                for (const std::uint32_t node : asked.view->map.nodes_of(partition)) {
                    part.candidates.push_back(asked.view->snapshot.node(node));
                }
            } catch (const Error &) {
                part.error = std::current_exception();
            }
            parts.push_back(std::move(part));
        }
        return parts;
    }

    /// Rethrows the exception under way when it is a strategy's own word about this endpoint.
    static void rethrow_own(const std::string &endpoint) {
        try {
            throw;
        } catch (const Error &error) {
            if (error.code() == ErrorCode::PartitioningStrategy && error.place() == endpoint) {
                throw;
            }
        } catch (...) {
            return;
        }
    }

    [[noreturn]] static void raise_missing(const std::string &endpoint, const std::string &role) {
        raise_strategy(endpoint, "it needs a " + role + " and has none; add one to the strategy. Nothing was sent");
    }

    Router router_;
    const Strategy<Request, Response> strategy_;
    std::map<std::string, std::unique_ptr<Keeper>> keepers_; // by endpoint; the one of all under ""
};

} // namespace shardway::detail
