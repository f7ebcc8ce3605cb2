// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/router.hpp>
#include <shardway/scatter.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardway {

/// What an exception of the transport says of its node: `Success` when it is the answer of a live server (a declared
/// exception), `Ignored` when it is the caller's own doing, else `Failure`.
using Classify = std::function<Outcome(const std::exception_ptr &)>;

/// The time in ms of a clock that never goes back.
using ClockMs = std::function<std::uint64_t()>;

/// The system's clock that never goes back, in ms.
inline std::uint64_t steady_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

namespace detail {

/// Which of several equivalent instances gets a request; for any number of threads.
class Picker {
  public:
    explicit Picker(std::uint64_t seed) : random_(seed) {}

    /// Whose turns are counted together: an endpoint, or one of its partitions. With one count for all, a request to two
    /// partitions of two nodes would meet the same two nodes for ever.
    using Lane = std::pair<std::string, std::optional<std::int32_t>>;

    /// The place to begin at among the candidates; the next ones in turn are those to fall back to.
    std::size_t first(Pick pick, const std::vector<Node> &nodes, const Lane &lane) {
        if (nodes.size() < 2) {
            return 0;
        }
        const std::lock_guard lock(mutex_);
        if (pick == Pick::RoundRobin) {
            return turns_[lane]++ % nodes.size();
        }
        const std::size_t one = random_() % nodes.size();
        std::size_t other = random_() % (nodes.size() - 1);
        other += other >= one ? 1 : 0;
        return under_way(nodes[other].id) < under_way(nodes[one].id) ? other : one;
    }

    void enter(const std::string &node) {
        const std::lock_guard lock(mutex_);
        counts_[node]++;
    }

    void leave(const std::string &node) {
        const std::lock_guard lock(mutex_);
        const auto found = counts_.find(node);
        if (found != counts_.end() && --found->second == 0) {
            counts_.erase(found); // nodes that are gone are forgotten
        }
    }

  private:
    [[nodiscard]] std::size_t under_way(const std::string &node) const {
        const auto found = counts_.find(node);
        return found == counts_.end() ? 0 : found->second;
    }

    std::mutex mutex_;
    std::mt19937_64 random_;
    std::map<Lane, std::size_t> turns_;
    std::unordered_map<std::string, std::size_t> counts_;
};

/// One send that was allowed: to which node, and since when.
struct Ticket {
    Node node;
    std::uint64_t sent_ms = 0;
};

/// Admits sends and reports their ends; for any number of threads.
class Sender {
  public:
    Sender(Router router, Classify classify, ClockMs clock_ms, std::uint64_t seed, Log log)
        : router_(std::move(router)), classify_(std::move(classify)), clock_ms_(std::move(clock_ms)), picker_(seed),
          log_(std::move(log)) {}

    /// Chooses the node of a part and asks whether it may be sent to. What is admitted must be settled. Throws
    /// `NodeUnavailable` when no candidate may be sent to, and the part's own error.
    template <class Request> Ticket admit(const std::string &endpoint, const Part<Request> &part) {
        if (part.error) {
            std::rethrow_exception(part.error);
        }
        const std::size_t count = part.candidates.size();
        const std::size_t first = picker_.first(part.pick, part.candidates, {endpoint, part.partition});
        for (std::size_t step = 0; step < count; step++) {
            const Node &node = part.candidates[(first + step) % count];
            const std::uint64_t now_ms = clock_ms_();
            if (admission(node.id, now_ms) != Admission::FailFast) {
                picker_.enter(node.id);
                return {node, now_ms};
            }
        }
        if (count == 0) {
            throw NodeUnavailable(endpoint + ": the topology has no node to send to");
        }
        std::string names;
        for (const Node &node : part.candidates) {
            names += (names.empty() ? "" : ", ") + node.id;
        }
        throw NodeUnavailable(endpoint + ": nothing was sent: " + names + " marked dead or being probed");
    }

    /// Reports how a send ended; null for an answer.
    void settle(const Ticket &ticket, const std::exception_ptr &error) {
        picker_.leave(ticket.node.id);
        const Outcome outcome = error ? outcome_of(error) : Outcome::Success;
        std::optional<Event> event;
        try {
            event = router_.report(ticket.node.id, outcome, ticket.sent_ms, clock_ms_());
        } catch (const Error &unknown) {
            if (unknown.code() != ErrorCode::UnknownNode) { // else it left while the request was under way
                throw;
            }
        }
        if (event) {
            tell(*event);
        }
    }

    /// Lets time pass; gives what changed.
    std::vector<Event> tick() {
        std::vector<Event> events = router_.tick(clock_ms_());
        for (const Event &event : events) {
            tell(event);
        }
        return events;
    }

    /// Ticks when something waits for it.
    void tick_if_due() {
        const auto due_ms = router_.next_tick_ms();
        if (due_ms && *due_ms <= clock_ms_()) {
            tick();
        }
    }

  private:
    Admission admission(const std::string &id, std::uint64_t now_ms) {
        try {
            return router_.admit(id, now_ms);
        } catch (const Error &error) {
            if (error.code() != ErrorCode::UnknownNode) {
                throw;
            }
            return Admission::Send; // it left while the request was under way, which still ends on its old snapshot
        }
    }

    Outcome outcome_of(const std::exception_ptr &error) {
        try {
            return classify_(error);
        } catch (...) {
            log_("classify failed, so the answer counts as a failure of its node: " +
                 describe(std::current_exception()));
            return Outcome::Failure;
        }
    }

    void tell(const Event &event) {
        static constexpr const char *what[] = {"was marked dead", "may be probed", "is live again"};
        log_("node " + event.node + " " + what[static_cast<int>(event.kind)] + " at " + std::to_string(event.at_ms) +
             " ms, until " + std::to_string(event.until_ms) + " ms");
    }

    const Router router_;
    const Classify classify_;
    const ClockMs clock_ms_;
    Picker picker_;
    const Log log_;
};

} // namespace detail
} // namespace shardway
