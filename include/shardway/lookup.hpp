// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/explain.hpp>
#include <shardway/groups.hpp>
#include <shardway/handle.hpp>
#include <shardway/key.hpp>
#include <shardway/span.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Of a function that is kept out of the way of the usual.
#if defined(__GNUC__)
#define SHARDWAY_COLD [[gnu::cold, gnu::noinline]]
#else
#define SHARDWAY_COLD
#endif

namespace shardway {

/// The owner of a key. The index means something only in a snapshot of that revision.
struct Route {
    /// Index of the node.
    std::uint32_t node;
    /// Revision of the snapshot that answered.
    std::uint64_t revision;

    friend bool operator==(const Route &a, const Route &b) noexcept {
        return a.node == b.node && a.revision == b.revision;
    }
    friend bool operator!=(const Route &a, const Route &b) noexcept { return !(a == b); }
};

/// What `try_route` answers: a route, or the code of why there is none.
struct RouteResult {
    /// The owner; of a result that is `Ok`.
    Route route{};
    /// `Ok`, or what went wrong.
    ErrorCode code = ErrorCode::Ok;

    /// Whether there is a route.
    explicit operator bool() const noexcept { return code == ErrorCode::Ok; }
    const Route &operator*() const noexcept { return route; }
    const Route *operator->() const noexcept { return &route; }
};

/// A batch of keys in one piece of memory, Arrow's layout: key `i` is `data[offsets[i]]` up to `data[offsets[i + 1]]`.
/// Views only.
struct PackedKeys {
    /// All bytes.
    Span<const char> data;
    /// One offset for each key and one more.
    Span<const std::uint32_t> offsets;
};

namespace detail {

/// The keys of a batch copied into one piece of memory.
template <class Offset> struct Packer {
    std::string data;
    std::vector<Offset> offsets{0};

    void add(KeyView key) {
        if (key.is_bytes()) {
            data.append(static_cast<const char *>(key.data()), key.size());
        } else if (key.kind() == SHARDWAY_KEY_BOOL) {
            throw Error(ErrorCode::InvalidArgument, "keys: a bool; bytes or integers are right", "keys");
        } else {
            std::uint8_t bytes[8];
            call(shardway_key_i64, key.integer(), &bytes[0]);
            data.append(reinterpret_cast<const char *>(bytes), sizeof bytes);
        }
        offsets.push_back(static_cast<Offset>(data.size()));
    }
};

/// The lookups that routers and snapshots have alike. `Calls` names the C functions; all may run on any number of
/// threads at once, take no lock, and those for one key allocate nothing.
template <class Raw, class Calls> class Lookups : public Owner<Raw> {
  public:
    /// The owner of a key. Throws `ShardNotAvailable` when no node can own one, `InvalidArgument` when the scheme
    /// does not take such a key.
    [[nodiscard]] Route route(KeyView key) const {
        Route route{};
        if (find(this->raw(), key, route, nullptr) != SHARDWAY_OK) {
            route_at_length(key, route);
        }
        return route;
    }

    /// The same without an exception; `Closed` when it was moved from or closed.
    [[nodiscard]] RouteResult try_route(KeyView key) const noexcept {
        RouteResult result;
        const Raw *raw = this->handle_.get_or_null();
        result.code = raw == nullptr ? ErrorCode::Closed
                                     : static_cast<ErrorCode>(find(raw, key, result.route, nullptr));
        return result;
    }

    /// The owner of a hash, for a hash function that the library does not have.
    [[nodiscard]] Route route_hash(std::uint64_t hash) const {
        Route route{};
        call(Calls::route_hash, this->raw(), hash, &route.node, &route.revision);
        return route;
    }

    /// The owner of a key and the nodes that come after it, up to `n` distinct ones. Throws as `route`.
    [[nodiscard]] std::vector<std::uint32_t> replicas(KeyView key, std::size_t n) const {
        std::vector<std::uint32_t> nodes(n < 1 ? 1 : n); // never of length 0, so that there is a pointer
        std::size_t count = 0;
        const shardway_key_t raw = key.raw();
        call(Calls::replicas_typed, this->raw(), &raw, nodes.data(), n, &count, nullptr);
        nodes.resize(count);
        return nodes;
    }

    /// Keys by owner, for any range of what a `KeyView` is made of. An integer counts as its eight bytes: under
    /// `thrift_keys` take the hash of each key and `group_hashes`. Throws as `route`.
    template <class Keys, class = std::enable_if_t<
                              std::is_constructible_v<KeyView, decltype(*std::declval<const Keys &>().begin())>>>
    [[nodiscard]] Groups group(const Keys &keys) const {
        std::uint64_t total = 0;
        for (const auto &key : keys) {
            const KeyView view(key);
            total += view.is_bytes() ? view.size() : 8;
        }
        return total <= std::numeric_limits<std::uint32_t>::max() ? pack<std::uint32_t>(keys, Calls::group)
                                                                  : pack<std::uint64_t>(keys, Calls::group_large);
    }

    /// Keys by owner, of a batch that is packed already; checked before use.
    [[nodiscard]] Groups group(const PackedKeys &keys) const {
        const std::size_t count = keys.offsets.empty() ? 0 : keys.offsets.size() - 1;
        static constexpr std::uint32_t zero = 0;
        const std::uint32_t *offsets = keys.offsets.empty() ? &zero : keys.offsets.data();
        return Groups::adopt(Handle<shardway_groups_t>::make(Calls::group, this->raw(), keys.data.data(),
                                                             keys.data.size(), offsets, count));
    }

    /// Hashes by owner.
    [[nodiscard]] Groups group_hashes(Span<const std::uint64_t> hashes) const {
        static constexpr std::uint64_t zero = 0;
        return Groups::adopt(Handle<shardway_groups_t>::make(
            Calls::group_hashes, this->raw(), hashes.empty() ? &zero : hashes.data(), hashes.size()));
    }

    /// Why a key has its owner.
    [[nodiscard]] Explanation explain(KeyView key) const {
        const shardway_key_t raw = key.raw();
        const auto told = [&](std::int32_t format) {
            return to_string(Handle<shardway_text_t>::make(Calls::explain_typed, this->raw(), &raw, format));
        };
        return {told(SHARDWAY_EXPLAIN_TEXT), told(SHARDWAY_EXPLAIN_JSON)};
    }

  protected:
    using Owner<Raw>::Owner;

  private:
    /// Asks again, for the error: with no place for one the usual lookup is a fifth faster.
    SHARDWAY_COLD void route_at_length(KeyView key, Route &route) const {
        ErrorSlot error;
        if (find(this->raw(), key, route, &error) != SHARDWAY_OK) { // else there is an owner since
            error.raise();
        }
    }

    static shardway_status_t find(const Raw *raw, KeyView key, Route &route, shardway_error_t *error) noexcept {
        if (key.is_bytes()) {
            return Calls::route(raw, key.data(), key.size(), &route.node, &route.revision, error);
        }
        const shardway_key_t typed = key.raw();
        return Calls::route_typed(raw, &typed, &route.node, &route.revision, error);
    }

    template <class Offset, class Keys, class Function> Groups pack(const Keys &keys, Function function) const {
        Packer<Offset> packer;
        for (const auto &key : keys) {
            packer.add(KeyView(key));
        }
        return Groups::adopt(Handle<shardway_groups_t>::make(function, this->raw(), packer.data.data(),
                                                             packer.data.size(), packer.offsets.data(),
                                                             packer.offsets.size() - 1));
    }
};

/// Names the C functions of a type's lookups.
#define SHARDWAY_LOOKUPS(Name, type)                                                                                   \
    struct Name {                                                                                                      \
        static constexpr auto route = &shardway_##type##_route;                                                        \
        static constexpr auto route_typed = &shardway_##type##_route_typed;                                            \
        static constexpr auto route_hash = &shardway_##type##_route_hash;                                              \
        static constexpr auto replicas_typed = &shardway_##type##_replicas_typed;                                      \
        static constexpr auto group = &shardway_##type##_group;                                                        \
        static constexpr auto group_large = &shardway_##type##_group_large;                                            \
        static constexpr auto group_hashes = &shardway_##type##_group_hashes;                                          \
        static constexpr auto explain_typed = &shardway_##type##_explain_typed;                                        \
    }
SHARDWAY_LOOKUPS(RouterCalls, router);
SHARDWAY_LOOKUPS(SnapshotCalls, snapshot);
#undef SHARDWAY_LOOKUPS

} // namespace detail
} // namespace shardway

#undef SHARDWAY_COLD
