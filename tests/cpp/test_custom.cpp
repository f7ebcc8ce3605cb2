// Rows of the reference table: end to end (custom), node manager, resharding.

#include "fleet.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

using namespace fleet;
using shardway::CustomOptions;
using shardway::ErrorCode;
using shardway::LogicalPartition;
using shardway::Node;
using shardway::Pick;
using shardway::Router;
using shardway::State;
using shardway::Topology;

namespace {

using Options = CustomOptions<Request, Response>;
using Get = shardway::GetPartitions<Request>;

/// Every address to the partition that a table gives it, "getBoxes" only.
Get by_table(std::map<std::string, std::int32_t> table) {
    return [table](const std::string &endpoint, const Request &request) -> std::optional<Partitioned> {
        if (endpoint != "getBoxes") {
            return std::nullopt;
        }
        std::map<std::int32_t, Request> parts;
        for (const std::string &address : request) {
            parts[table.at(address)].push_back(address);
        }
        return Partitioned(parts.begin(), parts.end());
    };
}

Get all_to(std::int32_t partition) {
    return [partition](const std::string &, const Request &request) { return Partitioned{{partition, request}}; };
}

Options merging(Pick pick = Pick::PowerOfTwoChoices) { return {response_mergers(), pick}; }

Topology instances(std::vector<Node> nodes) { return Topology::ring_v1().nodes(nodes).build(); }

Node instance(int number, std::optional<std::int32_t> shard_id, std::uint32_t weight = 1) {
    Node node{"n" + std::to_string(number)};
    node.shard_id = shard_id;
    node.weight = weight;
    return node;
}

} // namespace

TEST(EndToEnd, CustomEachShardAPartition) {
    Fleet servers;
    Client client(ring(5), servers.send(),
                  Custom::no_resharding(by_table({{"zero", 0}, {"one", 1}, {"two", 0}}), {}, merging()));
    EXPECT_EQ(client.call("getBoxes", {"zero", "one", "two"}),
              (Response{"zero@n0 size: 2", "two@n0 size: 2", "one@n1 size: 1"}));
}

TEST(EndToEnd, CustomSameRequestToFivePartitions) {
    Fleet servers;
    Client client(ring(5), servers.send(), Custom::no_resharding([](const std::string &, const Request &request) {
                      Partitioned parts;
                      for (std::int32_t partition = 0; partition < 5; partition++) {
                          parts.emplace_back(partition, request);
                      }
                      return parts;
                  }, {}, merging()));
    const Response boxes = client.call("getBoxes", {"zero", "one", "two"});
    EXPECT_EQ(boxes.size(), 15U);
    for (const std::string address : {"zero", "one", "two"}) {
        EXPECT_EQ(std::count_if(boxes.begin(), boxes.end(), [&](const std::string &box) {
            return box.rfind(address + "@", 0) == 0 && has(box, "size: 3");
        }), 5);
    }
    EXPECT_EQ(servers.nodes_asked(), (std::vector<std::string>{"n0", "n1", "n2", "n3", "n4"}));
}

TEST(EndToEnd, CustomLogicalPartitions) {
    const auto table = by_table({{"four", 0}, {"three", 1}, {"two", 1}, {"one", 2}, {"zero", 2}});
    const LogicalPartition logical([](std::int32_t shard_id) -> std::vector<std::int32_t> {
        static const std::map<std::int32_t, std::vector<std::int32_t>> of{{0, {0}}, {1, {0, 1}}, {2, {1}}, {3, {2}}, {4, {2}}};
        return of.at(shard_id);
    });
    const Topology declared = Topology::ring_v1()
                                  .nodes(ring(5).topology().nodes())
                                  .serves(0, {0})
                                  .serves(1, {0, 1})
                                  .serves(2, {1})
                                  .serves(3, {2})
                                  .serves(4, {2})
                                  .build();
    const std::vector<std::pair<Router, LogicalPartition>> ways{{ring(5), logical}, {Router(declared), {}}};
    for (const auto &[router, mapping] : ways) { // by a function, and as the topology has it
        Fleet servers;
        Client client(router, servers.send(), Custom::no_resharding(table, mapping, merging()));
        const Response boxes = client.call("getBoxes", {"four", "three", "two", "one", "zero"});
        ASSERT_EQ(boxes.size(), 5U);
        EXPECT_TRUE(has(boxes[0], "four@") && has(boxes[0], "size: 1"));
        for (const std::size_t box : {1, 2, 3, 4}) {
            EXPECT_TRUE(has(boxes[box], "size: 2")) << boxes[box];
        }
        EXPECT_EQ(client.stats().custom.nodes, 3U);
    }
}

TEST(EndToEnd, CustomFunctionThrows) {
    Fleet servers;
    Client client(ring(5), servers.send(), Custom::no_resharding(by_table({}), {}, merging()));
    try {
        client.call("getBoxes", {"one"});
        FAIL() << "nothing was thrown";
    } catch (const shardway::Error &error) {
        EXPECT_EQ(error.code(), ErrorCode::PartitioningStrategy);
        EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
    }
}

TEST(EndToEnd, CustomUnknownLogicalPartition) {
    Fleet servers;
    Client client(ring(5), servers.send(), Custom::no_resharding(all_to(7), {}, merging()));
    const auto error = error_of([&] { client.call("getBoxes", {"one"}); });
    EXPECT_EQ(error.code(), ErrorCode::NoPartition);
    EXPECT_TRUE(has(error.what(), "7"));
    EXPECT_TRUE(servers.sent().empty());
}

TEST(EndToEnd, CustomUnknownPartitionsBesideKnownOnesAreFailuresOfTheMerger) {
    Fleet servers;
    std::vector<Failure> seen;
    Options options;
    options.response_mergers.add("getBoxes", [&](std::vector<Response> successes, const std::vector<Failure> &failures) {
        seen = failures;
        return joined(std::move(successes));
    });
    Client client(ring(2), servers.send(), Custom::no_resharding(by_table({{"one", 1}, {"nine", 9}}), {}, options));
    EXPECT_EQ(client.call("getBoxes", {"nine", "one"}), (Response{"one@n1 size: 1"}));
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].partition, 9);
    EXPECT_FALSE(seen[0].node);
    EXPECT_EQ(*seen[0].request, (Request{"nine"}));
    EXPECT_EQ(error_of([&] { seen[0].raise(); }).code(), ErrorCode::NoPartition);
}

TEST(EndToEnd, CustomEndpointNotSet) {
    Fleet servers;
    Client client(ring(5), servers.send(), Custom::no_resharding(by_table({}), {}, merging()));
    const auto error = error_of([&] { client.call("sendBox", {"one"}); });
    EXPECT_EQ(error.code(), ErrorCode::PartitioningStrategy);
    EXPECT_TRUE(has(error.what(), "sendBox") && has(error.what(), "check that it is defined"));
}

TEST(EndToEnd, CustomAnswersThatAreNoneAreTheStrategysFault) {
    Fleet servers;
    const auto call = [&](Get get) {
        Client client(ring(5), servers.send(), Custom::no_resharding(std::move(get), {}, merging()));
        return error_of([&] { client.call("getBoxes", {"one"}); });
    };
    const auto none = call([](const std::string &, const Request &) { return Partitioned{}; });
    const auto twice = call([](const std::string &, const Request &r) { return Partitioned{{1, r}, {1, r}}; });
    EXPECT_EQ(none.code(), ErrorCode::PartitioningStrategy);
    EXPECT_EQ(twice.code(), ErrorCode::PartitioningStrategy);
    EXPECT_TRUE(has(twice.what(), "partition 1 twice"));
    EXPECT_TRUE(servers.sent().empty());
}

TEST(EndToEnd, CustomFunctionMayAnswerWithAFuture) {
    Fleet servers;
    Client client(ring(5), servers.send(), Custom::no_resharding([](const std::string &, const Request &request) {
                      return std::async(std::launch::async, [request] { return Partitioned{{3, request}}; });
                  }));
    EXPECT_EQ(client.call("getBoxes", {"one"}), (Response{"one@n3 size: 1"}));
}

TEST(EndToEnd, StateChangesFromZeroToOne) {
    Fleet servers;
    const State<int> state(0);
    Client client(ring(5), servers.send(), Custom::resharding<int>(state, [](const int &value) { return all_to(value); }));
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n0 size: 1"}));
    state.update(1);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n1 size: 1"}));
    EXPECT_EQ(client.stats().custom.nodes, 5U);
    EXPECT_EQ(client.stats().custom.snap_updates, 2U);
    EXPECT_EQ(client.stats().custom.partition_updates, 1U);
}

TEST(EndToEnd, ClusterGrowsFromTwoToFiveWithAnotherMapping) {
    Fleet servers;
    const Router router = ring(2);
    const auto mapping = [](const Custom::Nodes &nodes) -> LogicalPartition {
        if (nodes.size() == 2) {
            return [](std::int32_t shard_id) { return shard_id; };
        }
        return [](std::int32_t shard_id) { return shard_id < 2 ? 0 : 1; };
    };
    Client client(router, servers.send(),
                  Custom::cluster_resharding([](const Custom::Nodes &) { return all_to(1); }, mapping, merging()));
    client.call("getBoxes", {"a"});
    EXPECT_EQ(servers.nodes_asked(), (std::vector<std::string>{"n1"}));
    servers.forget();
    router.publish(ring(5).topology());
    for (int call = 0; call < 40; call++) {
        client.call("getBoxes", {"a"});
    }
    for (const std::string &node : servers.nodes_asked()) {
        EXPECT_TRUE(node == "n2" || node == "n3" || node == "n4") << node;
    }
    EXPECT_EQ(client.stats().custom.nodes, 2U);
}

TEST(NodeManager, RemoveAndAddAPartition) {
    Fleet servers;
    const Router router = ring(5);
    Client client(router, servers.send(), Custom::no_resharding(all_to(4)));
    EXPECT_EQ(client.stats().custom.nodes, 5U);
    router.publish(ring(4).topology());
    EXPECT_EQ(error_of([&] { client.call("getBoxes", {"a"}); }).code(), ErrorCode::NoPartition);
    EXPECT_EQ(client.stats().custom.nodes, 4U);
    router.publish(ring(6).topology());
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n4 size: 1"}));
    EXPECT_EQ(client.stats().custom.nodes, 6U);
}

TEST(NodeManager, APartitionStaysWhileItHasANodeAndGoesWithItsLast) {
    Fleet servers;
    const Router router(instances({instance(0, 0), instance(1, 1), instance(2, 2)}));
    const LogicalPartition logical([](std::int32_t shard_id) { return shard_id == 0 ? 7 : 8; });
    Client client(router, servers.send(), Custom::no_resharding(all_to(8), logical, merging(Pick::RoundRobin)));
    client.call("getBoxes", {"a"});
    client.call("getBoxes", {"a"});
    EXPECT_EQ(servers.nodes_asked(), (std::vector<std::string>{"n1", "n2"})); // in turn
    router.publish(instances({instance(0, 0), instance(2, 2)}));
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n2 size: 1"}));
    router.publish(instances({instance(0, 0)}));
    EXPECT_EQ(error_of([&] { client.call("getBoxes", {"a"}); }).code(), ErrorCode::NoPartition);
}

TEST(NodeManager, AWeightChangeRunsTheMappingsAgain) {
    Fleet servers;
    const Router router(instances({instance(0, 0), instance(1, 1)}));
    std::atomic<int> runs{0};
    const LogicalPartition logical([&](std::int32_t shard_id) {
        runs++;
        return shard_id;
    });
    Client client(router, servers.send(), Custom::no_resharding(all_to(0), logical));
    client.call("getBoxes", {"a"});
    client.call("getBoxes", {"a"});
    EXPECT_EQ(runs, 2);
    router.publish(instances({instance(0, 0), instance(1, 1, 2)}));
    client.call("getBoxes", {"a"});
    EXPECT_EQ(runs, 4);
    EXPECT_EQ(client.stats().custom.snap_updates, 2U);
}

TEST(NodeManager, AddressSetEmptiedKeepsTheOldMapAndARealChangeRebuilds) {
    Fleet servers;
    const Router router = ring(2);
    Client client(router, servers.send(), Custom::no_resharding(all_to(1)));
    EXPECT_EQ(router.publish(instances({})), shardway::Publish::KeptOld);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n1 size: 1"}));
    router.publish(instances({instance(7, 1)}));
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n7 size: 1"}));
}

TEST(NodeManager, MappingThrowsForSomeShardsAndTheOthersAreServed) {
    Fleet servers;
    std::vector<std::string> log;
    shardway::ClientOptions options;
    options.log = [&](const std::string &line) { log.push_back(line); };
    const Router router(instances({instance(0, 0), instance(1, 1), instance(2, {})}));
    const LogicalPartition logical([](std::int32_t shard_id) {
        return shard_id == 0 ? throw std::runtime_error("no such shard") : shard_id;
    });
    Client client(router, servers.send(), Custom::no_resharding(all_to(1), logical), options);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n1 size: 1"}));
    EXPECT_EQ(client.stats().custom.left_out, 2U);
    ASSERT_EQ(log.size(), 2U);
    EXPECT_TRUE(has(log[0], "instance n0 is left out") && has(log[0], "no such shard")) << log[0];
    EXPECT_TRUE(has(log[1], "NoShardId: instance n2")) << log[1];
}

TEST(NodeManager, AFailingStateKeepsTheLastGoodViewAndIsCounted) {
    Fleet servers;
    const State<int> state(0);
    const auto get = [](const int &value) -> Get {
        return value < 0 ? throw std::runtime_error("bad state") : all_to(value);
    };
    Client client(ring(3), servers.send(), Custom::resharding<int>(state, get));
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n0 size: 1"}));
    state.update(-1); // seen at once, by watching
    state.update(-2);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n0 size: 1"}));
    EXPECT_EQ(client.stats().custom.update_failures, 2U);
    state.update(2);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n2 size: 1"}));
    EXPECT_EQ(client.stats().custom.update_failures, 2U);
}

TEST(NodeManager, AllMappingsFailAndTheOldViewStays) {
    Fleet servers;
    const State<int> state(0);
    Client client(ring(2), servers.send(),
                  Custom::resharding<int>(state, [](const int &) { return all_to(1); },
                                          [](const int &value) -> LogicalPartition {
                                              return [value](std::int32_t shard_id) {
                                                  return value > 0 ? throw std::runtime_error("gone") : shard_id;
                                              };
                                          }));
    client.call("getBoxes", {"a"});
    state.update(1);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n1 size: 1"}));
    EXPECT_EQ(client.stats().custom.update_failures, 1U);
    EXPECT_EQ(client.stats().custom.nodes, 2U);
}

TEST(NodeManager, AStateThatFailsFromTheStartSaysSoAndRecovers) {
    Fleet servers;
    const State<int> state(-1);
    Client client(ring(3), servers.send(), Custom::resharding<int>(state, [](const int &value) -> Get {
                      return value < 0 ? throw std::runtime_error("bad state") : all_to(value);
                  }));
    for (int call = 0; call < 2; call++) {
        const auto error = error_of([&] { client.call("getBoxes", {"a"}); });
        EXPECT_EQ(error.code(), ErrorCode::PartitioningStrategy);
        EXPECT_TRUE(has(error.what(), "bad state"));
    }
    EXPECT_EQ(client.stats().custom.update_failures, 1U);
    state.update(1);
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n1 size: 1"}));
}

TEST(NodeManager, ReshardOnStateARequestUnderWayKeepsItsView) {
    Fleet servers;
    const State<int> state(0);
    Client client(ring(2), servers.send(), Custom::resharding<int>(
                                               state,
                                               [&state](const int &value) -> Get {
                                                   return [&state, value](const std::string &, const Request &request) {
                                                       if (value == 0) {
                                                           state.update(1); // while this request is under way
                                                       }
                                                       return Partitioned{{value, request}};
                                                   };
                                               },
                                               [](const int &value) -> LogicalPartition {
                                                   return [value](std::int32_t shard_id) {
                                                       return value == 0 ? shard_id : 1 - shard_id;
                                                   };
                                               }));
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n0 size: 1"})); // old function, old map
    EXPECT_EQ(client.call("getBoxes", {"a"}), (Response{"a@n0 size: 1"})); // partition 1 of the new one is n0
    EXPECT_EQ(state.value(), 1);
}

TEST(NodeManager, EmptyServerSetAtTheStart) {
    Fleet servers;
    Client client(Router(instances({})), servers.send(), Custom::no_resharding(all_to(0)));
    EXPECT_EQ(error_of([&] { client.call("getBoxes", {"a"}); }).code(), ErrorCode::NoPartition);
}

TEST(NodeManager, ReplicasInOnePartitionShareItsRequestsAndTheDeadOneIsPassedOver) {
    for (const Pick pick : {Pick::RoundRobin, Pick::PowerOfTwoChoices}) {
        Fleet servers;
        const LogicalPartition logical([](std::int32_t) { return 0; });
        shardway::ClientOptions options;
        options.clock_ms = [] { return std::uint64_t{1'000}; };
        Client client(ring(3), servers.send(), Custom::no_resharding(all_to(0), logical, merging(pick)), options);
        for (int call = 0; call < 30; call++) {
            client.call("getBoxes", {"a"});
        }
        for (const char *node : {"n0", "n1", "n2"}) {
            const auto asked = servers.nodes_asked();
            EXPECT_GT(std::count(asked.begin(), asked.end(), node), 2) << node;
        }
        servers.fail("n1");
        int failed = 0;
        for (int call = 0; call < 30; call++) {
            try {
                client.call("getBoxes", {"a"});
            } catch (const std::runtime_error &) {
                failed++;
            }
        }
        EXPECT_EQ(failed, 1); // one failure marks it dead
    }
}

TEST(NodeManager, PowerOfTwoChoicesTakesTheOneWithLessUnderWay) {
    Fleet servers;
    const LogicalPartition logical([](std::int32_t) { return 0; });
    Client client(ring(2), servers.send(), Custom::no_resharding(all_to(0), logical));
    Response inner;
    std::string busy;
    for (const std::string node : {"n0", "n1"}) {
        servers.hook(node, [&, node] {
            if (busy.empty()) {
                busy = node;
                for (int call = 0; call < 10; call++) {
                    const Response answer = client.call("getBoxes", {"a"});
                    inner.insert(inner.end(), answer.begin(), answer.end());
                }
            }
        });
    }
    client.call("getBoxes", {"a"});
    EXPECT_EQ(inner, Response(10, "a@" + std::string(busy == "n0" ? "n1" : "n0") + " size: 1"));
}

TEST(NodeManager, AStateDoesNotKeepClientsThatAreGone) {
    const State<int> state(0);
    std::atomic<int> evaluations{0};
    {
        Fleet servers;
        Client client(ring(2), servers.send(), Custom::resharding<int>(state, [&](const int &value) {
                          evaluations++;
                          return all_to(value);
                      }));
        state.update(1);
    }
    EXPECT_EQ(evaluations, 2);
    state.update(2);
    EXPECT_EQ(evaluations, 2);
}

TEST(StateOf, WatchersSeeEachChangeAndNoneAfterTheyLeft) {
    const State<int> state(0);
    std::vector<int> seen;
    const auto end = state.watch([&] {
        seen.push_back(state.value());
        if (state.value() == 1) {
            state.update(10); // told when this change has been told to everyone
        }
    });
    const auto broken = state.watch([&] {
        if (state.value() == 2) {
            throw std::runtime_error("a watcher");
        }
    });
    state.update(1);
    EXPECT_THROW(state.update(2), std::runtime_error);
    end();
    end();
    state.update(3);
    EXPECT_EQ(seen, (std::vector<int>{1, 10, 2}));
    EXPECT_EQ(state.version(), 4U);
    broken();
}
