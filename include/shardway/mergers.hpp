// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/error.hpp>
#include <shardway/key.hpp>

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

/// A part of a request that got no answer, or a declared exception as one: what a response merger gets.
template <class Request> struct PartFailure {
    /// What happened.
    std::exception_ptr error;
    /// The method that was called.
    std::string endpoint;
    /// The id of the node that was asked; nothing when none was.
    std::optional<std::string> node;
    /// The logical partition that was asked; nothing with a hashing strategy.
    std::optional<std::int32_t> partition;
    /// The keys of the part, in their order; empty with a custom strategy.
    std::vector<Key> keys;
    /// The request of the part, as it was sent or would have been.
    std::shared_ptr<const Request> request;

    /// Throws what happened: how a merger answers with an error.
    [[noreturn]] void raise() const { std::rethrow_exception(error); }
};

/// Makes one request of several that go to one node, given in the order of their keys.
template <class Request> using RequestMerger = std::function<Request(std::vector<Request> requests)>;

/// Makes one result of all answers, successes and failures each in the order in which their keys first appear. To
/// answer with an error it calls `raise()` of one of the failures; whatever else it throws is its own failure.
template <class Request, class Response>
using ResponseMerger =
    std::function<Response(std::vector<Response> successes, const std::vector<PartFailure<Request>> &failures)>;

/// Functions by endpoint. A copy is the same registry. A client that is built with it freezes it, so that calls read
/// it from any number of threads.
template <class Function> class Registry {
  public:
    /// Sets the merger of an endpoint; gives the registry back, so that calls can be chained. Throws
    /// `InvalidArgument` when it is empty, when the endpoint has one already, or once a client has the registry.
    Registry &add(std::string endpoint, Function merge) {
        if (!merge) {
            throw Error(ErrorCode::InvalidArgument, "merge: an empty function; one that can be called is right", "merge");
        }
        const std::lock_guard lock(data_->mutex);
        if (data_->frozen) {
            refuse(endpoint, "comes too late; a registry is frozen once a client has it");
        }
        if (!data_->functions.emplace(endpoint, std::move(merge)).second) {
            refuse(endpoint, "has a merger already; one an endpoint is right");
        }
        return *this;
    }

    /// The merger of an endpoint; null when it has none. Lent by the registry.
    [[nodiscard]] const Function *find(const std::string &endpoint) const {
        const std::lock_guard lock(data_->mutex);
        const auto found = data_->functions.find(endpoint);
        return found == data_->functions.end() ? nullptr : &found->second;
    }

    /// Refuses further additions. A client that is built with the registry does this.
    void freeze() const {
        const std::lock_guard lock(data_->mutex);
        data_->frozen = true;
    }

  private:
    struct Data {
        std::mutex mutex;
        bool frozen = false;
        std::map<std::string, Function> functions; // whose values stay where they are when others come
    };

    [[noreturn]] static void refuse(const std::string &endpoint, const std::string &why) {
        throw Error(ErrorCode::InvalidArgument, "endpoint: \"" + endpoint + "\" " + why, "endpoint");
    }

    std::shared_ptr<Data> data_ = std::make_shared<Data>();
};

/// Request mergers by endpoint.
template <class Request> using RequestMergers = Registry<RequestMerger<Request>>;

/// Response mergers by endpoint.
template <class Request, class Response> using ResponseMergers = Registry<ResponseMerger<Request, Response>>;

} // namespace shardway
