// Runs every conformance vector of tests/vectors through the C++ interface; fails on a kind it does not know, and on
// a count that is not the manifest's. The folder is the environment's SHARDWAY_VECTORS.

#include <shardway.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using nlohmann::json;
using namespace shardway;

namespace {

Topology topology_of(const json &document) { return Topology::from_json(document.dump()); }

std::string unhex(const std::string &hex) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    }
    return bytes;
}

std::int64_t number_of(const json &value) {
    return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<std::int64_t>();
}

/// A key of a vector, of the type that stands for it in C++.
Key key_of(const json &key) {
    if (key.contains("text")) {
        return key["text"].get<std::string>();
    }
    if (key.contains("hex")) {
        return unhex(key["hex"].get<std::string>());
    }
    if (key.contains("i64")) {
        return number_of(key["i64"]);
    }
    if (key.contains("i32")) {
        return static_cast<std::int32_t>(number_of(key["i32"]));
    }
    return key.at("bool").get<bool>();
}

/// The owner's name, null for ShardNotAvailable; every way to ask must agree.
json owner_of(const Router &router, const json &key) {
    const Snapshot snapshot = router.snapshot();
    if (key.contains("hash")) {
        const std::uint64_t hash = std::stoull(key["hash"].get<std::string>());
        EXPECT_EQ(router.route_hash(hash), snapshot.route_hash(hash));
        return std::string(snapshot.node_id(router.route_hash(hash).node));
    }
    const Key owned = key_of(key);
    const RouteResult result = router.try_route(owned);
    EXPECT_EQ(result.code, snapshot.try_route(owned).code);
    if (!result) {
        EXPECT_EQ(result.code, ErrorCode::ShardNotAvailable);
        return nullptr;
    }
    EXPECT_EQ(router.route(owned), *result);
    EXPECT_EQ(snapshot.route(owned), *result);
    EXPECT_EQ(router.route_hash(snapshot.hash(owned)), *result);
    EXPECT_EQ(router.route_id(owned), snapshot.node_id(result->node));
    return std::string(snapshot.node_id(result->node));
}

std::size_t hashes(const json &one) {
    const Router router(Topology::ring_v1().node("any").key_hasher(one["key_hasher"].get<std::string>()).build());
    const Snapshot snapshot = router.snapshot();
    EXPECT_EQ(one["keys"].size(), one["hashes"].size());
    for (std::size_t at = 0; at < one["keys"].size(); at++) {
        EXPECT_EQ(std::to_string(snapshot.hash(key_of(one["keys"][at]))), one["hashes"][at].get<std::string>());
    }
    return one["keys"].size();
}

std::size_t routes(const json &one) {
    const Router router(topology_of(one["topology"]));
    EXPECT_EQ(one["keys"].size(), one["owners"].size());
    for (std::size_t at = 0; at < one["keys"].size(); at++) {
        EXPECT_EQ(owner_of(router, one["keys"][at]), one["owners"][at]) << one["keys"][at];
    }
    return one["keys"].size();
}

std::size_t explain(const json &one) {
    const Router router(topology_of(one["topology"]));
    EXPECT_EQ(one["keys"].size(), one["owners"].size());
    for (std::size_t at = 0; at < one["keys"].size(); at++) {
        const Key key = key_of(one["keys"][at]);
        const json told = json::parse(router.explain(key).json());
        EXPECT_EQ(told["owner"], one["owners"][at]) << one["keys"][at];
        EXPECT_EQ(told["hash"].is_string() ? told["hash"] : json(told["hash"].dump()), one["hashes"][at]);
        EXPECT_EQ(told["point"].is_string() ? told["point"] : json(told["point"].dump()), one["points"][at]);
        EXPECT_EQ(owner_of(router, one["keys"][at]), one["owners"][at]);
    }
    return one["keys"].size();
}

std::size_t replicas(const json &one) {
    const Router router(topology_of(one["topology"]));
    const Snapshot snapshot = router.snapshot();
    EXPECT_EQ(one["keys"].size(), one["owners"].size());
    for (std::size_t at = 0; at < one["keys"].size(); at++) {
        json names = json::array();
        for (const std::uint32_t node : router.replicas(key_of(one["keys"][at]), one["n"].get<std::size_t>())) {
            names.push_back(std::string(snapshot.node_id(node)));
        }
        EXPECT_EQ(names, one["owners"][at]) << one["keys"][at];
    }
    return one["keys"].size();
}

json read(const Groups &groups) {
    json all = json::array();
    const Snapshot snapshot = groups.snapshot();
    for (const Group group : groups) {
        all.push_back({{"node", std::string(snapshot.node_id(group.node))},
                       {"indices", std::vector<std::uint32_t>(group.indices.begin(), group.indices.end())}});
    }
    return all;
}

std::size_t groups(const json &one) {
    const Router router(topology_of(one["topology"]));
    std::vector<Key> keys;
    std::vector<std::uint64_t> hashes;
    for (const json &key : one["keys"]) {
        keys.push_back(key_of(key));
        hashes.push_back(router.snapshot().hash(keys.back()));
    }
    EXPECT_EQ(read(router.group(keys)), one["groups"]);
    EXPECT_EQ(read(router.snapshot().group(keys)), one["groups"]);
    EXPECT_EQ(read(router.group_hashes(hashes)), one["groups"]);
    return std::max<std::size_t>(1, keys.size());
}

std::size_t ejections(const json &one) {
    const Router router(topology_of(one["topology"]));
    for (const json &step : one["steps"]) {
        if (step.contains("eject")) {
            router.eject(step["eject"].get<std::string>());
        } else {
            router.revive(step.at("revive").get<std::string>());
        }
        for (std::size_t at = 0; at < one["keys"].size(); at++) {
            const json wanted = step["owners"].empty() ? json(nullptr) : step["owners"].at(at); // none: no owner at all
            EXPECT_EQ(owner_of(router, one["keys"][at]), wanted) << step;
        }
    }
    return one["keys"].size() * one["steps"].size();
}

std::size_t fingerprints(const json &one) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(topology_of(one["topology"]).fingerprint()));
    EXPECT_EQ(text, one["fingerprint"].get<std::string>());
    return 1;
}

std::size_t errors(const json &one) {
    try {
        (void)Topology::from_json(one["document"].get<std::string>());
        ADD_FAILURE() << "no error: " << one["document"];
    } catch (const Error &error) {
        EXPECT_EQ(name(error.code()), one["code"].get<std::string>());
        EXPECT_EQ(error.place(), one["place"].get<std::string>());
    }
    return 1;
}

const std::map<std::string, std::size_t (*)(const json &)> kinds{
    {"hashes", hashes}, {"routes", routes},       {"explain", explain},           {"replicas", replicas},
    {"groups", groups}, {"ejections", ejections}, {"fingerprints", fingerprints}, {"errors", errors},
};

json load(const std::filesystem::path &path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    return json::parse(file);
}

} // namespace

TEST(Vectors, EveryFileOfTheManifest) {
    const char *folder = std::getenv("SHARDWAY_VECTORS");
    ASSERT_NE(folder, nullptr) << "SHARDWAY_VECTORS: the folder of the vectors";
    std::set<std::string> present;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json" && entry.path().filename() != "manifest.json") {
            present.insert(entry.path().filename().string());
        }
    }
    std::size_t total = 0;
    std::set<std::string> listed;
    const json manifest = load(std::filesystem::path(folder) / "manifest.json");
    for (const json &entry : manifest.at("files")) {
        const std::string file = entry["file"];
        listed.insert(file);
        const json vectors = load(std::filesystem::path(folder) / file);
        const auto kind = kinds.find(vectors["kind"].get<std::string>());
        ASSERT_NE(kind, kinds.end()) << file << ": unknown kind " << vectors["kind"];
        EXPECT_EQ(vectors["kind"], entry["kind"]);
        std::size_t compared = 0;
        for (const json &one : vectors["cases"]) {
            compared += kind->second(one);
            ASSERT_FALSE(HasFailure()) << file;
        }
        EXPECT_EQ(compared, entry["answers"].get<std::size_t>()) << file;
        std::printf("%s: %zu\n", file.c_str(), compared);
        total += compared;
    }
    EXPECT_EQ(listed, present);
    EXPECT_GT(total, 5'000U);
    std::printf("%zu vectors passed\n", total);
}
