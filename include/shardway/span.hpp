// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace shardway {

/// A view of consecutive values, as C++20's `std::span`: pointer and number, nothing owned. Anything with `data()`
/// and `size()` turns into one.
template <class T> class Span {
  public:
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /// Views a container, which must outlive the view.
    template <class Container, class = std::enable_if_t<
                                   std::is_convertible_v<decltype(std::declval<const Container &>().data()), T *>>>
    constexpr Span(const Container &container) noexcept : data_(container.data()), size_(container.size()) {}

    [[nodiscard]] constexpr T *data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr T *begin() const noexcept { return data_; }
    [[nodiscard]] constexpr T *end() const noexcept { return size_ == 0 ? data_ : data_ + size_; }
    /// A value; `index` must be below `size()`.
    constexpr T &operator[](std::size_t index) const noexcept { return data_[index]; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace shardway
