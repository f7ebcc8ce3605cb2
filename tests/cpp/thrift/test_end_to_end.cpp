// The 'end to end' rows of the reference table, over sockets: five servers of Apache Thrift as child processes. The
// server program is the environment's SHARDWAY_SERVER.

#include "delivery.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

using namespace delivery;
using shardway::ErrorCode;
using shardway::LogicalPartition;
using shardway::Node;
using shardway::Router;

namespace {

/// A server in a process of its own.
class Server {
  public:
    Server() {
        std::string folder = std::filesystem::temp_directory_path() / "shardway-server-XXXXXX";
        if (mkdtemp(folder.data()) == nullptr) {
            std::perror(folder.c_str());
            std::exit(1);
        }
        folder_ = folder;
        int input[2];
        int output[2];
        const char *program = std::getenv("SHARDWAY_SERVER");
        if (program == nullptr || pipe(input) != 0 || pipe(output) != 0) {
            std::perror("SHARDWAY_SERVER: the server program");
            std::exit(1);
        }
        pid_ = fork();
        if (pid_ == 0) {
            dup2(input[0], 0);
            dup2(output[1], 1);
            for (const int end : {input[0], input[1], output[0], output[1]}) {
                close(end);
            }
            execl(program, program, "--folder", folder_.c_str(), nullptr);
            _exit(127);
        }
        close(input[0]);
        close(output[1]);
        input_ = input[1];
        FILE *answers = fdopen(output[0], "r");
        if (std::fscanf(answers, "PORT %d", &port_) != 1) {
            std::fprintf(stderr, "%s did not tell its port\n", program);
            std::exit(1);
        }
        std::fclose(answers);
    }
    Server(const Server &) = delete;
    ~Server() {
        stop();
        std::filesystem::remove_all(folder_);
    }

    /// How it answers from now on, as tests/e2e/README.md says; an empty object: as usual.
    void behave(const std::string &behaviour) const {
        std::ofstream(folder_ / "behaviour.json.new") << behaviour;
        std::filesystem::rename(folder_ / "behaviour.json.new", folder_ / "behaviour.json");
    }

    void stop() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
            close(input_);
            pid_ = 0;
        }
    }

    [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

  private:
    std::filesystem::path folder_;
    pid_t pid_ = 0;
    int input_ = -1;
    int port_ = 0;
};

/// The five servers that all tests share.
std::vector<std::unique_ptr<Server>> &servers() {
    static std::vector<std::unique_ptr<Server>> five = [] {
        std::vector<std::unique_ptr<Server>> made;
        for (int number = 0; number < 5; number++) {
            made.push_back(std::make_unique<Server>());
        }
        return made;
    }();
    return five;
}

shardway::Topology topology(int count) {
    auto builder = shardway::Topology::ring_v1();
    for (int number = 0; number < count; number++) {
        builder.node({"s" + std::to_string(number), "127.0.0.1", servers()[number]->port(), 1, number});
    }
    return builder.build();
}

/// Sends over Thrift and keeps who was asked.
struct Transport {
    std::mutex mutex;
    std::vector<std::string> asked;

    auto send() {
        return [this](const Node &node, const std::string &, const Request &request) {
            {
                const std::lock_guard lock(mutex);
                asked.push_back(node.id);
            }
            return call(node, request);
        };
    }
};

shardway::ClientOptions options() {
    shardway::ClientOptions options;
    options.classify = classify;
    return options;
}

AddrInfo address(const std::string &name) {
    AddrInfo address;
    address.name = name;
    address.zipCode = 12'345;
    return address;
}

Box box(const std::string &name, const std::string &item) {
    Box box;
    box.addrInfo = address(name);
    box.item = item;
    return box;
}

GetBoxes get_boxes(const std::vector<std::string> &names) {
    GetBoxes request{{}, 1};
    for (const std::string &name : names) {
        request.addresses.push_back(address(name));
    }
    return request;
}

/// "name: item" of each box.
std::vector<std::string> read(const Response &response) {
    std::vector<std::string> read;
    for (const Box &one : std::get<std::vector<Box>>(response)) {
        EXPECT_EQ(one.addrInfo.zipCode, 12'345);
        read.push_back(one.addrInfo.name + " " + one.item);
    }
    return read;
}

/// `getBoxes` by the name of each address.
Keyed by_name(const Request &request) {
    const auto &get = std::get<GetBoxes>(request);
    Keyed keyed;
    for (const AddrInfo &one : get.addresses) {
        const auto found = std::find_if(keyed.begin(), keyed.end(),
                                        [&](const auto &entry) { return entry.first.bytes() == one.name; });
        auto &part = found == keyed.end() ? keyed.emplace_back(one.name, GetBoxes{{}, get.passcode}) : *found;
        std::get<GetBoxes>(part.second).addresses.push_back(one);
    }
    return keyed;
}

Hashing hashing() { return Hashing::per_endpoint({{"getBoxes", by_name}}, request_mergers(), response_mergers()); }

/// `getBoxes` by a table of names.
shardway::GetPartitions<Request> by_table(std::map<std::string, std::int32_t> table) {
    return [table](const std::string &endpoint, const Request &request) -> std::optional<Partitioned> {
        if (endpoint != "getBoxes") {
            return std::nullopt;
        }
        std::map<std::int32_t, GetBoxes> parts;
        for (const AddrInfo &one : std::get<GetBoxes>(request).addresses) {
            parts[table.at(one.name)].addresses.push_back(one);
        }
        return Partitioned(parts.begin(), parts.end());
    };
}

shardway::GetPartitions<Request> all_to(std::int32_t partition) {
    return [partition](const std::string &, const Request &request) { return Partitioned{{partition, request}}; };
}

shardway::CustomOptions<Request, Response> merging() { return {response_mergers()}; }

ErrorCode code_of(Client &client, const std::string &endpoint, const Request &request) {
    try {
        client.call(endpoint, request);
    } catch (const shardway::Error &error) {
        EXPECT_NE(std::string(error.what()).find(error.code() == ErrorCode::NoPartition ? "" : endpoint), std::string::npos);
        return error.code();
    }
    return ErrorCode::Ok;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(EndToEnd, NoStrategy) {
    Transport transport;
    Client client(Router(topology(1)), transport.send(), {}, options());
    EXPECT_EQ(read(client.call("getBoxes", get_boxes({"zero", "one", "two"}))),
              (Texts{"zero size: 3", "one size: 3", "two size: 3"}));
    EXPECT_EQ(std::get<std::string>(client.call("sendBox", SendBox{box("a", "item")})), "item");
    EXPECT_EQ(std::get<std::string>(client.call("sendBoxes", SendBoxes{{box("a", "x"), box("b", "y")}})), "x,y");
    EXPECT_EQ(std::get<Box>(client.call("getBox", GetBox{address("a"), 1})).item, "hi");
}

TEST(EndToEnd, Hashing) {
    const Router router(topology(5));
    Transport transport;
    Client client(router, transport.send(), hashing(), options());
    int apart = 0;
    int together = 0;
    for (int pair = 0; pair < 40; pair++) {
        const std::string one = "one" + std::to_string(pair);
        const std::string two = "two" + std::to_string(pair);
        const Texts boxes = read(client.call("getBoxes", get_boxes({one, two, one})));
        if (router.route_id(one) == router.route_id(two)) {
            EXPECT_EQ(boxes, (Texts{one + " size: 3", two + " size: 3", one + " size: 3"}));
            together++;
        } else {
            EXPECT_EQ(boxes, (Texts{one + " size: 2", one + " size: 2", two + " size: 1"}));
            apart++;
        }
    }
    EXPECT_GT(apart, 0);
    EXPECT_GT(together, 0);
}

TEST(EndToEnd, HashingEndpointNotSpecified) {
    Transport transport;
    Client client(Router(topology(5)), transport.send(), hashing(), options());
    EXPECT_EQ(code_of(client, "sendBox", SendBox{box("a", "x")}), ErrorCode::NoPartitioningKeys);
    EXPECT_TRUE(transport.asked.empty());
}

TEST(EndToEnd, HashingFunctionThrows) {
    Transport transport;
    Client client(Router(topology(5)), transport.send(), hashing(), options());
    EXPECT_EQ(code_of(client, "getBoxes", SendBox{}), ErrorCode::PartitioningStrategy); // std::bad_variant_access
    EXPECT_TRUE(transport.asked.empty());
}

TEST(EndToEnd, CustomEachShardAPartition) {
    Transport transport;
    Client client(Router(topology(5)), transport.send(),
                  Custom::no_resharding(by_table({{"zero", 0}, {"one", 1}, {"two", 0}}), {}, merging()), options());
    EXPECT_EQ(read(client.call("getBoxes", get_boxes({"zero", "one", "two"}))),
              (Texts{"zero size: 2", "two size: 2", "one size: 1"}));
}

TEST(EndToEnd, CustomSameRequestToFivePartitions) {
    Transport transport;
    const auto everywhere = [](const std::string &, const Request &request) {
        Partitioned parts;
        for (std::int32_t partition = 0; partition < 5; partition++) {
            parts.emplace_back(partition, request);
        }
        return parts;
    };
    Client client(Router(topology(5)), transport.send(), Custom::no_resharding(everywhere, {}, merging()), options());
    const Texts boxes = read(client.call("getBoxes", get_boxes({"zero", "one", "two"})));
    EXPECT_EQ(boxes.size(), 15U);
    for (const char *text : {"zero size: 3", "one size: 3", "two size: 3"}) {
        EXPECT_EQ(std::count(boxes.begin(), boxes.end(), text), 5);
    }
}

TEST(EndToEnd, CustomLogicalPartitions) {
    Transport transport;
    const LogicalPartition logical([](std::int32_t shard_id) -> std::vector<std::int32_t> {
        static const std::vector<std::vector<std::int32_t>> of{{0}, {0, 1}, {1}, {2}, {2}};
        return of.at(static_cast<std::size_t>(shard_id));
    });
    Client client(
        Router(topology(5)), transport.send(),
        Custom::no_resharding(by_table({{"four", 0}, {"three", 1}, {"two", 1}, {"one", 2}, {"zero", 2}}), logical,
                              merging()),
        options());
    EXPECT_EQ(read(client.call("getBoxes", get_boxes({"four", "three", "two", "one", "zero"}))),
              (Texts{"four size: 1", "three size: 2", "two size: 2", "one size: 2", "zero size: 2"}));
}

TEST(EndToEnd, CustomFunctionThrowsUnknownPartitionAndEndpointNotSet) {
    Transport transport;
    Client client(Router(topology(5)), transport.send(), Custom::no_resharding(by_table({{"lost", 9}}), {}, merging()),
                  options());
    EXPECT_EQ(code_of(client, "getBoxes", get_boxes({"unknown"})), ErrorCode::PartitioningStrategy);
    EXPECT_EQ(code_of(client, "getBoxes", get_boxes({"lost"})), ErrorCode::NoPartition);
    EXPECT_EQ(code_of(client, "sendBox", SendBox{}), ErrorCode::PartitioningStrategy);
    EXPECT_TRUE(transport.asked.empty());
}

TEST(EndToEnd, StateChangesFromZeroToOne) {
    Transport transport;
    const shardway::State<int> state(0);
    Client client(Router(topology(5)), transport.send(),
                  Custom::resharding<int>(state, [](const int &value) { return all_to(value); }), options());
    client.call("getBox", GetBox{address("a"), 1});
    state.update(1);
    client.call("getBox", GetBox{address("a"), 1});
    EXPECT_EQ(transport.asked, (Texts{"s0", "s1"}));
    EXPECT_EQ(client.stats().custom.nodes, 5U);
}

TEST(EndToEnd, ClusterGrowsFromTwoToFiveWithAnotherMapping) {
    Transport transport;
    const Router router(topology(2));
    const auto logical = [](const Custom::Nodes &nodes) -> LogicalPartition {
        const bool small = nodes.size() == 2;
        return [small](std::int32_t shard_id) { return small ? shard_id : shard_id < 2 ? 0 : 1; };
    };
    Client client(router, transport.send(),
                  Custom::cluster_resharding([](const Custom::Nodes &) { return all_to(1); }, logical), options());
    client.call("getBox", GetBox{address("a"), 1});
    EXPECT_EQ(transport.asked, (Texts{"s1"}));
    transport.asked.clear();
    router.publish(topology(5));
    for (int call = 0; call < 30; call++) {
        client.call("getBox", GetBox{address("a"), 1});
    }
    for (const std::string &node : transport.asked) {
        EXPECT_TRUE(node == "s2" || node == "s3" || node == "s4") << node;
    }
}

TEST(EndToEnd, ADeclaredExceptionIsTheErrorAndAnAnswerOfALiveServer) {
    Transport transport;
    Client client(Router(topology(1)), transport.send(), hashing(), options());
    servers()[0]->behave(R"({"error_code": 13})");
    for (int call = 0; call < 10; call++) { // more than would mark it dead
        try {
            client.call("getBoxes", get_boxes({"one"}));
            FAIL() << "nothing was thrown";
        } catch (const AException &exception) {
            EXPECT_EQ(exception.errorCode, 13);
        }
    }
    servers()[0]->behave("{}");
    EXPECT_EQ(client.call("getBoxes", get_boxes({"one"})).index(), 1U);
}

TEST(EndToEnd, AServerThatIsKilledIsAFailureOfItsPartOnly) {
    Server mortal;
    auto builder = shardway::Topology::ring_v1();
    builder.node({"s0", "127.0.0.1", servers()[0]->port()}).node({"mortal", "127.0.0.1", mortal.port()});
    const Router router(builder.failure_accrual({1, 60'000, 60'000}).build());
    Transport transport;
    Client client(router, transport.send(), hashing(), options());
    std::map<std::string, std::string> owned;
    for (int number = 0; owned.size() < 2; number++) {
        owned[router.route_id(std::to_string(number))] = std::to_string(number);
    }
    const GetBoxes both = get_boxes({owned["mortal"], owned["s0"]});
    EXPECT_EQ(read(client.call("getBoxes", both)).size(), 2U);
    mortal.stop();
    EXPECT_EQ(read(client.call("getBoxes", both)), (Texts{owned["s0"] + " size: 1"}));
    EXPECT_THROW(client.call("getBoxes", get_boxes({owned["mortal"]})), shardway::NodeUnavailable);
}
