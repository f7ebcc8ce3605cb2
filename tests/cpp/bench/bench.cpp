// C++ `route` and `group` beside the core's own loop over the same keys, in one process: contestants take turns in
// short batches, a figure is the median of the rounds. Prints rows for the table of scripts/bench.py.

#include <shardway.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
const void *core_router(const char *json, std::size_t length);
std::uint64_t core_route_all(const void *router, const char *data, std::size_t count, std::size_t size);
std::uint64_t core_group(const void *router, const char *data, std::size_t length, const std::uint32_t *offsets,
                         std::size_t count);
}

namespace {

constexpr std::size_t key_size = 16;
constexpr std::size_t key_count = 16'384;

/// A bijection of 64 bits, so that distinct numbers give distinct keys.
std::uint64_t splitmix64(std::uint64_t i) {
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

double ns_of(const std::function<std::uint64_t()> &batch, std::uint64_t &sum) {
    const auto begin = std::chrono::steady_clock::now();
    sum += batch();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    return took.count() / key_count;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// The ratio of a contestant's median to that of the core. False when their answers differ.
bool compare(const char *what, const std::function<std::uint64_t()> &core, const std::function<std::uint64_t()> &cpp) {
    std::vector<double> core_ns;
    std::vector<double> cpp_ns;
    std::uint64_t core_sum = 0;
    std::uint64_t cpp_sum = 0;
    for (int round = 0; round < 201; round++) {
        if (round % 2 == 0) {
            core_ns.push_back(ns_of(core, core_sum));
            cpp_ns.push_back(ns_of(cpp, cpp_sum));
        } else {
            cpp_ns.push_back(ns_of(cpp, cpp_sum));
            core_ns.push_back(ns_of(core, core_sum));
        }
    }
    const double mine = median(cpp_ns);
    const double own = median(core_ns);
    std::printf("C++ %s (a key)\t%.1f\tthe core's own loop\t%.1f\tshare 1.3\n", what, mine, own);
    return core_sum == cpp_sum;
}

} // namespace

int main() {
    auto builder = shardway::Topology::ring_v1();
    for (int node = 0; node < 100; node++) {
        builder.node("10.0.0." + std::to_string(node) + ":9090");
    }
    const shardway::Router router(builder.num_reps(160).build());
    const std::string json = builder.to_json();
    const void *core = core_router(json.data(), json.size());
    if (core == nullptr) {
        std::puts("the core refused the topology");
        return 1;
    }
    std::string data;
    std::vector<std::uint32_t> offsets{0};
    for (std::size_t key = 0; key < key_count; key++) {
        const std::uint64_t bits = splitmix64(key);
        for (std::size_t digit = 0; digit < key_size; digit++) {
            data += "0123456789abcdef"[(bits >> (4 * digit)) & 15];
        }
        offsets.push_back(static_cast<std::uint32_t>(data.size()));
    }
    std::vector<std::string_view> keys;
    for (std::size_t key = 0; key < key_count; key++) {
        keys.emplace_back(data.data() + key * key_size, key_size);
    }
    const shardway::PackedKeys packed{data, offsets};

    const auto core_route = [&] { return core_route_all(core, data.data(), key_count, key_size); };
    const auto core_batch = [&] { return core_group(core, data.data(), data.size(), offsets.data(), key_count); };
    bool same = compare("shardway_router_route, as in C", core_route, [&] {
        std::uint64_t sum = 0;
        for (const std::string_view key : keys) {
            std::uint32_t node = 0;
            shardway_router_route(router.raw(), key.data(), key.size(), &node, nullptr, nullptr);
            sum += node;
        }
        return sum;
    });
    same &= compare("route(std::string_view)", core_route, [&] {
        std::uint64_t sum = 0;
        for (const std::string_view key : keys) {
            sum += router.route(key).node;
        }
        return sum;
    });
    same &= compare("try_route(std::string_view)", core_route, [&] {
        std::uint64_t sum = 0;
        for (const std::string_view key : keys) {
            sum += router.try_route(key)->node;
        }
        return sum;
    });
    const shardway::Snapshot snapshot = router.snapshot();
    same &= compare("Snapshot::route(std::string_view)", core_route, [&] {
        std::uint64_t sum = 0;
        for (const std::string_view key : keys) {
            sum += snapshot.route(key).node;
        }
        return sum;
    });
    same &= compare("group(PackedKeys)", core_batch, [&] { return std::uint64_t{router.group(packed).size()}; });
    same &= compare("group(vector of string_view)", core_batch, [&] { return std::uint64_t{router.group(keys).size()}; });
    if (!same) {
        std::puts("C++ and the core answered differently");
        return 1;
    }
    return 0;
}
