// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/handle.hpp>
#include <shardway/span.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace shardway {

class Snapshot;

/// The keys of one owner. Lent by its `Groups`.
struct Group {
    /// Index of the owner, in the snapshot of the groups.
    std::uint32_t node;
    /// Numbers of its keys in the batch, ascending.
    Span<const std::uint32_t> indices;
};

/// The keys of a batch by owner. Groups come in the order in which their first key does. Immutable; a copy is one
/// more owner; keeps its snapshot alive.
class Groups : public detail::Owner<shardway_groups_t> {
  public:
    /// Goes over the groups; valid as long as a copy of them lives.
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Group;
        using difference_type = std::ptrdiff_t;
        using pointer = const Group *;
        using reference = Group;

        iterator() noexcept = default;

        Group operator*() const noexcept {
            return {nodes_[at_], {indices_ + offsets_[at_], offsets_[at_ + 1] - offsets_[at_]}};
        }
        iterator &operator++() noexcept {
            at_++;
            return *this;
        }
        iterator operator++(int) noexcept {
            iterator before = *this;
            at_++;
            return before;
        }
        friend bool operator==(const iterator &a, const iterator &b) noexcept { return a.at_ == b.at_; }
        friend bool operator!=(const iterator &a, const iterator &b) noexcept { return a.at_ != b.at_; }

      private:
        friend class Groups;
        iterator(const shardway_groups_t *raw, std::size_t at) noexcept
            : nodes_(shardway_groups_nodes(raw)), offsets_(shardway_groups_offsets(raw)),
              indices_(shardway_groups_indices(raw)), at_(at) {}

        const std::uint32_t *nodes_ = nullptr;
        const std::uint32_t *offsets_ = nullptr;
        const std::uint32_t *indices_ = nullptr;
        std::size_t at_ = 0;
    };

    /// Takes over a reference of a C handle.
    static Groups adopt(detail::Handle<shardway_groups_t> handle) noexcept { return Groups(std::move(handle)); }

    /// The number of groups.
    [[nodiscard]] std::size_t size() const { return shardway_groups_count(raw()); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] iterator begin() const { return {raw(), 0}; }
    [[nodiscard]] iterator end() const { return {raw(), size()}; }

    /// A group. Throws `InvalidArgument` when `index` is not below `size()`.
    [[nodiscard]] Group at(std::size_t index) const {
        Group group{};
        const std::uint32_t *indices = nullptr;
        std::size_t count = 0;
        detail::call(shardway_groups_get, raw(), index, &group.node, &indices, &count);
        group.indices = {indices, count};
        return group;
    }

    /// The number of keys in all groups: that of the batch.
    [[nodiscard]] std::size_t key_count() const { return shardway_groups_key_count(raw()); }
    /// The revision of the snapshot in which all keys were looked up.
    [[nodiscard]] std::uint64_t revision() const { return shardway_groups_revision(raw()); }

    /// The owner of each group; lent.
    [[nodiscard]] Span<const std::uint32_t> nodes() const { return {shardway_groups_nodes(raw()), size()}; }
    /// Where each group begins in `indices()`, and the end of the last; lent.
    [[nodiscard]] Span<const std::uint32_t> offsets() const { return {shardway_groups_offsets(raw()), size() + 1}; }
    /// The numbers of all keys, group after group; lent.
    [[nodiscard]] Span<const std::uint32_t> indices() const { return {shardway_groups_indices(raw()), key_count()}; }

    /// The snapshot that the groups belong to; it has the names of the nodes. Needs
    /// `shardway/snapshot.hpp`.
    [[nodiscard]] Snapshot snapshot() const;

  private:
    using Owner::Owner;
};

} // namespace shardway
