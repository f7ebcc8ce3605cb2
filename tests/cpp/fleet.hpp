// A fleet without sockets: nodes that answer, record, fail or wait as they are told. The C++ end of the reference
// tests in `docs/profiles/finagle.md`: a request is a list of addresses, an answer a list of boxes.
#pragma once

#include <shardway.hpp>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fleet {

using Request = std::vector<std::string>;
using Response = std::vector<std::string>;
using Client = shardway::PartitionedClient<Request, Response>;
using Hashing = shardway::HashingStrategy<Request, Response>;
using Custom = shardway::CustomStrategy<Request, Response>;
using Keyed = shardway::KeyedRequests<Request>;
using Partitioned = shardway::PartitionedRequests<Request>;
using Failure = shardway::PartFailure<Request>;
using Requests = shardway::RequestMergers<Request>;
using Responses = shardway::ResponseMergers<Request, Response>;

/// Answers `address@node size: N` for each address, N the number of addresses of the call.
class Fleet {
  public:
    struct Sent {
        std::string node;
        std::string endpoint;
        Request request;
    };

    Response operator()(const shardway::Node &node, const std::string &endpoint, const Request &request) {
        std::function<void()> hook;
        {
            const std::lock_guard lock(mutex_);
            sent_.push_back({node.id, endpoint, request});
            const auto found = hooks_.find(node.id);
            hook = found == hooks_.end() ? nullptr : found->second;
        }
        if (hook) {
            hook();
        }
        Response boxes;
        for (const std::string &address : request) {
            boxes.push_back(address + "@" + node.id + " size: " + std::to_string(request.size()));
        }
        return boxes;
    }

    /// What a node does before it answers; it may throw.
    void hook(const std::string &node, std::function<void()> hook) {
        const std::lock_guard lock(mutex_);
        hooks_[node] = std::move(hook);
    }

    void fail(const std::string &node) {
        hook(node, [node] { throw std::runtime_error(node + " is down"); });
    }

    void mend(const std::string &node) { hook(node, nullptr); }

    std::vector<Sent> sent() const {
        const std::lock_guard lock(mutex_);
        return sent_;
    }

    std::vector<std::string> nodes_asked() const {
        std::vector<std::string> nodes;
        for (const Sent &one : sent()) {
            nodes.push_back(one.node);
        }
        std::sort(nodes.begin(), nodes.end());
        return nodes;
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        sent_.clear();
    }

    /// The transport of a client: refers to this fleet.
    auto send() {
        return [this](const shardway::Node &node, const std::string &endpoint, const Request &request) {
            return (*this)(node, endpoint, request);
        };
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Sent> sent_;
    std::map<std::string, std::function<void()>> hooks_;
};

/// Each of its waiters goes on when all have come.
class Meeting {
  public:
    explicit Meeting(std::size_t wanted) : wanted_(wanted) {}

    /// False when the others did not come in 20 s.
    bool join() {
        std::unique_lock lock(mutex_);
        if (++here_ >= wanted_) {
            all_.notify_all();
        }
        return all_.wait_for(lock, std::chrono::seconds(20), [this] { return here_ >= wanted_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable all_;
    std::size_t wanted_;
    std::size_t here_ = 0;
};

inline shardway::Router ring(int nodes, bool eject = false) {
    auto builder = shardway::Topology::ring_v1();
    for (int number = 0; number < nodes; number++) {
        shardway::Node node{"n" + std::to_string(number)};
        node.shard_id = number;
        builder.node(node);
    }
    return shardway::Router(builder.eject_failed_host(eject).failure_accrual({1, 1'000, 1'000, 500}).build());
}

/// Each address is a key with itself as the request.
inline Keyed by_address(const Request &request) {
    Keyed keyed;
    for (const std::string &address : request) {
        if (std::none_of(keyed.begin(), keyed.end(), [&](const auto &one) { return one.first == shardway::Key(address); })) {
            keyed.emplace_back(address, Request{});
        }
        for (auto &[key, part] : keyed) {
            if (key.bytes() == address) {
                part.push_back(address);
            }
        }
    }
    return keyed;
}

inline Response joined(std::vector<Response> parts) {
    Response all;
    for (Response &part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

/// The reference mergers: requests and answers are concatenated; with no success the first failure is thrown.
inline Requests request_mergers() {
    Requests mergers;
    mergers.add("getBoxes", [](std::vector<Request> requests) { return joined(std::move(requests)); });
    return mergers;
}

inline Response merge_boxes(std::vector<Response> successes, const std::vector<Failure> &failures) {
    if (successes.empty()) {
        failures.front().raise();
    }
    return joined(std::move(successes));
}

inline Responses response_mergers() {
    Responses mergers;
    mergers.add("getBoxes", merge_boxes);
    return mergers;
}

inline Hashing hashing() {
    return Hashing::per_endpoint({{"getBoxes", by_address}}, request_mergers(), response_mergers());
}

/// Addresses that so many different nodes own, `each` for every node of a router.
inline std::map<std::string, Request> owned(const shardway::Router &router, std::size_t each) {
    std::map<std::string, Request> by_node;
    for (int number = 0; number < 10'000; number++) {
        const std::string address = "address " + std::to_string(number);
        Request &mine = by_node[router.route_id(address)];
        if (mine.size() < each) {
            mine.push_back(address);
        }
    }
    return by_node;
}

/// The code and text of the error that a call throws; what else it throws fails the test.
template <class Function> shardway::Error error_of(Function function) {
    try {
        function();
    } catch (const shardway::Error &error) {
        return error;
    }
    return {shardway::ErrorCode::Ok, "no error was thrown"};
}

/// Whether a text has another in it.
inline bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace fleet
