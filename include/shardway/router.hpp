// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/health.hpp>
#include <shardway/lookup.hpp>
#include <shardway/snapshot.hpp>
#include <shardway/stats.hpp>
#include <shardway/topology.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardway {

/// What a publish did.
enum class Publish : std::int32_t {
    /// The topology is in force.
    Published = SHARDWAY_PUBLISH_PUBLISHED,
    /// It was in force already; nothing was rebuilt.
    Unchanged = SHARDWAY_PUBLISH_UNCHANGED,
    /// It has no nodes, or no instance for its partitions: the old one stays in force.
    KeptOld = SHARDWAY_PUBLISH_KEPT_OLD,
};

/// The snapshot in force and what changes it. For any number of threads at once; lookups take no lock and do not wait
/// for a publish. A copy is the same router, counted once more; all calls are `const`, since they change what all
/// copies share. It has no clock: times are ms of any clock of the caller's that never goes back.
class Router : public detail::Lookups<shardway_router_t, detail::RouterCalls> {
  public:
    /// Puts a topology in force; `seed` feeds the jitter of backoffs only.
    explicit Router(const Topology &topology, std::uint64_t seed = 0)
        : Lookups(detail::Handle<shardway_router_t>::make(shardway_router_new, topology.raw(), seed)) {}

    /// The id of the owner of a key, in one call that no publish can come between. Throws as `route`.
    [[nodiscard]] std::string route_id(KeyView key) const {
        if (!key.is_bytes()) {
            const Snapshot now = snapshot();
            return std::string(now.node_id(now.route(key).node));
        }
        char id[SHARDWAY_NODE_ID_CAPACITY];
        std::size_t length = 0;
        detail::call(shardway_router_route_id, raw(), key.data(), key.size(), &id[0], sizeof id, &length, nullptr);
        return {id, length};
    }

    /// The view in force; later changes do not touch it.
    [[nodiscard]] Snapshot snapshot() const {
        return Snapshot::adopt(detail::Handle<shardway_snapshot_t>::make(shardway_router_snapshot, raw()));
    }

    /// Puts a topology in force. Throws `StaleRevision` when a newer one is, `RevisionConflict` when another of the
    /// same revision is.
    Publish publish(const Topology &topology) const { // NOLINT(modernize-use-nodiscard)
        std::int32_t result = 0;
        detail::call(shardway_router_publish, raw(), topology.raw(), &result);
        return static_cast<Publish>(result);
    }

    /// Takes a node's keys away; false when that was done. Throws `UnknownNode`.
    bool eject(std::string_view id) const { // NOLINT(modernize-use-nodiscard)
        std::int32_t changed = 0;
        detail::call(shardway_router_eject, raw(), id.data(), id.size(), &changed);
        return changed != 0;
    }

    /// Gives a node its keys back; false when it has them. Throws `UnknownNode`.
    bool revive(std::string_view id) const { // NOLINT(modernize-use-nodiscard)
        std::int32_t changed = 0;
        detail::call(shardway_router_revive, raw(), id.data(), id.size(), &changed);
        return changed != 0;
    }

    /// Asks whether a request may go to a node; call it before each send. Throws `UnknownNode`.
    [[nodiscard]] Admission admit(std::string_view id, std::uint64_t now_ms) const {
        std::int32_t admission = 0;
        detail::call(shardway_router_admit, raw(), id.data(), id.size(), now_ms, &admission);
        return static_cast<Admission>(admission);
    }

    /// Tells how a request to a node ended, sent at `sent_ms`; gives what it led to. Throws `UnknownNode`.
    std::optional<Event> report(std::string_view id, Outcome outcome, std::uint64_t sent_ms,
                                std::uint64_t now_ms) const {
        shardway_event_t event;
        event.struct_size = sizeof event;
        detail::call(shardway_router_report, raw(), id.data(), id.size(), static_cast<std::int32_t>(outcome), sent_ms,
                     now_ms, &event);
        return event.kind == SHARDWAY_EVENT_NONE ? std::nullopt : std::optional<Event>(detail::to_event(event));
    }

    /// Lets time pass: nodes whose time is up may be probed and, with `eject_failed_host`, get their keys back.
    /// Gives what happened since the last tick, each event once.
    std::vector<Event> tick(std::uint64_t now_ms) const { // NOLINT(modernize-use-nodiscard)
        std::vector<Event> all;
        std::array<shardway_event_t, 8> some;
        std::size_t count = some.size();
        while (count == some.size()) {
            some[0].struct_size = sizeof some[0];
            detail::call(shardway_router_tick, raw(), now_ms, some.data(), some.size(), &count);
            for (std::size_t index = 0; index < count; index++) {
                all.push_back(detail::to_event(some[index]));
            }
        }
        return all;
    }

    /// When the next tick can change something, in ms; nothing when no node waits for its time.
    [[nodiscard]] std::optional<std::uint64_t> next_tick_ms() const {
        std::uint64_t next = 0;
        detail::call(shardway_router_next_tick, raw(), &next);
        return next == SHARDWAY_NO_TICK ? std::nullopt : std::optional<std::uint64_t>(next);
    }

    /// Counters and gauges, of one moment.
    [[nodiscard]] Stats stats() const {
        shardway_stats_t now{};
        now.struct_size = sizeof now;
        detail::call(shardway_router_stats, raw(), &now);
        return {now.redistributes,     now.joins,        now.leaves,          now.ejections,  now.revivals,
                now.partition_updates, now.snap_updates, now.update_failures, now.live_nodes, now.dead_nodes,
                now.nodes,             now.revision,     now.fingerprint,     now.points};
    }

    /// The topology in force.
    [[nodiscard]] Topology topology() const { return snapshot().topology(); }
    /// The revision in force.
    [[nodiscard]] std::uint64_t revision() const { return snapshot().revision(); }
};

} // namespace shardway
