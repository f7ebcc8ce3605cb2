// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/error.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardway {

namespace detail {

template <class T>
inline constexpr bool is_character = std::is_same_v<T, char> || std::is_same_v<T, wchar_t> ||
                                     std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

/// Integers that are keys: all but truth values and characters, which are most often a mistake.
template <class T>
inline constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>;

template <class T>
inline constexpr bool is_byte = std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
                                std::is_same_v<T, unsigned char> || std::is_same_v<T, std::byte>;

/// What the elements of a container are.
template <class T>
using ElementOf = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const T &>().data())>>;

template <class T, class = void> struct IsBytes : std::false_type {};
template <class T>
struct IsBytes<T, std::void_t<ElementOf<T>, decltype(std::declval<const T &>().size())>>
    : std::bool_constant<is_byte<ElementOf<T>>> {};

template <class Number> constexpr std::int64_t checked(Number number) {
    if constexpr (std::is_unsigned_v<Number> && sizeof(Number) >= 8) {
        if (number > static_cast<Number>(std::numeric_limits<std::int64_t>::max())) {
            throw Error(ErrorCode::InvalidArgument,
                        "key: " + std::to_string(number) + "; up to 9223372036854775807 is right", "key");
        }
    }
    return static_cast<std::int64_t>(number);
}

} // namespace detail

/// A key of a lookup; it owns nothing and lives no longer than what it was made of.
///
/// Bytes are taken as they are: a `std::string_view`, a literal, or anything with `data()` and `size()` of one-byte
/// values. Integers are their eight bytes, big-endian two's complement. Where a scheme tells them apart
/// (`thrift_keys`), bytes count as UTF-8 text, signed integers of up to 32 bits as 32-bit and all others as 64-bit.
class KeyView {
  public:
    KeyView(std::string_view bytes) noexcept : data_(bytes.data()), length_(bytes.size()) {}
    KeyView(const char *text) noexcept : KeyView(std::string_view(text)) {}
    KeyView(const std::string &bytes) noexcept : KeyView(std::string_view(bytes)) {}
    KeyView(const void *data, std::size_t length) noexcept : data_(data), length_(length) {}

    /// Bytes of a span, a vector, an array.
    template <class Bytes, class = std::enable_if_t<detail::IsBytes<Bytes>::value>, class = void>
    KeyView(const Bytes &bytes) noexcept : data_(bytes.data()), length_(bytes.size()) {}

    /// An integer. An unsigned one above 2^63 - 1 throws `InvalidArgument`.
    template <class Number, class = std::enable_if_t<detail::is_number<Number>>>
    KeyView(Number number)
        : kind_(std::is_signed_v<Number> && sizeof(Number) <= 4 ? SHARDWAY_KEY_I32 : SHARDWAY_KEY_I64),
          integer_(detail::checked(number)) {}

    /// A truth value: an error but for `thrift_keys`.
    KeyView(bool value) noexcept : kind_(SHARDWAY_KEY_BOOL), integer_(value ? 1 : 0) {}

    KeyView(std::nullptr_t) = delete;
    KeyView(char) = delete;

    /// Whether it is bytes, and no integer or truth value.
    [[nodiscard]] bool is_bytes() const noexcept { return kind_ == SHARDWAY_KEY_BYTES; }
    /// Its bytes; of a key that is bytes.
    [[nodiscard]] const void *data() const noexcept { return data_; }
    /// Their number; 0 of a key that is no bytes.
    [[nodiscard]] std::size_t size() const noexcept { return length_; }
    /// Its number; of a key that is an integer or truth value.
    [[nodiscard]] std::int64_t integer() const noexcept { return integer_; }
    /// One of the `SHARDWAY_KEY_` constants.
    [[nodiscard]] std::int32_t kind() const noexcept { return kind_; }

    /// The key as `shardway.h` has it.
    [[nodiscard]] shardway_key_t raw() const noexcept {
        return {sizeof(shardway_key_t), kind_, 0, integer_, data_, length_};
    }

  private:
    std::int32_t kind_ = SHARDWAY_KEY_BYTES;
    std::int64_t integer_ = 0;
    const void *data_ = nullptr;
    std::size_t length_ = 0;
};

/// A key that owns its bytes, made of whatever a `KeyView` is: what strategies give.
class Key {
  public:
    template <class From, class = std::enable_if_t<std::is_convertible_v<From, KeyView> &&
                                                   !std::is_same_v<std::decay_t<From>, Key>>>
    Key(const From &from) : Key(KeyView(from)) {}
    Key(KeyView view)
        : kind_(view.kind()), integer_(view.integer()), bytes_(static_cast<const char *>(view.data()), view.size()) {}

    /// The view of it, for lookups.
    operator KeyView() const noexcept { return view(); }
    [[nodiscard]] KeyView view() const noexcept {
        switch (kind_) {
        case SHARDWAY_KEY_I32: return {static_cast<std::int32_t>(integer_)};
        case SHARDWAY_KEY_I64: return {integer_};
        case SHARDWAY_KEY_BOOL: return {integer_ != 0};
        default: return {std::string_view(bytes_)};
        }
    }

    [[nodiscard]] bool is_bytes() const noexcept { return kind_ == SHARDWAY_KEY_BYTES; }
    /// Its bytes; empty for a key that is no bytes.
    [[nodiscard]] const std::string &bytes() const noexcept { return bytes_; }
    /// Its number; 0 for a key that is bytes.
    [[nodiscard]] std::int64_t integer() const noexcept { return integer_; }

    friend bool operator==(const Key &a, const Key &b) noexcept {
        return a.kind_ == b.kind_ && a.integer_ == b.integer_ && a.bytes_ == b.bytes_;
    }
    friend bool operator!=(const Key &a, const Key &b) noexcept { return !(a == b); }

  private:
    std::int32_t kind_;
    std::int64_t integer_;
    std::string bytes_;
};

} // namespace shardway
