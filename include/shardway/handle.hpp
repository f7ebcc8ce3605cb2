// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shardway/error.hpp>

#include <string>
#include <utility>

namespace shardway::detail {

/// What a handle needs to know of its C type: how it is cloned and freed, and what it is called.
template <class Raw> struct HandleTraits;

/// Owns one reference of a counted C handle. A copy counts one more owner, a move takes the reference over; both
/// cost no more than that. Calls that only read may run on any number of threads; assignment, moving and closing
/// need the object for themselves, as with any C++ value.
template <class Raw> class Handle {
  public:
    using Traits = HandleTraits<Raw>;

    Handle() noexcept = default;
    Handle(const Handle &other) noexcept : raw_(Traits::clone(other.raw_)) {}
    Handle(Handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Handle &operator=(Handle other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Handle() { Traits::free(raw_); }

    /// Takes over a reference that the caller owns.
    static Handle adopt(Raw *raw) noexcept {
        Handle handle;
        handle.raw_ = raw;
        return handle;
    }

    /// Calls a C function that writes a handle before its error, and owns what it wrote.
    template <class Function, class... Arguments> static Handle make(Function function, Arguments... arguments) {
        Raw *raw = nullptr;
        call(function, arguments..., &raw);
        return adopt(raw);
    }

    [[nodiscard]] Raw *get_or_null() const noexcept { return raw_; }

    [[nodiscard]] Raw *get() const {
        if (raw_ == nullptr) {
            raise_closed();
        }
        return raw_;
    }

    void reset() noexcept { Traits::free(std::exchange(raw_, nullptr)); }

  private:
    [[noreturn]] static void raise_closed() {
        const std::string name = Traits::name;
        throw Error(ErrorCode::Closed, name + ": it was moved from or closed; make a new one", name);
    }

    Raw *raw_ = nullptr;
};

/// What all types that own a handle have in common.
template <class Raw> class Owner {
  public:
    /// Whether there is something to use: not after `close()`, and not when it was moved from.
    [[nodiscard]] explicit operator bool() const noexcept { return handle_.get_or_null() != nullptr; }

    /// Gives the reference back now. Every later use throws `Error` with `Closed`; other copies are not touched.
    void close() noexcept { handle_.reset(); }

    /// The C handle, for functions of `shardway.h`; lent. Throws `Closed` when there is none.
    [[nodiscard]] Raw *raw() const { return handle_.get(); }

  protected:
    explicit Owner(Handle<Raw> handle) noexcept : handle_(std::move(handle)) {}

    Handle<Raw> handle_;
};

/// Declares the traits of `shardway_<name>_t`.
#define SHARDWAY_HANDLE_TRAITS(type)                                                                                   \
    template <> struct HandleTraits<shardway_##type##_t> {                                                             \
        static constexpr const char *name = #type;                                                                     \
        static shardway_##type##_t *clone(const shardway_##type##_t *raw) noexcept {                                   \
            return shardway_##type##_clone(raw);                                                                       \
        }                                                                                                              \
        static void free(shardway_##type##_t *raw) noexcept { shardway_##type##_free(raw); }                           \
    }
SHARDWAY_HANDLE_TRAITS(topology);
SHARDWAY_HANDLE_TRAITS(router);
SHARDWAY_HANDLE_TRAITS(snapshot);
SHARDWAY_HANDLE_TRAITS(groups);
SHARDWAY_HANDLE_TRAITS(partitions);
SHARDWAY_HANDLE_TRAITS(partition_table);
SHARDWAY_HANDLE_TRAITS(text);
#undef SHARDWAY_HANDLE_TRAITS

/// Makes a string of a text of the library's.
inline std::string to_string(const Handle<shardway_text_t> &text) {
    return {shardway_text_data(text.get()), shardway_text_length(text.get())};
}

} // namespace shardway::detail
