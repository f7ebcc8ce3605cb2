// Strategies from data, as tests/scenarios/README.md describes them. `Form` says what requests and answers are made
// of, so that the scenarios (lists of texts) and the end-to-end driver (calls of a Thrift service) read the same data.
#pragma once

#include <shardway.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strategies {

using nlohmann::json;
using Texts = std::vector<std::string>;

/// What a strategy function or a merger throws when the data say so.
struct Thrown : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Code and text of an error that is reported.
inline std::string name_of(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const shardway::Error &known) {
        return shardway::name(known.code());
    } catch (const std::exception &other) {
        return other.what();
    }
}

/// The text of the cause of an error; nothing when it has none.
inline std::optional<std::string> cause_of(const std::exception &error) {
    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception &cause) {
        return cause.what();
    }
    return std::nullopt;
}

/// `Form` has the types `Request` and `Response` and the static functions `items(endpoint, Request)`,
/// `request(endpoint, Texts)`, `joined(endpoint, vector<Response>)` and `report(vector<Response>, json failures)`.
template <class Form> class Maker {
  public:
    using Request = typename Form::Request;
    using Response = typename Form::Response;
    using Strategy = shardway::Strategy<Request, Response>;
    using Hashing = shardway::HashingStrategy<Request, Response>;
    using Custom = shardway::CustomStrategy<Request, Response>;
    using Keyed = shardway::KeyedRequests<Request>;
    using Partitioned = shardway::PartitionedRequests<Request>;
    using Requests = shardway::RequestMergers<Request>;
    using Responses = shardway::ResponseMergers<Request, Response>;
    using Failures = std::vector<shardway::PartFailure<Request>>;

    /// The strategy that `data` describes, over a state that is observed.
    static Strategy make(const json &data, const shardway::State<json> &state) {
        if (data.is_null()) {
            return {};
        }
        const std::string kind = data.at("kind");
        if (kind == "none") {
            return {};
        }
        if (kind == "hashing") {
            return hashing(data);
        }
        if (kind == "custom") {
            return custom(data, state);
        }
        if (kind != "by_endpoint") {
            throw std::invalid_argument("unknown kind of strategy: " + kind);
        }
        shardway::MethodStrategies<Request, Response> each;
        for (const auto &[endpoint, one] : data.at("strategies").items()) {
            if (one.at("kind") == "hashing") {
                each.emplace(endpoint, hashing(one));
            } else {
                each.emplace(endpoint, custom(one, state));
            }
        }
        return each;
    }

  private:
    static Hashing hashing(const json &data) {
        const json endpoints = data.at("endpoints");
        return Hashing(
            [endpoints](const std::string &endpoint, const Request &request) -> std::optional<Keyed> {
                const auto found = endpoints.find(endpoint);
                return found == endpoints.end() ? std::nullopt : by_key(found->at("split"), endpoint, request);
            },
            request_mergers(endpoints), response_mergers(endpoints));
    }

    static Custom custom(const json &data, const shardway::State<json> &state) {
        const auto pick = data.value("pick", "p2c") == "p2c" ? shardway::Pick::PowerOfTwoChoices : shardway::Pick::RoundRobin;
        if (data.contains("endpoints")) {
            auto logical = data.contains("logical") ? mapping(data["logical"]) : shardway::LogicalPartition();
            return Custom::no_resharding(splitter(data["endpoints"]), std::move(logical),
                                         {response_mergers(data["endpoints"]), pick});
        }
        const bool by_cluster = data.contains("by_cluster_size");
        const json table = by_cluster ? data["by_cluster_size"] : data.at("by_state");
        json endpoints = json::object(); // what they merge is alike in all cases
        for (const json &one : table) {
            endpoints.update(one.at("endpoints"));
        }
        const auto splitter_of = [table](const std::string &name) -> shardway::GetPartitions<Request> {
            return splitter(case_of(table, name).at("endpoints"));
        };
        const auto mapping_of = [table](const std::string &name) -> shardway::LogicalPartition {
            const json &found = case_of(table, name);
            return found.contains("logical") ? mapping(found["logical"]) : [](std::int32_t shard_id) { return shard_id; };
        };
        const shardway::CustomOptions<Request, Response> options{response_mergers(endpoints), pick};
        if (by_cluster) {
            using Nodes = std::vector<shardway::Node>;
            return Custom::cluster_resharding(
                [=](const Nodes &nodes) { return splitter_of(std::to_string(nodes.size())); },
                [=](const Nodes &nodes) { return mapping_of(std::to_string(nodes.size())); }, options);
        }
        const auto text = [](const json &value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
        return Custom::template resharding<json>(
            state, [=](const json &value) { return splitter_of(text(value)); },
            [=](const json &value) { return mapping_of(text(value)); }, options);
    }

    static const json &case_of(const json &table, const std::string &name) {
        const auto found = table.find(name);
        if (found == table.end()) {
            throw Thrown("no case for " + name);
        }
        return *found;
    }

    static shardway::GetPartitions<Request> splitter(const json &endpoints) {
        return [endpoints](const std::string &endpoint, const Request &request) -> std::optional<Partitioned> {
            const auto found = endpoints.find(endpoint);
            return found == endpoints.end() ? std::nullopt : by_partition(found->at("split"), endpoint, request);
        };
    }

    static shardway::LogicalPartition mapping(const json &logical) {
        return [logical](std::int32_t shard_id) -> std::vector<std::int32_t> {
            const json &serves = logical.at(std::to_string(shard_id));
            if (serves.is_object()) {
                throw Thrown(serves.at("throws").get<std::string>());
            }
            return serves.get<std::vector<std::int32_t>>();
        };
    }

    static void throw_if_told(const json &rule) {
        if (rule.contains("throws")) {
            throw Thrown(rule["throws"].get<std::string>());
        }
    }

    static std::optional<Keyed> by_key(const json &rule, const std::string &endpoint, const Request &request) {
        if (rule.is_null()) {
            return std::nullopt;
        }
        throw_if_told(rule);
        Keyed keyed;
        if (rule.contains("pairs")) {
            for (const json &pair : rule["pairs"]) {
                if (pair.at(0).is_null()) {
                    return std::nullopt; // a key that is nothing cannot be said here
                }
                keyed.emplace_back(pair[0].get<std::string>(), Form::request(endpoint, pair.at(1)));
            }
            return keyed;
        }
        if (rule.at("each") != "key") {
            throw std::invalid_argument("unknown split: " + rule.dump());
        }
        const Texts items = Form::items(endpoint, request);
        for (const std::string &item : items) {
            const auto same = [&](const auto &one) { return one.first.bytes() == item; };
            if (std::none_of(keyed.begin(), keyed.end(), same)) {
                const auto count = static_cast<std::size_t>(std::count(items.begin(), items.end(), item));
                keyed.emplace_back(item, Form::request(endpoint, Texts(count, item)));
            }
        }
        return keyed;
    }

    static std::optional<Partitioned> by_partition(const json &rule, const std::string &endpoint,
                                                   const Request &request) {
        if (rule.is_null()) {
            return std::nullopt;
        }
        throw_if_told(rule);
        Partitioned parts;
        if (rule.contains("all")) {
            for (const std::int32_t partition : rule["all"]) {
                parts.emplace_back(partition, request);
            }
            return parts;
        }
        if (rule.contains("pairs")) {
            for (const json &pair : rule["pairs"]) {
                parts.emplace_back(pair.at(0).get<std::int32_t>(), Form::request(endpoint, pair.at(1)));
            }
            return parts;
        }
        std::vector<std::pair<std::int32_t, Texts>> table;
        for (const std::string &item : Form::items(endpoint, request)) {
            const std::int32_t partition = rule.at("table").at(item);
            auto place = std::find_if(table.begin(), table.end(), [&](const auto &one) { return one.first == partition; });
            if (place == table.end()) {
                place = table.insert(place, {partition, {}});
            }
            place->second.push_back(item);
        }
        for (auto &[partition, items] : table) {
            parts.emplace_back(partition, Form::request(endpoint, items));
        }
        return parts;
    }

    static Requests request_mergers(const json &endpoints) {
        Requests mergers;
        for (const auto &[endpoint, data] : endpoints.items()) {
            const std::string how = data.value("request_merger", "");
            if (how == "concat") {
                mergers.add(endpoint, [endpoint = endpoint](std::vector<Request> requests) {
                    Texts all;
                    for (const Request &request : requests) {
                        const Texts items = Form::items(endpoint, request);
                        all.insert(all.end(), items.begin(), items.end());
                    }
                    return Form::request(endpoint, all);
                });
            } else if (how == "throws") {
                mergers.add(endpoint, [](std::vector<Request>) -> Request { throw Thrown("the request merger is broken"); });
            } else if (!how.empty()) {
                throw std::invalid_argument("unknown merger: " + how);
            }
        }
        return mergers;
    }

    static Responses response_mergers(const json &endpoints) {
        Responses mergers;
        for (const auto &[endpoint, data] : endpoints.items()) {
            const std::string how = data.value("response_merger", "");
            if (how == "concat") {
                mergers.add(endpoint, [endpoint = endpoint](std::vector<Response> successes, const Failures &failures) {
                    if (successes.empty()) {
                        failures.front().raise();
                    }
                    return Form::joined(endpoint, std::move(successes));
                });
            } else if (how == "report") {
                mergers.add(endpoint, [](std::vector<Response> successes, const Failures &failures) {
                    return Form::report(std::move(successes), reported(failures));
                });
            } else if (how == "throws") {
                mergers.add(endpoint, [](std::vector<Response>, const Failures &) -> Response {
                    throw Thrown("the response merger is broken");
                });
            } else if (!how.empty()) {
                throw std::invalid_argument("unknown merger: " + how);
            }
        }
        return mergers;
    }

    static json reported(const Failures &failures) {
        json all = json::array();
        for (const auto &failure : failures) {
            json keys = json::array();
            for (const shardway::Key &key : failure.keys) {
                keys.push_back(key.bytes());
            }
            all.push_back({{"node", failure.node ? json(*failure.node) : json()},
                           {"partition", failure.partition ? json(*failure.partition) : json()},
                           {"keys", keys},
                           {"error", name_of(failure.error)}});
        }
        return all;
    }
};

} // namespace strategies
