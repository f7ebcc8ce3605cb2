// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

namespace shardway::detail {

template <class T, class = void> struct HasGet : std::false_type {};
template <class T> struct HasGet<T, std::void_t<decltype(std::declval<T &>().get())>> : std::true_type {};

/// Whether `T` is a future of a `Value`: no `Value` itself, and has `get()`, which waits and gives one or throws.
template <class T, class Value>
inline constexpr bool is_future_of = !std::is_convertible_v<T, Value> && HasGet<T>::value;

/// A value, waited for when it is the future of one.
template <class Value, class T> Value settled(T &&answer) {
    if constexpr (is_future_of<std::decay_t<T>, Value>) {
        return answer.get();
    } else {
        return std::forward<T>(answer);
    }
}

} // namespace shardway::detail
