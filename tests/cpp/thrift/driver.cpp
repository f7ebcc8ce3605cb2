// The C++ client over Apache Thrift, driven by JSON lines: tests/e2e/README.md says what they mean.

#include "../strategies.hpp"
#include "delivery.hpp"

#include <iostream>
#include <map>

using namespace delivery;
using strategies::json;
using strategies::Texts;

namespace {

AddrInfo address(const std::string &name) {
    AddrInfo made;
    made.name = name;
    made.zipCode = 0;
    return made;
}

Box box(const std::string &name) {
    Box made;
    made.addrInfo = address(name);
    made.item = name;
    return made;
}

/// Requests are those of the service, answers its results.
struct Form {
    using Request = delivery::Request;
    using Response = delivery::Response;

    static Texts items(const std::string &, const Request &request) {
        Texts names;
        if (const auto *get = std::get_if<GetBox>(&request)) {
            names.push_back(get->address.name);
        } else if (const auto *all = std::get_if<GetBoxes>(&request)) {
            for (const AddrInfo &one : all->addresses) {
                names.push_back(one.name);
            }
        } else if (const auto *send = std::get_if<SendBox>(&request)) {
            names.push_back(send->box.addrInfo.name);
        } else {
            for (const Box &one : std::get<SendBoxes>(request).boxes) {
                names.push_back(one.addrInfo.name);
            }
        }
        return names;
    }

    static Request request(const std::string &endpoint, const Texts &names) {
        if (endpoint == "getBox") {
            return GetBox{address(names.at(0)), 0};
        }
        if (endpoint == "sendBox") {
            return SendBox{box(names.at(0))};
        }
        if (endpoint == "getBoxes") {
            GetBoxes get;
            for (const std::string &name : names) {
                get.addresses.push_back(address(name));
            }
            return get;
        }
        SendBoxes send;
        for (const std::string &name : names) {
            send.boxes.push_back(box(name));
        }
        return send;
    }

    static Response joined(const std::string &endpoint, std::vector<Response> answers) {
        return (*delivery::response_mergers().find(endpoint == "getBoxes" ? "getBoxes" : "sendBoxes"))(std::move(answers), {});
    }

    static Response report(const std::vector<Response> &, const json &) {
        throw std::invalid_argument("report: the driver has no such merger");
    }
};

json shown(const Response &result) {
    if (const auto *text = std::get_if<std::string>(&result)) {
        return *text;
    }
    json boxes = json::array();
    const auto add = [&](const Box &one) { boxes.push_back({one.addrInfo.name, one.item}); };
    if (const auto *one = std::get_if<Box>(&result)) {
        add(*one);
    } else {
        for (const Box &each : std::get<std::vector<Box>>(result)) {
            add(each);
        }
    }
    return boxes;
}

json failed() {
    try {
        throw;
    } catch (const AException &declared) {
        return {{"declared", declared.errorCode}};
    } catch (const shardway::Error &ours) {
        const auto cause = strategies::cause_of(ours);
        return {{"code", shardway::name(ours.code())}, {"text", ours.what()}, {"cause", cause ? json(*cause) : json()}};
    } catch (const std::exception &error) {
        return {{"transport", error.what()}};
    }
}

shardway::Topology topology(const json &document) { return shardway::Topology::from_json(document.dump()); }

class Driver {
  public:
    explicit Driver(const json &first)
        : state_(first.value("state", json())), router_(topology(first.at("topology"))),
          custom_(first.at("strategy").dump().find("\"custom\"") != std::string::npos),
          client_(router_, [](const shardway::Node &node, const std::string &, const Request &request) { return delivery::call(node, request); },
                  strategies::Maker<Form>::make(first.at("strategy"), state_), options()) {}

    json answer(const json &step) {
        if (step.contains("call")) {
            const std::string endpoint = step["call"];
            try {
                return {{"result", shown(client_.call(endpoint, Form::request(endpoint, step.at("request"))))}};
            } catch (...) {
                return {{"error", failed()}};
            }
        }
        if (step.contains("publish")) {
            static const std::map<shardway::Publish, std::string> names = {{shardway::Publish::Published, "published"},
                                                                           {shardway::Publish::Unchanged, "unchanged"},
                                                                           {shardway::Publish::KeptOld, "kept_old"}};
            return {{"outcome", names.at(router_.publish(topology(step["publish"])))}};
        }
        if (step.contains("state")) {
            state_.update(step["state"]);
            return {{"ok", true}};
        }
        if (step.contains("eject")) {
            return {{"changed", router_.eject(step["eject"].get<std::string>())}};
        }
        if (step.contains("revive")) {
            return {{"changed", router_.revive(step["revive"].get<std::string>())}};
        }
        if (step.contains("owners")) {
            json owners = json::array();
            for (const std::string key : step["owners"]) {
                owners.push_back(router_.route_id(key));
            }
            return {{"owners", owners}};
        }
        if (step.contains("tick")) {
            return {{"events", client_.tick().size()}};
        }
        if (step.contains("stats")) {
            return {{"stats", stats()}};
        }
        throw std::invalid_argument("unknown step: " + step.dump());
    }

  private:
    static shardway::ClientOptions options() {
        shardway::ClientOptions options;
        options.classify = classify;
        return options;
    }

    json stats() {
        const shardway::ClientStats all = client_.stats();
        json names = {{"redistributes", all.router.redistributes}, {"joins", all.router.joins},
                      {"leaves", all.router.leaves},               {"ejections", all.router.ejections},
                      {"revivals", all.router.revivals},           {"live_nodes", all.router.live_nodes},
                      {"dead_nodes", all.router.dead_nodes},       {"revision", all.router.revision},
                      {"points", all.router.points},               {"partition_updates", all.router.partition_updates},
                      {"snap_updates", all.router.snap_updates},   {"update_failures", all.router.update_failures},
                      {"nodes", all.router.nodes}};
        if (custom_) {
            names.update(json{{"partition_updates", all.custom.partition_updates},
                              {"snap_updates", all.custom.snap_updates},
                              {"update_failures", all.custom.update_failures},
                              {"nodes", all.custom.nodes},
                              {"left_out", all.custom.left_out}});
        }
        return names;
    }

    shardway::State<json> state_;
    shardway::Router router_;
    bool custom_;
    Client client_;
};

} // namespace

int main() {
    apache::thrift::GlobalOutput.setOutputFunction([](const char *) {}); // errors arrive as exceptions
    std::unique_ptr<Driver> driver;
    try {
        for (std::string line; std::getline(std::cin, line);) {
            const json step = json::parse(line);
            if (driver == nullptr) {
                driver = std::make_unique<Driver>(step);
                std::cout << R"({"ready": true, "language": "cpp"})" << std::endl;
            } else {
                std::cout << driver->answer(step) << std::endl;
            }
        }
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    return 0;
}
