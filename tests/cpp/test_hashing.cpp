// Rows of the reference table: end to end (hashing), per endpoint, strategy, hashing service, partitioning.

#include "fleet.hpp"

#include <gtest/gtest.h>

#include <any>
#include <atomic>
#include <future>
#include <thread>

using namespace fleet;
using shardway::ErrorCode;
using shardway::Node;
using shardway::Router;

namespace {

/// A clock that stands still until it is set.
struct Clock {
    std::atomic<std::uint64_t> now_ms{1'000};

    shardway::ClientOptions options() {
        shardway::ClientOptions options;
        options.clock_ms = [this] { return now_ms.load(); };
        return options;
    }
};

std::vector<std::string> names(const Response &boxes) {
    std::vector<std::string> names;
    for (const std::string &box : boxes) {
        names.push_back(box.substr(0, box.find('@')));
    }
    return names;
}

} // namespace

TEST(EndToEnd, NoStrategy) {
    Fleet servers;
    Client client(ring(1), servers.send());
    EXPECT_EQ(client.call("getBoxes", {"zero", "one", "two"}),
              (Response{"zero@n0 size: 3", "one@n0 size: 3", "two@n0 size: 3"}));
    EXPECT_EQ(client.call("sendBox", {"hi"}), (Response{"hi@n0 size: 1"}));
}

TEST(EndToEnd, NoStrategyGoesToTheLiveNodesInTurn) {
    Fleet servers;
    const Router router = ring(3);
    router.eject("n1");
    Client client(router, servers.send());
    for (int call = 0; call < 4; call++) {
        client.call("getBox", {"one"});
    }
    EXPECT_EQ(servers.nodes_asked(), (std::vector<std::string>{"n0", "n0", "n2", "n2"}));
}

TEST(EndToEnd, Hashing) {
    Fleet servers;
    const Router router = ring(5);
    Client client(router, servers.send(), hashing());
    const auto keys = owned(router, 2);
    const Request &first = keys.at("n0");
    const Request &second = keys.at("n3");
    const Response apart = client.call("getBoxes", {first[0], second[0], first[0]});
    EXPECT_EQ(apart, (Response{first[0] + "@n0 size: 2", first[0] + "@n0 size: 2", second[0] + "@n3 size: 1"}));
    servers.forget();
    const Response together = client.call("getBoxes", {first[0], first[1], first[0]});
    EXPECT_EQ(together, (Response{first[0] + "@n0 size: 3", first[1] + "@n0 size: 3", first[0] + "@n0 size: 3"}));
    EXPECT_EQ(servers.nodes_asked(), (std::vector<std::string>{"n0"}));
}

TEST(EndToEnd, HashingEndpointNotSpecified) {
    Fleet servers;
    Client client(ring(5), servers.send(), hashing());
    const auto error = error_of([&] { client.call("sendBox", {"one"}); });
    EXPECT_EQ(error.code(), ErrorCode::NoPartitioningKeys);
    EXPECT_TRUE(has(error.what(), "sendBox"));
    EXPECT_EQ(error.place(), "sendBox");
    EXPECT_TRUE(servers.sent().empty());
}

TEST(EndToEnd, HashingFunctionThrows) {
    Fleet servers;
    Client client(ring(5), servers.send(), Hashing([](const std::string &, const Request &) -> Keyed {
                      throw std::out_of_range("the cause");
                  }));
    try {
        client.call("getBoxes", {"one"});
        FAIL() << "nothing was thrown";
    } catch (const shardway::Error &error) {
        EXPECT_EQ(error.code(), ErrorCode::PartitioningStrategy);
        EXPECT_TRUE(has(error.what(), "getBoxes") && has(error.what(), "the cause"));
        EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
    }
}

TEST(PerEndpoint, HashingCustomErroredAndNone) {
    Fleet servers;
    shardway::MethodStrategies<Request, Response> methods;
    methods.emplace("getBoxes", hashing());
    methods.emplace("sendBoxes", Custom::no_resharding([](const std::string &, const Request &request) {
                        return Partitioned{{2, request}};
                    }));
    methods.emplace("getBox", Hashing([](const std::string &, const Request &) -> Keyed {
                        throw std::runtime_error("errored");
                    }));
    const Router router = ring(5);
    Client client(router, servers.send(), methods);
    const std::string mine = owned(router, 1).at("n4")[0];
    EXPECT_EQ(client.call("getBoxes", {mine}), (Response{mine + "@n4 size: 1"}));
    EXPECT_EQ(client.call("sendBoxes", {"a"}), (Response{"a@n2 size: 1"}));
    EXPECT_EQ(error_of([&] { client.call("getBox", {"a"}); }).code(), ErrorCode::PartitioningStrategy);
    EXPECT_EQ(client.call("sendBox", {"a"}), (Response{"a@n0 size: 1"})); // unpartitioned
}

TEST(PerEndpoint, AStrategyOfOneEndpointLeavesTheOthersWholeAndRefusesOtherTypes) {
    using Any = shardway::HashingStrategy<std::any, int>;
    int calls = 0;
    shardway::PartitionedClient<std::any, int> client(
        ring(3), [&](const Node &, const std::string &, const std::any &) { return ++calls; },
        Any::for_endpoint<std::string>("getBox", [](const std::string &name) {
            return shardway::KeyedRequests<std::any>{{name, std::any(name)}};
        }));
    EXPECT_EQ(client.call("getBox", std::string("one")), 1);
    EXPECT_EQ(client.call("sendBox", 7), 2);
    const auto error = error_of([&] { client.call("getBox", 7); });
    EXPECT_EQ(error.code(), ErrorCode::PartitioningStrategy);
    EXPECT_TRUE(has(error.what(), "another type"));
    EXPECT_EQ(calls, 2);
}

TEST(Strategy, RegistriesWithSeveralEndpointsAreChainableAndFrozenByAClient) {
    Requests requests;
    requests.add("getBoxes", [](std::vector<Request> all) { return all.front(); })
        .add("sendBoxes", [](std::vector<Request> all) { return all.back(); });
    EXPECT_EQ((*requests.find("getBoxes"))({{"a"}, {"b"}}), (Request{"a"}));
    EXPECT_EQ((*requests.find("sendBoxes"))({{"a"}, {"b"}}), (Request{"b"}));
    EXPECT_EQ(requests.find("getBox"), nullptr);
    const auto add = [&](const std::string &endpoint) {
        return error_of([&] { requests.add(endpoint, [](std::vector<Request> all) { return all.front(); }); });
    };
    EXPECT_TRUE(has(add("getBoxes").what(), "has a merger already"));
    Fleet servers;
    Client client(ring(1), servers.send(), Hashing::per_endpoint({}, requests));
    const auto late = add("getBox");
    EXPECT_EQ(late.code(), ErrorCode::InvalidArgument);
    EXPECT_TRUE(has(late.what(), "comes too late"));
    EXPECT_EQ(error_of([&] { Requests().add("x", nullptr); }).place(), "merge");
}

TEST(HashingService, Grouping) {
    Fleet servers;
    const Router router = ring(5);
    std::atomic<int> merged{0};
    Requests requests;
    requests.add("getBoxes", [&](std::vector<Request> all) {
        merged++;
        return joined(std::move(all));
    });
    Client client(router, servers.send(),
                  Hashing::per_endpoint({{"getBoxes", by_address}}, requests, response_mergers()));
    const auto keys = owned(router, 2);
    for (const auto &[node, mine] : keys) {
        servers.forget();
        client.call("getBoxes", {mine[0]});
        client.call("getBoxes", {mine[1]});
        client.call("getBoxes", mine); // the original, untouched: no merger
        EXPECT_EQ(servers.nodes_asked(), (std::vector<std::string>{node, node, node}));
        EXPECT_EQ(servers.sent().back().request, mine);
    }
    client.call("getBoxes", {keys.at("n0")[0], keys.at("n1")[0]}); // one key a node: no merger
    EXPECT_EQ(merged, 0);
    client.call("getBoxes", {keys.at("n0")[0], keys.at("n1")[0], keys.at("n0")[1]});
    EXPECT_EQ(merged, 1);
}

TEST(HashingService, AddTwoNodesToThreeThenDropOne) {
    const auto of = [](std::vector<std::string> ids) {
        auto builder = shardway::Topology::ring_v1();
        for (const std::string &id : ids) {
            builder.node(id);
        }
        return builder.build();
    };
    const Router router(of({"a", "b", "c"}));
    EXPECT_EQ(router.stats().redistributes, 1U);
    router.publish(of({"a", "b", "c", "d", "e"}));
    EXPECT_EQ(router.stats().redistributes, 2U);
    std::vector<std::string> before;
    for (int key = 0; key < 1'000; key++) {
        before.push_back(router.route_id("key" + std::to_string(key)));
    }
    router.publish(of({"a", "b", "d", "e"}));
    EXPECT_EQ(router.stats().redistributes, 3U);
    EXPECT_EQ(router.stats().leaves, 1U);
    int moved = 0;
    for (int key = 0; key < 1'000; key++) {
        const bool was_on_c = before[key] == "c";
        EXPECT_EQ(router.route_id("key" + std::to_string(key)) != before[key], was_on_c);
        moved += was_on_c ? 1 : 0;
    }
    EXPECT_GT(moved, 0);
}

TEST(HashingService, AHostDiesWithEjectionOn) {
    Fleet servers;
    Clock clock;
    const Router router = ring(5, true);
    Client client(router, servers.send(), hashing(), clock.options());
    const auto keys = owned(router, 1);
    servers.fail("n2");
    EXPECT_THROW(client.call("getBoxes", keys.at("n2")), std::runtime_error);
    EXPECT_EQ(client.stats().router.ejections, 1U);
    EXPECT_EQ(client.stats().router.redistributes, 2U);
    for (const auto &[node, mine] : keys) {
        EXPECT_EQ(router.route_id(mine[0]) == node, node != "n2");
        EXPECT_EQ(client.call("getBoxes", mine).size(), 1U);
    }
}

TEST(HashingService, RevivalOfOneOfFiveHosts) {
    Fleet servers;
    Clock clock;
    const Router router = ring(5, true);
    Client client(router, servers.send(), hashing(), clock.options());
    const std::string mine = owned(router, 1).at("n2")[0];
    servers.fail("n2");
    EXPECT_THROW(client.call("getBoxes", {mine}), std::runtime_error);
    servers.mend("n2");
    clock.now_ms += 2'000;
    EXPECT_EQ(client.call("getBoxes", {mine}), (Response{mine + "@n2 size: 1"}));
    EXPECT_EQ(client.stats().router.revivals, 1U);
}

TEST(HashingService, RevivalOfTheOnlyHost) {
    Fleet servers;
    Clock clock;
    Client client(ring(1, true), servers.send(), hashing(), clock.options());
    servers.fail("n0");
    EXPECT_THROW(client.call("getBoxes", {"one"}), std::runtime_error);
    servers.mend("n0");
    EXPECT_EQ(error_of([&] { client.call("getBoxes", {"one"}); }).code(), ErrorCode::ShardNotAvailable);
    EXPECT_EQ(client.stats().router.live_nodes, 0U);
    clock.now_ms += 2'000;
    EXPECT_EQ(client.call("getBoxes", {"one"}), (Response{"one@n0 size: 1"}));
}

TEST(HashingService, WithoutEjectionADeadHostFailsFastAndNoKeyMoves) {
    Fleet servers;
    Clock clock;
    const Router router = ring(5);
    Client client(router, servers.send(), hashing(), clock.options());
    const std::string mine = owned(router, 1).at("n2")[0];
    servers.fail("n2");
    EXPECT_THROW(client.call("getBoxes", {mine}), std::runtime_error);
    servers.mend("n2");
    try {
        client.call("getBoxes", {mine});
        FAIL() << "it was sent";
    } catch (const shardway::NodeUnavailable &error) {
        EXPECT_EQ(error.code(), ErrorCode::ShardNotAvailable);
        EXPECT_TRUE(has(error.what(), "n2"));
    }
    EXPECT_EQ(servers.sent().size(), 1U);
    EXPECT_EQ(client.stats().router.ejections, 0U);
    clock.now_ms += 2'000;
    EXPECT_EQ(client.tick().size(), 1U);
    EXPECT_EQ(client.call("getBoxes", {mine}), (Response{mine + "@n2 size: 1"}));
}

TEST(HashingService, EmptyKeyList) {
    Fleet servers;
    Client client(ring(5), servers.send(), hashing());
    const auto error = error_of([&] { client.call("getBoxes", {}); });
    EXPECT_EQ(error.code(), ErrorCode::NoPartitioningKeys);
    EXPECT_TRUE(has(error.what(), "getBoxes"));
}

TEST(HashingService, IntegerKeysGoWhereTheRouterSays) {
    for (const bool thrift_keys : {false, true}) {
        const Router router(shardway::Topology::finagle(false, thrift_keys).node("a").node("b").node("c").build());
        using Numbers = std::vector<std::int32_t>;
        shardway::ResponseMergers<Numbers, int> responses;
        responses.add("get", [](std::vector<int> counts, const auto &) {
            int sum = 0;
            for (const int count : counts) {
                sum += count;
            }
            return sum;
        });
        shardway::RequestMergers<Numbers> requests;
        requests.add("get", [](std::vector<Numbers> all) {
            Numbers merged;
            for (const Numbers &one : all) {
                merged.push_back(one[0]);
            }
            return merged;
        });
        shardway::PartitionedClient<Numbers, int> client(
            router,
            [&](const Node &node, const std::string &, const Numbers &numbers) {
                for (const std::int32_t number : numbers) {
                    EXPECT_EQ(router.route_id(number), node.id);
                }
                return static_cast<int>(numbers.size());
            },
            shardway::HashingStrategy<Numbers, int>(
                [](const std::string &, const Numbers &numbers) {
                    shardway::KeyedRequests<Numbers> keyed;
                    for (const std::int32_t number : numbers) {
                        keyed.emplace_back(number, Numbers{number});
                    }
                    return keyed;
                },
                requests, responses));
        EXPECT_EQ(client.call("get", {-1, 0, 1, 2, 3, 4, 5, 6, 7, -2'000'000'000}), 10);
    }
}

TEST(Partitioning, BatchWithFailingHosts) {
    Fleet servers;
    const Router router = ring(5);
    std::vector<Failure> seen;
    Responses responses;
    responses.add("getBoxes", [&](std::vector<Response> successes, const std::vector<Failure> &failures) {
        seen = failures;
        return joined(std::move(successes));
    });
    Client client(router, servers.send(),
                  Hashing::per_endpoint({{"getBoxes", by_address}}, request_mergers(), responses));
    const auto keys = owned(router, 2);
    servers.fail("n1");
    servers.fail("n3");
    const Response boxes = client.call("getBoxes", {keys.at("n3")[0], keys.at("n0")[0], keys.at("n1")[0],
                                                    keys.at("n2")[0], keys.at("n3")[1]});
    EXPECT_EQ(names(boxes), (std::vector<std::string>{keys.at("n0")[0], keys.at("n2")[0]}));
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].node, "n3");
    EXPECT_EQ(seen[0].endpoint, "getBoxes");
    EXPECT_EQ(seen[0].keys, (std::vector<shardway::Key>{keys.at("n3")[0], keys.at("n3")[1]}));
    EXPECT_EQ(*seen[0].request, (Request{keys.at("n3")[0], keys.at("n3")[1]}));
    EXPECT_FALSE(seen[0].partition);
    EXPECT_EQ(seen[1].node, "n1");
    EXPECT_THROW(seen[1].raise(), std::runtime_error);
}

TEST(Partitioning, WithNoSuccessTheFirstFailureIsThrownAsItIs) {
    Fleet servers;
    const Router router = ring(5);
    Client client(router, servers.send(), hashing());
    const auto keys = owned(router, 1);
    servers.fail("n1");
    servers.fail("n3");
    try {
        client.call("getBoxes", {keys.at("n3")[0], keys.at("n1")[0]});
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error &error) {
        EXPECT_STREQ(error.what(), "n3 is down");
    }
}

TEST(Partitioning, BatchWithSlowHostsAllPartsAreUnderWayAtOnceAndMergedInTheOrderOfTheirKeys) {
    const Router router = ring(5);
    const auto keys = owned(router, 1);
    const Request all{keys.at("n4")[0], keys.at("n2")[0], keys.at("n0")[0], keys.at("n1")[0], keys.at("n3")[0]};
    {
        Fleet servers;
        Meeting meeting(5); // none goes on before all have come
        for (const auto &[node, mine] : keys) {
            servers.hook(node, [&] { EXPECT_TRUE(meeting.join()); });
        }
        Client client(router, servers.send(), hashing());
        EXPECT_EQ(names(client.call("getBoxes", all)), all);
    }
    {
        Fleet servers;
        Meeting meeting(5);
        for (const auto &[node, mine] : keys) {
            servers.hook(node, [&] { EXPECT_TRUE(meeting.join()); });
        }
        const auto send = [&](const Node &node, const std::string &endpoint, const Request &request) {
            return std::async(std::launch::async, [&servers, node, endpoint, request] {
                return servers(node, endpoint, request);
            });
        };
        Client client(router, send, hashing());
        EXPECT_EQ(names(client.call("getBoxes", all)), all);
    }
}

namespace {

/// A future of somebody else's: it has `get()` and nothing more.
struct OtherFuture {
    std::function<Response()> run;
    Response get() { return run(); }
};

} // namespace

TEST(Partitioning, AnyFutureWithGetIsWaitedForAndWhatItThrowsIsTheFailure) {
    const Router router = ring(3);
    const auto keys = owned(router, 1);
    int started = 0;
    const auto send = [&](const Node &node, const std::string &, const Request &request) {
        started++;
        if (node.id == "n1") {
            throw std::runtime_error("not even started");
        }
        return OtherFuture{[&started, id = node.id, request]() -> Response {
            EXPECT_EQ(started, 3); // all before the first is waited for
            if (id == "n2") {
                throw std::runtime_error("late");
            }
            return request;
        }};
    };
    std::size_t failed = 0;
    Responses responses;
    responses.add("getBoxes", [&](std::vector<Response> successes, const std::vector<Failure> &failures) {
        failed = failures.size();
        return joined(std::move(successes));
    });
    Client client(router, send, Hashing::per_endpoint({{"getBoxes", by_address}}, {}, responses));
    EXPECT_EQ(client.call("getBoxes", {keys.at("n1")[0], keys.at("n2")[0], keys.at("n0")[0]}), keys.at("n0"));
    EXPECT_EQ(failed, 2U);
    EXPECT_EQ(started, 3);
}

TEST(Partitioning, AMissingMergerNamesTheMethodAndSendsNothing) {
    Fleet servers;
    const Router router = ring(5);
    const auto keys = owned(router, 2);
    const Request apart{keys.at("n0")[0], keys.at("n1")[0], keys.at("n0")[1]};
    Client no_request(router, servers.send(), Hashing::per_endpoint({{"getBoxes", by_address}}, {}, response_mergers()));
    Client no_response(router, servers.send(), Hashing::per_endpoint({{"getBoxes", by_address}}, request_mergers()));
    const auto request = error_of([&] { no_request.call("getBoxes", apart); });
    EXPECT_EQ(request.code(), ErrorCode::PartitioningStrategy);
    EXPECT_TRUE(has(request.what(), "getBoxes: it needs a request merger"));
    const auto response = error_of([&] { no_response.call("getBoxes", apart); });
    EXPECT_EQ(response.code(), ErrorCode::PartitioningStrategy);
    EXPECT_TRUE(has(response.what(), "getBoxes: it needs a response merger"));
    EXPECT_TRUE(servers.sent().empty());
}

TEST(Partitioning, AMergerThatThrowsIsNamedKeepsItsCauseAndTheNextCallWorks) {
    Fleet servers;
    const Router router = ring(5);
    const auto keys = owned(router, 2);
    bool request_fails = true;
    bool response_fails = true;
    Requests requests;
    requests.add("getBoxes", [&](std::vector<Request> all) {
        return request_fails ? throw std::logic_error("the cause") : joined(std::move(all));
    });
    Responses responses;
    responses.add("getBoxes", [&](std::vector<Response> all, const std::vector<Failure> &) {
        return response_fails ? throw std::logic_error("the cause") : joined(std::move(all));
    });
    Client client(router, servers.send(), Hashing::per_endpoint({{"getBoxes", by_address}}, requests, responses));
    const auto call = [&] {
        return client.call("getBoxes", {keys.at("n0")[0], keys.at("n1")[0], keys.at("n0")[1]});
    };
    for (const std::string role : {"request merger", "response merger"}) {
        try {
            call();
            FAIL() << "nothing was thrown";
        } catch (const shardway::Error &error) {
            EXPECT_EQ(error.code(), ErrorCode::PartitioningStrategy);
            EXPECT_TRUE(has(error.what(), "getBoxes: the " + role + " failed: the cause")) << error.what();
            EXPECT_THROW(std::rethrow_if_nested(error), std::logic_error);
        }
        (role == "request merger" ? request_fails : response_fails) = false;
    }
    EXPECT_EQ(call().size(), 3U);
}

TEST(Partitioning, WhatClassifySaysCountsAndOneThatThrowsCountsAsAFailure) {
    Fleet servers;
    Clock clock;
    std::vector<std::string> log;
    shardway::ClientOptions options = clock.options();
    std::function<shardway::Outcome()> verdict = [] { return shardway::Outcome::Success; };
    options.classify = [&](const std::exception_ptr &) { return verdict(); };
    options.log = [&](const std::string &line) { log.push_back(line); };
    Client client(ring(1), servers.send(), {}, options);
    servers.fail("n0");
    EXPECT_THROW(client.call("getBox", {"one"}), std::runtime_error); // a declared exception: the node lives
    verdict = [] { return shardway::Outcome::Ignored; };
    EXPECT_THROW(client.call("getBox", {"one"}), std::runtime_error);
    EXPECT_TRUE(log.empty());
    verdict = []() -> shardway::Outcome { throw std::logic_error("broken"); };
    EXPECT_THROW(client.call("getBox", {"one"}), std::runtime_error);
    ASSERT_EQ(log.size(), 2U);
    EXPECT_TRUE(has(log[0], "broken"));
    EXPECT_TRUE(has(log[1], "node n0 was marked dead at 1000 ms"));
    EXPECT_THROW(client.call("getBox", {"one"}), shardway::NodeUnavailable);
}

TEST(Partitioning, ARequestHoldsOneSnapshotFromStartToEnd) {
    Fleet servers;
    const Router router = ring(3);
    Client client(router, servers.send(), Hashing([&](const std::string &, const Request &request) {
                      router.publish(shardway::Topology::ring_v1().node("other").build());
                      return by_address(request);
                  }));
    const std::string mine = owned(router, 1).at("n1")[0];
    EXPECT_EQ(client.call("getBoxes", {mine}), (Response{mine + "@n1 size: 1"})); // which has left the ring since
    EXPECT_EQ(client.call("getBoxes", {mine}), (Response{mine + "@other size: 1"}));
}

TEST(Partitioning, AClosedClientSaysSo) {
    Fleet servers;
    Client client(ring(1), servers.send());
    client.close();
    client.close();
    EXPECT_EQ(error_of([&] { client.call("getBox", {"one"}); }).code(), ErrorCode::Closed);
}

TEST(Partitioning, EightThreadsAtOnceWhileTheTopologyChangesLoseNothing) {
    Fleet servers;
    const Router router = ring(5);
    Client client(router, servers.send(), hashing());
    std::atomic<bool> done{false};
    std::thread publisher([&] {
        for (int round = 0; !done; round++) {
            router.eject("n" + std::to_string(round % 5));
            router.revive("n" + std::to_string(round % 5));
        }
    });
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 8; caller++) {
        callers.emplace_back([&, caller] {
            for (int round = 0; round < 40; round++) {
                Request request;
                for (int key = 0; key < 12; key++) {
                    request.push_back(std::to_string(caller * 1'000 + round * 20 + key));
                }
                std::vector<std::string> got = names(client.call("getBoxes", request));
                std::sort(got.begin(), got.end());
                std::sort(request.begin(), request.end());
                EXPECT_EQ(got, request);
            }
        });
    }
    for (std::thread &caller : callers) {
        caller.join();
    }
    done = true;
    publisher.join();
}
