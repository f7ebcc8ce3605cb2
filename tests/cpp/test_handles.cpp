// Handles, keys, topologies, lookups, health and errors: what C++ adds to the C interface.

#include "fleet.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <sstream>
#include <thread>
#include <type_traits>

using namespace shardway;
using fleet::error_of;
using fleet::has;

namespace {

Topology three() { return Topology::ring_v1().node("a").node("b").node("c").build(); }

template <class T> constexpr bool moves_cheaply = std::is_nothrow_move_constructible_v<T> &&
                                                  std::is_nothrow_copy_constructible_v<T> &&
                                                  std::is_nothrow_move_assignable_v<T> && sizeof(T) == sizeof(void *);
static_assert(moves_cheaply<Topology> && moves_cheaply<Router> && moves_cheaply<Snapshot> && moves_cheaply<Groups> &&
              moves_cheaply<PartitionMap> && moves_cheaply<PartitionTable>);
static_assert(std::is_nothrow_copy_constructible_v<Error>);
static_assert(noexcept(std::declval<const Router &>().try_route("key")));
static_assert(!std::is_convertible_v<char, KeyView> && !std::is_convertible_v<std::nullptr_t, KeyView>);
static_assert(!std::is_convertible_v<double, KeyView> && !std::is_convertible_v<std::vector<int>, KeyView>);

/// What every type with a handle does when there is none.
template <class T> void expect_closed(T moved_from, const std::string &name) {
    T taken = std::move(moved_from);
    EXPECT_TRUE(static_cast<bool>(taken));
    EXPECT_FALSE(static_cast<bool>(moved_from)); // NOLINT(bugprone-use-after-move)
    T copy = taken;
    EXPECT_EQ(copy.raw(), taken.raw());
    taken.close();
    taken.close();
    EXPECT_TRUE(static_cast<bool>(copy));
    for (const T *none : {&moved_from, &taken}) {
        const Error error = error_of([&] { (void)none->raw(); });
        EXPECT_EQ(error.code(), ErrorCode::Closed);
        EXPECT_EQ(error.place(), name);
        const T copy_of_none = *none;
        EXPECT_FALSE(static_cast<bool>(copy_of_none));
    }
    taken = copy;
    T &self = taken;
    taken = self;
    EXPECT_TRUE(static_cast<bool>(taken));
}

} // namespace

TEST(Handle, MovedFromAndClosedOnesSaySo) {
    const Router router(three());
    expect_closed(three(), "topology");
    expect_closed(Router(three()), "router");
    expect_closed(router.snapshot(), "snapshot");
    expect_closed(router.group(std::vector<std::string>{"k"}), "groups");
    expect_closed(router.snapshot().partitions(), "partitions");
    expect_closed(PartitionTable(), "partition_table");
}

TEST(Handle, EveryMethodOfAClosedRouterAndSnapshotThrowsClosed) {
    Router router(three());
    Snapshot snapshot = router.snapshot();
    const Router other(three());
    router.close();
    snapshot.close();
    const std::vector<std::string> keys{"k"};
    const std::vector<std::function<void()>> calls{
        [&] { (void)router.route("k"); },         [&] { (void)router.route(1); },
        [&] { (void)router.route_id("k"); },      [&] { (void)router.route_hash(1); },
        [&] { (void)router.replicas("k", 2); },   [&] { (void)router.group(keys); },
        [&] { (void)router.explain("k"); },       [&] { (void)router.snapshot(); },
        [&] { router.publish(other.topology()); }, [&] { router.eject("a"); },
        [&] { router.revive("a"); },              [&] { (void)router.admit("a", 1); },
        [&] { router.report("a", Outcome::Success, 1, 1); }, [&] { router.tick(1); },
        [&] { (void)router.next_tick_ms(); },     [&] { (void)router.stats(); },
        [&] { (void)router.group_hashes(std::vector<std::uint64_t>{1}); }, [&] { (void)router.revision(); },
        [&] { (void)snapshot.route("k"); },       [&] { (void)snapshot.hash("k"); },
        [&] { (void)snapshot.nodes(); },          [&] { (void)snapshot.node_id(0); },
        [&] { (void)snapshot.index_of("a"); },    [&] { (void)snapshot.is_ejected(0); },
        [&] { (void)snapshot.topology(); },       [&] { (void)snapshot.partitions(); },
        [&] { (void)snapshot.fingerprint(); },    [&] { (void)snapshot.points(); },
    };
    for (std::size_t call = 0; call < calls.size(); call++) {
        EXPECT_EQ(error_of(calls[call]).code(), ErrorCode::Closed) << call;
    }
    EXPECT_EQ(router.try_route("k").code, ErrorCode::Closed);
    EXPECT_EQ(snapshot.try_route("k").code, ErrorCode::Closed);
}

TEST(Handle, WhatIsLentLivesAsLongAsSomeCopyDoes) {
    Groups groups = Router(three()).group(std::vector<std::string>{"one", "two", "three", "four"});
    const Groups copy = groups;
    const Span<const std::uint32_t> lent = groups.indices();
    groups.close();
    EXPECT_EQ(lent.size(), 4U);
    EXPECT_EQ(std::vector<std::uint32_t>(lent.begin(), lent.end()).size(), copy.key_count());
    EXPECT_EQ(copy.snapshot().size(), 3U); // its router is gone
}

TEST(KeyOf, WhateverIsBytesIsTheSameKey) {
    const Router router(three());
    const Route wanted = router.route("k\0y");
    const std::string text = "k";
    const std::array<std::byte, 1> bytes{std::byte{'k'}};
    EXPECT_EQ(router.route(text), wanted);
    EXPECT_EQ(router.route(std::string_view("k")), wanted);
    EXPECT_EQ(router.route(bytes), wanted);
    EXPECT_EQ(router.route(std::vector<unsigned char>{'k'}), wanted);
    EXPECT_EQ(router.route(Span<const char>(text.data(), 1)), wanted);
    EXPECT_EQ(router.route(KeyView("k and more", 1)), wanted);
    EXPECT_EQ(router.route(Key("k")), wanted);
    const Snapshot snapshot = router.snapshot();
    EXPECT_NE(snapshot.hash(std::string_view("k\0y", 3)), snapshot.hash("k"));
    EXPECT_EQ(snapshot.hash(""), snapshot.hash(KeyView(nullptr, 0)));
    EXPECT_EQ(snapshot.hash("\xff\xfe"), snapshot.hash(std::vector<char>{'\xff', '\xfe'})); // no UTF-8 needed
}

TEST(KeyOf, IntegersAreTheirEightBytesOfWhateverWidth) {
    const Snapshot snapshot = Router(three()).snapshot();
    const std::string bytes("\0\0\0\0\0\0\0\x2a", 8);
    EXPECT_EQ(snapshot.hash(42), snapshot.hash(bytes));
    EXPECT_EQ(snapshot.hash(42L), snapshot.hash(bytes));
    EXPECT_EQ(snapshot.hash(42U), snapshot.hash(bytes));
    EXPECT_EQ(snapshot.hash(std::int8_t{42}), snapshot.hash(bytes));
    EXPECT_EQ(snapshot.hash(std::uint64_t{42}), snapshot.hash(bytes));
    EXPECT_EQ(snapshot.hash(-1), snapshot.hash(std::string(8, '\xff')));
    EXPECT_EQ(snapshot.hash(Key(-1)), snapshot.hash(-1));
    EXPECT_NE(snapshot.hash(42), snapshot.hash("42"));
    const Error big = error_of([&] { (void)snapshot.hash(std::uint64_t{1} << 63); });
    EXPECT_EQ(big.code(), ErrorCode::InvalidArgument);
    EXPECT_TRUE(has(big.what(), "9223372036854775808"));
    EXPECT_EQ(error_of([&] { (void)snapshot.route(true); }).code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(snapshot.try_route(true).code, ErrorCode::InvalidArgument);
}

TEST(TopologyOf, BuiltAndReadAreTheSame) {
    Node node{"a\"\\\n\x01订"};
    node.host = "10.0.0.1";
    node.port = 9090;
    node.weight = 3;
    node.shard_id = -7;
    node.zone = "z";
    const Topology topology = Topology::ring_v1()
                                  .node(node)
                                  .node("b")
                                  .key_hasher("murmur3")
                                  .num_reps(40)
                                  .weight_unit(2)
                                  .revision(9)
                                  .eject_failed_host(true)
                                  .failure_accrual({2, 10, 20, 30})
                                  .serves(-7, {1, 2})
                                  .build();
    EXPECT_EQ(topology.nodes(), (std::vector<Node>{node, Node{"b"}}));
    EXPECT_EQ(topology.revision(), 9U);
    EXPECT_EQ(Topology::from_json(topology.to_json()), topology);
    EXPECT_EQ(Topology::from_json(topology.to_json()).fingerprint(), topology.fingerprint());
    EXPECT_NE(topology, three());
    EXPECT_FALSE(three().revision());
    for (const char *part : {"murmur3", "\"num_reps\":40", "\"weight_unit\":2", "\"eject_failed_host\":true",
                             "\"consecutive_failures\":2", "\"probe_timeout_ms\":30"}) {
        EXPECT_TRUE(has(Topology::from_json(topology.to_json()).to_json(), part)) << part;
    }
    EXPECT_NE(Topology::finagle(true).node("a").build(), Topology::finagle().node("a").build());
}

TEST(TopologyOf, WhatIsWrongIsNamedWithItsPlace) {
    const Error weight = error_of([] {
        (void)Topology::ring_v1().node("a").node(Node{"b", {}, {}, 2'000'000'000}).build();
    });
    EXPECT_EQ(weight.code(), ErrorCode::InvalidTopology);
    EXPECT_EQ(weight.place(), "nodes[1].weight");
    EXPECT_TRUE(has(weight.what(), "2000000000"));
    EXPECT_EQ(error_of([] { (void)Topology::from_json(""); }).code(), ErrorCode::InvalidTopology);
    EXPECT_EQ(error_of([] { (void)three().node(3); }).code(), ErrorCode::InvalidArgument);
}

TEST(RouterOf, LookupsAgreeWithEachOther) {
    const Router router(three(), 7);
    const Snapshot snapshot = router.snapshot();
    std::vector<std::string> keys;
    std::string data;
    std::vector<std::uint32_t> offsets{0};
    std::vector<std::uint64_t> hashes;
    for (int key = 0; key < 200; key++) {
        keys.push_back("key" + std::to_string(key));
        data += keys.back();
        offsets.push_back(static_cast<std::uint32_t>(data.size()));
        hashes.push_back(snapshot.hash(keys.back()));
    }
    const Groups groups = router.group(keys);
    std::size_t seen = 0;
    std::size_t number = 0;
    for (const Group group : groups) {
        EXPECT_EQ(groups.at(number).node, group.node);
        EXPECT_EQ(groups.nodes()[number++], group.node);
        for (const std::uint32_t index : group.indices) {
            const RouteResult route = router.try_route(keys[index]);
            ASSERT_TRUE(route);
            EXPECT_EQ(route->node, group.node);
            EXPECT_EQ(router.route_hash(hashes[index]), *route);
            EXPECT_EQ(router.route_id(keys[index]), snapshot.node_id(group.node));
            EXPECT_EQ(snapshot.replicas(keys[index], 5).at(0), group.node);
            seen++;
        }
    }
    EXPECT_EQ(seen, keys.size());
    EXPECT_EQ(number, groups.size());
    for (const Groups &same : {router.group({data, offsets}), snapshot.group_hashes(hashes), snapshot.group(keys)}) {
        EXPECT_TRUE(std::equal(same.indices().begin(), same.indices().end(), groups.indices().begin(), groups.indices().end()));
        EXPECT_TRUE(std::equal(same.nodes().begin(), same.nodes().end(), groups.nodes().begin(), groups.nodes().end()));
    }
    EXPECT_EQ(router.replicas("k", 9).size(), 3U);
    EXPECT_TRUE(router.replicas("k", 0).empty());
    EXPECT_TRUE(router.group(std::vector<std::string>{}).empty());
    EXPECT_EQ(router.group(PackedKeys{}).size(), 0U);
    EXPECT_TRUE(router.group_hashes({}).empty());
    EXPECT_EQ(router.group(std::vector<int>{1, 2, 3}).key_count(), 3U);
    EXPECT_EQ(error_of([&] { (void)router.group(std::vector<Key>{"a", true}); }).code(), ErrorCode::InvalidArgument);
    const std::vector<std::uint32_t> backwards{3, 1};
    EXPECT_EQ(error_of([&] { (void)router.group({data, backwards}); }).code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error_of([&] { (void)groups.at(99); }).code(), ErrorCode::InvalidArgument);
}

TEST(RouterOf, PublishEjectAndStats) {
    const Router router(three());
    const Router same = router; // a copy is the same router
    EXPECT_EQ(same.publish(three()), Publish::Unchanged);
    EXPECT_EQ(router.publish(Topology::ring_v1().build()), Publish::KeptOld);
    EXPECT_EQ(router.publish(Topology::ring_v1().node("a").node("b").revision(5).build()), Publish::Published);
    EXPECT_EQ(error_of([&] { router.publish(Topology::ring_v1().node("a").revision(2).build()); }).code(),
              ErrorCode::StaleRevision);
    EXPECT_EQ(error_of([&] { router.publish(Topology::ring_v1().node("a").revision(5).build()); }).code(),
              ErrorCode::RevisionConflict);
    EXPECT_EQ(same.revision(), 5U);
    EXPECT_TRUE(router.eject("a"));
    EXPECT_FALSE(router.eject("a"));
    EXPECT_EQ(router.route_id("k"), "b");
    const Snapshot snapshot = router.snapshot();
    EXPECT_TRUE(snapshot.is_ejected(snapshot.index_of("a").value()));
    EXPECT_FALSE(snapshot.index_of("z"));
    EXPECT_TRUE(router.eject("b"));
    EXPECT_EQ(router.try_route("k").code, ErrorCode::ShardNotAvailable);
    EXPECT_EQ(error_of([&] { (void)router.route("k"); }).code(), ErrorCode::ShardNotAvailable);
    EXPECT_EQ(snapshot.node_id(snapshot.route("k").node), "b"); // the view has not changed
    EXPECT_TRUE(router.revive("a"));
    EXPECT_EQ(error_of([&] { router.revive("z"); }).code(), ErrorCode::UnknownNode);
    const Stats stats = router.stats();
    EXPECT_EQ(stats.ejections, 2U);
    EXPECT_EQ(stats.revivals, 1U);
    EXPECT_EQ(stats.live_nodes, 1U);
    EXPECT_EQ(stats.dead_nodes, 1U);
    EXPECT_EQ(stats.revision, 5U);
    EXPECT_EQ(stats.points, snapshot.points());
    EXPECT_EQ(stats.fingerprint, router.topology().fingerprint());
    std::ostringstream out;
    out << router.explain("k");
    EXPECT_TRUE(has(out.str(), "owner"));
    EXPECT_TRUE(has(router.explain("k").json(), "\"owner\":\"a\""));
}

TEST(Health, ANodeDiesIsProbedAndLives) {
    auto builder = Topology::ring_v1().failure_accrual({2, 1'000, 1'000, 500}).eject_failed_host(true);
    for (int node = 0; node < 20; node++) {
        builder.node("n" + std::to_string(node));
    }
    const Router router(builder.build());
    EXPECT_FALSE(router.next_tick_ms());
    EXPECT_EQ(router.admit("n0", 10), Admission::Send);
    for (int node = 0; node < 20; node++) {
        const std::string id = "n" + std::to_string(node);
        EXPECT_FALSE(router.report(id, Outcome::Ignored, 10, 11));
        EXPECT_FALSE(router.report(id, Outcome::Failure, 10, 12));
        const auto event = router.report(id, Outcome::Failure, 10, 13);
        ASSERT_TRUE(event);
        EXPECT_EQ(event->kind, EventKind::Ejected);
        EXPECT_EQ(event->node, id);
        EXPECT_EQ(event->at_ms, 13U);
        EXPECT_GT(event->until_ms, 13U);
    }
    EXPECT_EQ(router.admit("n0", 14), Admission::FailFast);
    ASSERT_TRUE(router.next_tick_ms());
    const std::vector<Event> events = router.tick(2'000); // more than are fetched at once
    EXPECT_EQ(events.size(), 20U);
    EXPECT_EQ(events.front().kind, EventKind::Probing);
    EXPECT_EQ(router.admit("n0", 2'001), Admission::Probe);
    EXPECT_EQ(router.admit("n0", 2'002), Admission::FailFast);
    EXPECT_EQ(router.report("n0", Outcome::Success, 2'001, 2'003)->kind, EventKind::Revived);
    EXPECT_EQ(router.admit("n0", 2'004), Admission::Send);
    EXPECT_EQ(error_of([&] { (void)router.admit("z", 1); }).code(), ErrorCode::UnknownNode);
    EXPECT_EQ(error_of([&] { router.report("n0", static_cast<Outcome>(9), 1, 1); }).code(), ErrorCode::InvalidArgument);
}

TEST(Partitions, MapAndTable) {
    const std::vector<Instance> instances{{5, 0, std::vector<std::int32_t>{1, 2}},
                                          {6, 9, ServesOwn{}},
                                          {7, {}, ServesOwn{}},
                                          {8, 3, ServesFailed{"it broke"}}};
    const PartitionMap map = PartitionMap::build(instances);
    EXPECT_EQ(map.ids(), (std::vector<std::int32_t>{1, 2, 9}));
    EXPECT_EQ(map.nodes_of(2)[0], 5U);
    EXPECT_EQ(map.partitions_of(5).size(), 2U);
    EXPECT_TRUE(map.partitions_of(99).empty());
    EXPECT_EQ(error_of([&] { (void)map.nodes_of(7); }).code(), ErrorCode::NoPartition);
    ASSERT_EQ(map.left_out().size(), 2U);
    EXPECT_EQ(map.left_out()[0].code, ErrorCode::NoShardId);
    EXPECT_EQ(map.left_out()[1].node, 8U);
    EXPECT_TRUE(has(map.left_out()[1].reason, "it broke"));
    EXPECT_TRUE(PartitionMap::build({}).empty());
    const PartitionTable table;
    EXPECT_TRUE(table.update(instances));
    EXPECT_FALSE(table.update({}));
    table.update_failed();
    EXPECT_EQ(table.current().size(), 3U);
    EXPECT_EQ(table.stats().update_failures, 2U);
    EXPECT_EQ(table.stats().nodes, 3U);
}

TEST(Errors, EveryCodeHasANameAndAdvice) {
    std::vector<std::string> names;
    for (const ErrorCode code : all_error_codes) {
        EXPECT_NE(std::string(name(code)), "Unknown");
        EXPECT_FALSE(std::string(advice(code)).empty());
        names.emplace_back(name(code));
    }
    EXPECT_TRUE(std::is_sorted(all_error_codes.begin(), all_error_codes.end()));
    EXPECT_EQ(names.front(), "InvalidTopology");
    EXPECT_EQ(names.back(), "Internal");
    for (std::int32_t number = 1; number < 1'000; number++) { // no code of the library is missing here
        const bool known = std::any_of(all_error_codes.begin(), all_error_codes.end(), [&](ErrorCode code) {
            return static_cast<std::int32_t>(code) == number;
        });
        EXPECT_EQ(std::string(shardway_status_name(number)) != "Unknown", known) << number;
    }
    EXPECT_EQ(version(), SHARDWAY_VERSION);
    EXPECT_EQ(abi_version(), static_cast<std::uint32_t>(SHARDWAY_ABI_VERSION));
    EXPECT_NO_THROW(check_version());
}

TEST(Threads, RoutesWhilePublishingAgreeWithTheSnapshotThatTheyName) {
    const Topology small = three();
    const Topology large = Topology::ring_v1().node("a").node("b").node("c").node("d").build();
    const Router router(small);
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 4; reader++) {
        readers.emplace_back([&, mine = router] { // a copy each
            while (!done) {
                const Snapshot snapshot = mine.snapshot();
                for (int key = 0; key < 50; key++) {
                    const Route route = mine.route(key);
                    if (route.revision == snapshot.revision()) {
                        EXPECT_EQ(route, snapshot.route(key));
                    }
                    EXPECT_LT(route.node, 4U);
                }
                const Groups groups = mine.group(std::vector<int>{1, 2, 3, 4, 5});
                EXPECT_EQ(groups.snapshot().revision(), groups.revision());
            }
        });
    }
    for (int round = 0; round < 300; round++) {
        EXPECT_EQ(router.publish(round % 2 == 0 ? large : small), Publish::Published);
    }
    done = true;
    for (std::thread &reader : readers) {
        reader.join();
    }
    EXPECT_EQ(router.revision(), 301U);
}

TEST(Topologies, EveryNativeScheme) {
    for (shardway::TopologyBuilder builder :
         {shardway::Topology::slots_v1(), shardway::Topology::slots_v1(256, 1.05), shardway::Topology::ring_v1(),
          shardway::Topology::rendezvous_v1(), shardway::Topology::profile("twemproxy-ketama")}) {
        const shardway::Topology topology = builder.node("a").node("b").build();
        EXPECT_EQ(topology, shardway::Topology::from_json(topology.to_json()));
        EXPECT_EQ(shardway::Router(topology).replicas("key", 3).size(), 2U);
    }
    try {
        (void)shardway::Topology::slots_v1(100).node("a").build();
        FAIL() << "100 is no power of two";
    } catch (const shardway::Error &error) {
        EXPECT_EQ(error.place(), "scheme.slots");
    }
}
