// Every scenario of tests/scenarios over a transport that is played; its README says what the data mean. The folder is
// the environment's SHARDWAY_SCENARIOS. A bound on time is the transport's in C++: steps with `timeout_ms` are played as
// a transport that gives up, which is what a C++ transport would do.

#include "strategies.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>

using namespace strategies;
using namespace shardway;

namespace {

/// How a node fails, and what that says of its health.
struct NodeError : std::runtime_error {
    NodeError(Outcome of, const std::string &text) : std::runtime_error(text), outcome(of) {}
    Outcome outcome;
};

/// Requests and answers are lists of texts; what `report` makes is an object.
struct Played {
    using Request = json;
    using Response = json;

    static Texts items(const std::string &, const json &request) { return request; }
    static json request(const std::string &, const Texts &items) { return items; }
    static json joined(const std::string &, const std::vector<json> &answers) {
        json all = json::array();
        for (const json &answer : answers) {
            all.insert(all.end(), answer.begin(), answer.end());
        }
        return all;
    }
    static json report(const std::vector<json> &successes, const json &failures) {
        return {{"answers", successes}, {"failures", failures}};
    }
};

json read(const std::filesystem::path &path) {
    std::ifstream file(path);
    return json::parse(file);
}

std::filesystem::path folder() {
    const char *folder = std::getenv("SHARDWAY_SCENARIOS");
    if (folder == nullptr) {
        throw std::runtime_error("SHARDWAY_SCENARIOS: the folder of the scenarios");
    }
    return folder;
}

/// Scenarios that cannot be said in C++, with the reason.
const std::map<std::string, std::string> unsaid = {
    {"a partition id beyond 32 bits is served by nobody", "the type of a partition id has 32 bits"},
};

class Scenario {
  public:
    explicit Scenario(const json &data)
        : data_(data), state_(data.value("state", json())),
          router_(Topology::from_json(data.at("topology").dump())) {
        ClientOptions options;
        options.classify = [](const std::exception_ptr &error) {
            try {
                std::rethrow_exception(error);
            } catch (const NodeError &known) {
                return known.outcome;
            } catch (...) {
                return Outcome::Failure;
            }
        };
        options.clock_ms = [this] { return now_ms_; };
        client_ = std::make_unique<PartitionedClient<json, json>>(
            router_,
            [this](const Node &node, const std::string &endpoint, const json &request) { return send(node, endpoint, request); },
            Maker<Played>::make(data.at("strategy"), state_), options);
    }

    void run() {
        for (const json &step : data_.at("steps")) {
            SCOPED_TRACE(step.dump().substr(0, 200));
            if (step.contains("call")) {
                call(step);
            } else if (step.contains("publish")) {
                const std::map<Publish, std::string> names = {
                    {Publish::Published, "published"}, {Publish::Unchanged, "unchanged"}, {Publish::KeptOld, "kept_old"}};
                EXPECT_EQ(names.at(router_.publish(Topology::from_json(step["publish"].dump()))), step.at("outcome"));
            } else if (step.contains("state")) {
                state_.update(step["state"]);
            } else if (step.contains("advance_ms")) {
                now_ms_ += step["advance_ms"].get<std::uint64_t>();
            } else if (step.contains("tick")) {
                EXPECT_EQ(client_->tick().size(), step["tick"]);
            } else {
                stats(step.at("stats"));
            }
        }
    }

  private:
    json send(const Node &node, const std::string &endpoint, const json &request) {
        json behaviour;
        {
            const std::lock_guard lock(mutex_);
            sent_.emplace_back(node.id, request);
            behaviour = behaviour_.value(node.id, json::object());
        }
        if (behaviour.contains("late")) {
            behaviour.erase("late");
            if (timed_) {
                throw Error(ErrorCode::ShardNotAvailable, endpoint + ": no answer in time from node " + node.id);
            }
        }
        const std::map<std::string, Outcome> outcomes = {
            {"fails", Outcome::Failure}, {"declares", Outcome::Success}, {"ignored", Outcome::Ignored}};
        for (const auto &[what, text] : behaviour.items()) {
            throw NodeError(outcomes.at(what), text);
        }
        json answer = json::array();
        for (const std::string item : request) {
            answer.push_back(item + "@" + node.id);
        }
        return answer;
    }

    void call(const json &step) {
        sent_.clear();
        behaviour_ = step.value("nodes", json::object());
        timed_ = step.contains("timeout_ms");
        json result;
        std::exception_ptr error;
        try {
            result = client_->call(step["call"], step.at("request"));
        } catch (...) {
            error = std::current_exception();
        }
        auto left = sent_;
        for (const json &expected : step.at("sent")) {
            const json nodes = expected.at("node").is_array() ? expected["node"] : json::array({expected["node"]});
            const auto found = std::find_if(left.begin(), left.end(), [&](const auto &one) {
                return std::find(nodes.begin(), nodes.end(), one.first) != nodes.end() && one.second == expected.at("request");
            });
            ASSERT_NE(found, left.end()) << expected << " was not sent";
            left.erase(found);
        }
        EXPECT_TRUE(left.empty()) << "sent and not expected";
        if (step.contains("error")) {
            ASSERT_TRUE(error) << "no error, but " << step["error"];
            check(step["error"], error);
        } else if (error) {
            std::rethrow_exception(error);
        } else if (step.contains("items")) {
            json items = json::array();
            for (const std::string answer : result) {
                items.push_back(answer.substr(0, answer.find('@')));
            }
            EXPECT_EQ(items, step["items"]);
        } else {
            EXPECT_EQ(result, step.at("result"));
        }
    }

    static void check(const json &expected, const std::exception_ptr &error) {
        try {
            std::rethrow_exception(error);
        } catch (const NodeError &transport) {
            EXPECT_EQ(transport.what(), expected.value("transport", "an error of ours"));
        } catch (const Error &ours) {
            EXPECT_EQ(name(ours.code()), expected.value("code", "the transport's error"));
            for (const std::string text : expected.value("names", json::array())) {
                EXPECT_NE(std::string(ours.what()).find(text), std::string::npos) << text << " in " << ours.what();
            }
            if (expected.contains("cause")) {
                EXPECT_EQ(cause_of(ours).value_or("no cause"), expected["cause"]);
            }
        }
    }

    void stats(const json &expected) {
        const ClientStats all = client_->stats();
        std::map<std::string, std::uint64_t> found = {
            {"redistributes", all.router.redistributes},
            {"joins", all.router.joins},
            {"leaves", all.router.leaves},
            {"ejections", all.router.ejections},
            {"revivals", all.router.revivals},
            {"live_nodes", all.router.live_nodes},
            {"dead_nodes", all.router.dead_nodes},
            {"partition_updates", all.router.partition_updates},
            {"snap_updates", all.router.snap_updates},
            {"update_failures", all.router.update_failures},
            {"nodes", all.router.nodes},
        };
        if (data_["strategy"].dump().find("\"custom\"") != std::string::npos) {
            found["partition_updates"] = all.custom.partition_updates;
            found["snap_updates"] = all.custom.snap_updates;
            found["update_failures"] = all.custom.update_failures;
            found["nodes"] = all.custom.nodes;
            found["left_out"] = all.custom.left_out;
        }
        for (const auto &[name, value] : expected.items()) {
            EXPECT_EQ(found.at(name), value) << name;
        }
    }

    json data_;
    std::uint64_t now_ms_ = 1'000;
    State<json> state_;
    Router router_;
    std::mutex mutex_;
    std::vector<std::pair<std::string, json>> sent_;
    json behaviour_;
    bool timed_ = false;
    std::unique_ptr<PartitionedClient<json, json>> client_;
};

} // namespace

TEST(Scenarios, All) {
    json counts = json::array();
    std::set<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder())) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() == ".json" && name != "manifest.json") {
            files.insert(name);
        }
    }
    std::size_t total = 0;
    for (const std::string &file : files) {
        const json scenarios = read(folder() / file).at("scenarios");
        std::size_t steps = 0;
        for (const json &data : scenarios) {
            SCOPED_TRACE(file + ": " + data.at("name").get<std::string>());
            steps += data.at("steps").size();
            const auto reason = unsaid.find(data.at("name"));
            if (reason == unsaid.end()) {
                Scenario(data).run();
                total++;
            } else {
                std::printf("not run: %s: %s\n", reason->first.c_str(), reason->second.c_str());
            }
        }
        counts.push_back({{"file", file}, {"scenarios", scenarios.size()}, {"steps", steps}});
    }
    EXPECT_EQ(counts, read(folder() / "manifest.json").at("files"));
    std::printf("%zu scenarios passed\n", total);
}
