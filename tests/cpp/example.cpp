/* The smallest use: who owns a key, the keys of a batch by owner, and a request that is split, sent and merged. */

#include <shardway.hpp>

#include <iostream>
#include <string>
#include <vector>

int main() {
    const shardway::Router router(
        shardway::Topology::ring_v1().node("alpha").node("beta").node({"gamma", {}, {}, 2}).build());
    std::cout << router.route_id("user:42") << " owns user:42\n";

    const std::vector<std::string> keys{"one", "two", "three", "four"};
    const shardway::Groups groups = router.group(keys);
    const shardway::Snapshot snapshot = groups.snapshot();
    for (const shardway::Group group : groups) {
        std::cout << snapshot.node_id(group.node) << " gets";
        for (const std::uint32_t index : group.indices) {
            std::cout << ' ' << keys[index];
        }
        std::cout << '\n';
    }

    using Users = std::vector<std::string>;
    const auto concat = [](std::vector<Users> parts) {
        Users all;
        for (const Users &part : parts) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    };
    shardway::RequestMergers<Users> requests;
    requests.add("get", concat);
    shardway::ResponseMergers<Users, Users> responses;
    responses.add("get", [=](std::vector<Users> answers, const std::vector<shardway::PartFailure<Users>> &failures) {
        if (answers.empty()) {
            failures.front().raise();
        }
        return concat(answers);
    });
    const shardway::HashingStrategy<Users, Users> strategy(
        [](const std::string &, const Users &users) {
            shardway::KeyedRequests<Users> keyed;
            for (const std::string &user : users) {
                keyed.emplace_back(user, Users{user});
            }
            return keyed;
        },
        requests, responses);
    // Your transport: a value, or anything whose get() waits for one.
    const auto send = [](const shardway::Node &node, const std::string &, const Users &users) {
        Users answer;
        for (const std::string &user : users) {
            answer.push_back(user + " from " + node.id);
        }
        return answer;
    };
    shardway::PartitionedClient<Users, Users> client(router, send, strategy);
    for (const std::string &user : client.call("get", keys)) {
        std::cout << user << '\n';
    }
    try {
        client.call("get", {});
    } catch (const shardway::Error &error) {
        std::cout << shardway::name(error.code()) << ": " << error.what() << '\n';
    }
}
