// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/gather.hpp>
#include <shardway/sender.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace shardway {

/// What a client may be told; all of it has a default.
struct ClientOptions {
    /// What an exception of the transport says of its node. By default every exception is a failure.
    Classify classify = [](const std::exception_ptr &) { return Outcome::Failure; };
    /// The time in ms; by default the system's clock that never goes back.
    ClockMs clock_ms = steady_ms;
    /// Of the draws among equivalent instances.
    std::uint64_t seed = 0;
    /// Gets a sentence for each node that changes, each instance left out, each state that fails. Called on the
    /// thread of a call or update, on several at once.
    std::function<void(const std::string &)> log = [](const std::string &) {};
};

/// Counters and gauges of a client.
struct ClientStats {
    /// Of its router.
    Stats router;
    /// Of its custom strategies.
    SchemaStats custom;
};

/// Splits requests by a strategy, sends the parts at once, merges the answers. For any number of threads.
///
/// `send` is any callable of `(const Node &, const std::string &endpoint, const Request &)`. It gives a `Response`:
/// then the parts of a request run each on a thread of its own (`std::async`), the last on the caller's. Or it gives
/// something with `get()` that waits for a `Response` or throws: then all parts are started before the first is waited
/// for, and no thread is needed. What `send` or `get()` throws is the failure of its part. Request and parts live
/// until the call ends. A bound on time is the transport's: its exception counts like any other.
///
/// A request takes one snapshot of the ring and of the logical partitions and holds it to its end.
template <class Request, class Response> class PartitionedClient {
  public:
    /// Makes a client. Mergers of the strategy are frozen by this. Throws `InvalidArgument` for an empty function.
    template <class Send>
    PartitionedClient(Router router, Send send, Strategy<Request, Response> strategy = {}, ClientOptions options = {})
        : router_(std::move(router)), start_(starter(std::move(send))) {
        if (!options.classify || !options.clock_ms || !options.log) {
            throw Error(ErrorCode::InvalidArgument, "options: an empty function; one that can be called is right",
                        "options");
        }
        scatter_ = std::make_shared<Scatter>(router_, std::move(strategy), options.log);
        sender_ = std::make_unique<detail::Sender>(router_, std::move(options.classify), std::move(options.clock_ms),
                                                   options.seed, std::move(options.log));
        unwatch_ = scatter_->watch([weak = std::weak_ptr<Scatter>(scatter_)] {
            if (const auto scatter = weak.lock()) {
                scatter->observe();
            }
        });
        scatter_->observe();
    }

    PartitionedClient(const PartitionedClient &) = delete;
    PartitionedClient &operator=(const PartitionedClient &) = delete;
    ~PartitionedClient() {
        for (const auto &end : unwatch_) {
            end();
        }
    }

    /// Sends a request and gives its result. `endpoint` is the method's name.
    ///
    /// Throws `NoPartitioningKeys` when the strategy gave no key; `PartitioningStrategy` when the strategy or a merger
    /// failed (the cause is nested) or is missing; `NoPartition` when the one partition asked for is not served;
    /// `ShardNotAvailable` when no node can own the keys; `NodeUnavailable` when the one node may not be sent to;
    /// `Closed`; what `send` threw, when there was one part; what the response merger decided.
    Response call(const std::string &endpoint, const Request &request) {
        if (closed_) {
            throw Error(ErrorCode::Closed, "client: it was closed; make a new one", "client");
        }
        sender_->tick_if_due();
        const auto plan = scatter_->plan(endpoint, request);
        std::vector<Answer> answers(plan.parts.size());
        std::vector<Finish> finishes(plan.parts.size());
        for (std::size_t index = 0; index < finishes.size(); index++) {
            finishes[index] = begin(plan, index);
        }
        for (std::size_t index = finishes.size(); index-- > 0;) { // backwards: the last one runs here
            answers[index] = finishes[index]();
        }
        return detail::gather(plan, std::move(answers));
    }

    /// Lets time pass for nodes that are marked dead, and gives what changed. Calls do this in passing.
    std::vector<Event> tick() { return sender_->tick(); }

    /// Counters and gauges.
    [[nodiscard]] ClientStats stats() { return {router_.stats(), scatter_->stats()}; }

    /// The router.
    [[nodiscard]] const Router &router() const noexcept { return router_; }

    /// Refuses new calls; those under way end. May be called again, from any thread.
    void close() noexcept { closed_ = true; }

  private:
    using Scatter = detail::Scatter<Request, Response>;
    using Answer = detail::Answer<Response>;
    using Plan = detail::Plan<Request, Response>;
    using Finish = std::function<Answer()>;
    using Wait = std::function<Response()>;
    /// Starts a send; the last parameter tells whether it is to run beside others.
    using Start = std::function<Wait(const Node &, const std::string &, const Request &, bool)>;

    /// Makes of any `send` one that starts and gives what waits.
    template <class Send> static Start starter(Send send) {
        auto shared = std::make_shared<Send>(std::move(send));
        return [shared](const Node &node, const std::string &endpoint, const Request &request, bool beside) -> Wait {
            using Result = std::decay_t<decltype((*shared)(node, endpoint, request))>;
            static_assert(std::is_convertible_v<Result, Response> || detail::HasGet<Result>::value,
                          "send must give a Response, or something whose get() does");
            if constexpr (detail::is_future_of<Result, Response>) {
                auto future = std::make_shared<Result>((*shared)(node, endpoint, request));
                return [future]() -> Response { return future->get(); };
            } else {
                const auto run = [shared, &node, &endpoint, &request]() -> Response {
                    return (*shared)(node, endpoint, request);
                };
                if (beside) {
                    try {
                        auto future = std::make_shared<std::future<Response>>(std::async(std::launch::async, run));
                        return [future] { return future->get(); };
                    } catch (const std::system_error &) { // no thread to be had: then on this one
                        return run;
                    }
                }
                return run;
            }
        };
    }

    /// Sends a part, or finds that it cannot be; gives what waits for its end. Never throws.
    Finish begin(const Plan &plan, std::size_t index) {
        const auto &part = plan.parts[index];
        auto ticket = std::make_shared<detail::Ticket>();
        try {
            *ticket = sender_->admit(plan.endpoint, part);
        } catch (...) {
            Answer answer;
            answer.error = std::current_exception();
            if (part.candidates.size() == 1) {
                answer.node = part.candidates[0].id;
            }
            return [answer] { return answer; };
        }
        Wait wait;
        try {
            // A plain function of the last part runs on this thread, when it is waited for.
            wait = start_(ticket->node, plan.endpoint, *part.request, index + 1 < plan.parts.size());
        } catch (...) {
            wait = [error = std::current_exception()]() -> Response { std::rethrow_exception(error); };
        }
        return [this, ticket, wait] { return end(*ticket, wait); };
    }

    Answer end(const detail::Ticket &ticket, const Wait &wait) {
        Answer answer;
        answer.node = ticket.node.id;
        try {
            answer.value.emplace(wait());
        } catch (...) {
            answer.error = std::current_exception();
        }
        try {
            sender_->settle(ticket, answer.error);
        } catch (...) { // of the clock or the log: the other parts are to be waited for all the same
            answer.error = answer.error ? answer.error : std::current_exception();
        }
        return answer;
    }

    Router router_;
    Start start_;
    std::shared_ptr<Scatter> scatter_;
    std::unique_ptr<detail::Sender> sender_;
    std::vector<std::function<void()>> unwatch_;
    std::atomic<bool> closed_{false};
};

} // namespace shardway
