// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/future.hpp>
#include <shardway/mergers.hpp>
#include <shardway/snapshot.hpp>
#include <shardway/state.hpp>

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace shardway {

/// How an instance of a partition is chosen.
enum class Pick {
    /// Of two drawn at random the one with less under way.
    PowerOfTwoChoices,
    /// In turn.
    RoundRobin,
};

/// Sub-requests by key, in their order; empty when the request has no key.
template <class Request> using KeyedRequests = std::vector<std::pair<Key, Request>>;

/// Sub-requests by logical partition, in their order; each id once.
template <class Request> using PartitionedRequests = std::vector<std::pair<std::int32_t, Request>>;

/// Endpoint and request to sub-requests by key. Nothing: the endpoint has no case.
template <class Request>
using GetKeys = std::function<std::optional<KeyedRequests<Request>>(const std::string &endpoint, const Request &)>;

namespace detail {

/// The one type in a request that may be of several: itself, of a `std::variant` or of a `std::any`.
template <class Wanted, class Request> const Wanted *as(const Request &request) {
    if constexpr (std::is_same_v<Wanted, Request>) {
        return &request;
    } else if constexpr (std::is_same_v<Request, std::any>) {
        return std::any_cast<Wanted>(&request);
    } else {
        return std::get_if<Wanted>(&request);
    }
}

} // namespace detail

/// Endpoint and request to sub-requests by partition. Made of any function of `(const std::string &endpoint, const
/// Request &)` that gives `PartitionedRequests`, an optional of them (nothing: no case), or a future of either, which
/// is waited for. The same request may go to many partitions.
template <class Request> class GetPartitions {
  public:
    using Answer = std::optional<PartitionedRequests<Request>>;

    GetPartitions() = default;
    template <class Function, class = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, GetPartitions>>>
    GetPartitions(Function function)
        : function_([function = std::move(function)](const std::string &endpoint, const Request &request) -> Answer {
              return detail::settled<Answer>(function(endpoint, request));
          }) {}

    explicit operator bool() const noexcept { return static_cast<bool>(function_); }
    Answer operator()(const std::string &endpoint, const Request &request) const { return function_(endpoint, request); }

  private:
    std::function<Answer(const std::string &, const Request &)> function_;
};

/// The shard id of an instance to what it serves. Made of any function that gives one partition or a vector of them.
class LogicalPartition {
  public:
    LogicalPartition() = default;
    template <class Function, class = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, LogicalPartition>>>
    LogicalPartition(Function function)
        : function_([function = std::move(function)](std::int32_t shard_id) -> std::vector<std::int32_t> {
              if constexpr (std::is_convertible_v<decltype(function(shard_id)), std::int32_t>) {
                  return {static_cast<std::int32_t>(function(shard_id))};
              } else {
                  return function(shard_id);
              }
          }) {}

    explicit operator bool() const noexcept { return static_cast<bool>(function_); }
    std::vector<std::int32_t> operator()(std::int32_t shard_id) const { return function_(shard_id); }

  private:
    std::function<std::vector<std::int32_t>(std::int32_t)> function_;
};

/// Makes one strategy function of one function an endpoint; an endpoint without one has no case.
template <class Request, class Answer>
auto per_endpoint(std::map<std::string, std::function<Answer(const Request &)>> cases) {
    return [cases = std::move(cases)](const std::string &endpoint, const Request &request) -> std::optional<Answer> {
        const auto found = cases.find(endpoint);
        return found == cases.end() ? std::nullopt : std::optional<Answer>(found->second(request));
    };
}

/// Keys to nodes by the ring of the router; each node is a partition. A description: it may serve several clients.
template <class Request, class Response> class HashingStrategy {
  public:
    /// Its function is called once a request, on the thread of the call, and must be pure.
    explicit HashingStrategy(GetKeys<Request> get_keys, RequestMergers<Request> requests = {},
                             ResponseMergers<Request, Response> responses = {})
        : get_keys_(std::move(get_keys)), requests_(std::move(requests)), responses_(std::move(responses)) {
        if (!get_keys_) {
            throw Error(ErrorCode::InvalidArgument, "get_keys: an empty function; one that can be called is right",
                        "get_keys");
        }
    }

    /// Of one function an endpoint. An endpoint without one has no key.
    static HashingStrategy
    per_endpoint(std::map<std::string, std::function<KeyedRequests<Request>(const Request &)>> cases,
                 RequestMergers<Request> requests = {}, ResponseMergers<Request, Response> responses = {}) {
        return HashingStrategy(shardway::per_endpoint(std::move(cases)), std::move(requests), std::move(responses));
    }

    /// Of one endpoint; requests of all others are not split. `Wanted` is `Request`, or one type of it when that is a
    /// `std::variant` or a `std::any`: a request of another type throws `PartitioningStrategy` and says so.
    template <class Wanted = Request, class Function>
    static HashingStrategy for_endpoint(std::string endpoint, Function get_keys,
                                        RequestMerger<Request> request_merger = {},
                                        ResponseMerger<Request, Response> response_merger = {}) {
        HashingStrategy strategy([get_keys = std::move(get_keys)](const std::string &method, const Request &request)
                                     -> std::optional<KeyedRequests<Request>> {
            const Wanted *wanted = detail::as<Wanted>(request);
            if (wanted == nullptr) {
                throw Error(ErrorCode::PartitioningStrategy,
                            method + ": a request of another type than the strategy takes", method);
            }
            return get_keys(*wanted);
        });
        if (request_merger) {
            strategy.requests_.add(endpoint, std::move(request_merger));
        }
        if (response_merger) {
            strategy.responses_.add(endpoint, std::move(response_merger));
        }
        strategy.only_ = std::move(endpoint);
        return strategy;
    }

    [[nodiscard]] const GetKeys<Request> &get_keys() const noexcept { return get_keys_; }
    [[nodiscard]] const RequestMergers<Request> &request_mergers() const noexcept { return requests_; }
    [[nodiscard]] const ResponseMergers<Request, Response> &response_mergers() const noexcept { return responses_; }
    /// Whether it splits requests of an endpoint.
    [[nodiscard]] bool splits(const std::string &endpoint) const { return !only_ || *only_ == endpoint; }

  private:
    GetKeys<Request> get_keys_;
    RequestMergers<Request> requests_;
    ResponseMergers<Request, Response> responses_;
    std::optional<std::string> only_;
};

/// What a custom strategy may have besides its functions.
template <class Request, class Response> struct CustomOptions {
    /// By endpoint, for requests to more than one partition.
    ResponseMergers<Request, Response> response_mergers{};
    /// How an instance of a partition is chosen.
    Pick pick = Pick::PowerOfTwoChoices;
};

/// Requests to logical partitions, and logical partitions to instances, by functions of the user's, which must be
/// pure. Both are taken together from one observed state: a request never meets an old function with a new map.
/// Without a `LogicalPartition` the topology's partitions count; where those are missing each instance is its own.
template <class Request, class Response> class CustomStrategy {
  public:
    using Options = CustomOptions<Request, Response>;
    using Nodes = std::vector<Node>;

    /// Of functions that never change.
    static CustomStrategy no_resharding(GetPartitions<Request> get_partitions, LogicalPartition logical = {},
                                        Options options = {}) {
        return CustomStrategy(
            [functions = Functions{std::move(get_partitions), std::move(logical)}](const Snapshot &) {
                return Observed{0, [functions] { return functions; }};
            },
            std::move(options));
    }

    /// Of functions that follow a state: each is made anew at every change. What fails keeps the last good ones and
    /// counts in `update_failures`.
    template <class T>
    static CustomStrategy resharding(State<T> state, std::function<GetPartitions<Request>(const T &)> get_partitions,
                                     std::function<LogicalPartition(const T &)> logical = {}, Options options = {}) {
        CustomStrategy strategy(
            [=](const Snapshot &) {
                auto [version, value] = state.read();
                return Observed{version, [=, value = std::move(value)] {
                                    return Functions{get_partitions(value), logical ? logical(value) : LogicalPartition()};
                                }};
            },
            std::move(options));
        strategy.watch_ = [state](std::function<void()> watcher) { return state.watch(std::move(watcher)); };
        return strategy;
    }

    /// Of functions that follow the nodes of the topology in force, in the order of its document.
    static CustomStrategy cluster_resharding(std::function<GetPartitions<Request>(const Nodes &)> get_partitions,
                                             std::function<LogicalPartition(const Nodes &)> logical = {},
                                             Options options = {}) {
        return CustomStrategy(
            [=](const Snapshot &snapshot) {
                return Observed{0, [=] {
                                    const Nodes nodes = snapshot.nodes();
                                    return Functions{get_partitions(nodes), logical ? logical(nodes) : LogicalPartition()};
                                }};
            },
            std::move(options));
    }

    /// Both functions, of one value of what is observed.
    struct Functions {
        GetPartitions<Request> split;
        LogicalPartition logical;
    };
    /// The number of a value of what is observed, and what makes the functions of it.
    struct Observed {
        std::uint64_t version;
        std::function<Functions()> evaluate;
    };

    [[nodiscard]] Observed observe(const Snapshot &snapshot) const { return observe_(snapshot); }
    /// Calls a function after each change of the state; gives what ends that. Nothing to end without a state.
    [[nodiscard]] std::function<void()> watch(std::function<void()> watcher) const {
        return watch_ ? watch_(std::move(watcher)) : [] {};
    }
    [[nodiscard]] const ResponseMergers<Request, Response> &response_mergers() const noexcept {
        return options_.response_mergers;
    }
    [[nodiscard]] Pick pick() const noexcept { return options_.pick; }

  private:
    CustomStrategy(std::function<Observed(const Snapshot &)> observe, Options options)
        : observe_(std::move(observe)), options_(std::move(options)) {}

    std::function<Observed(const Snapshot &)> observe_;
    std::function<std::function<void()>(std::function<void()>)> watch_;
    Options options_;
};

/// A strategy of its own for each endpoint; requests of an endpoint without one are not split.
template <class Request, class Response>
using MethodStrategies =
    std::map<std::string, std::variant<HashingStrategy<Request, Response>, CustomStrategy<Request, Response>>>;

/// How a client splits requests; `std::monostate`: not at all, each goes whole to the nodes in turn.
template <class Request, class Response>
using Strategy = std::variant<std::monostate, HashingStrategy<Request, Response>, CustomStrategy<Request, Response>,
                              MethodStrategies<Request, Response>>;

} // namespace shardway
