// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace shardway {

/// A value that others watch: what a resharding strategy depends on. For any number of threads; a copy is the same
/// state. Watchers are called on the thread that updates, one change after the other.
template <class T> class State {
  public:
    /// Begins with a value.
    explicit State(T value) : data_(std::make_shared<Data>(std::move(value))) {}

    /// The value now.
    [[nodiscard]] T value() const { return read().second; }

    /// How often the value was set; two equal values in a row count twice.
    [[nodiscard]] std::uint64_t version() const {
        const std::lock_guard lock(data_->mutex);
        return data_->version;
    }

    /// Version and value as they belong together.
    [[nodiscard]] std::pair<std::uint64_t, T> read() const {
        const std::lock_guard lock(data_->mutex);
        return {data_->version, data_->value};
    }

    /// Sets the value and tells the watchers, which have all been called when this returns. An exception of a watcher
    /// does not keep the others from being told; the first one is thrown at the end. A watcher may update the value:
    /// that change is told when the one under way has been told to everyone.
    void update(T value) const {
        {
            const std::lock_guard lock(data_->mutex);
            data_->value = std::move(value);
            data_->version++;
        }
        const std::lock_guard telling(data_->telling);
        if (data_->nested) {
            return; // the round under way goes around once more
        }
        data_->nested = true;
        std::exception_ptr first;
        for (bool more = true; more;) {
            const std::uint64_t told = version();
            for (const auto &watcher : watchers()) {
                try {
                    watcher.second();
                } catch (...) {
                    first = first ? first : std::current_exception();
                }
            }
            more = told != version();
        }
        data_->nested = false;
        if (first) {
            std::rethrow_exception(first);
        }
    }

    /// Calls `watcher` after each change; gives a function that ends it, which may be called again. The function
    /// that ends it does not keep the state alive.
    std::function<void()> watch(std::function<void()> watcher) const {
        const std::lock_guard lock(data_->mutex);
        const std::uint64_t number = data_->next++;
        data_->watchers.emplace(number, std::move(watcher));
        return [weak = std::weak_ptr<Data>(data_), number] {
            if (const auto data = weak.lock()) {
                const std::lock_guard ending(data->mutex);
                data->watchers.erase(number);
            }
        };
    }

  private:
    struct Data {
        explicit Data(T first) : value(std::move(first)) {}

        std::mutex mutex;
        T value;
        std::uint64_t version = 0;
        std::uint64_t next = 0;
        std::map<std::uint64_t, std::function<void()>> watchers;
        std::recursive_mutex telling; // a watcher may update
        bool nested = false;          // under `telling`
    };

    [[nodiscard]] std::map<std::uint64_t, std::function<void()>> watchers() const {
        const std::lock_guard lock(data_->mutex);
        return data_->watchers;
    }

    std::shared_ptr<Data> data_;
};

} // namespace shardway
