// A partition-aware client of tests/delivery.thrift over Apache Thrift: an example of a transport. A request is one of
// the service's calls, an answer one of its results. Each part opens a connection; a program would keep a pool.
#pragma once

#include "DeliveryService.h"

#include <shardway.hpp>

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace delivery {

using shardway::delivery::AddrInfo;
using shardway::delivery::AException;
using shardway::delivery::Box;
using shardway::delivery::DeliveryServiceClient;

struct GetBox {
    AddrInfo address;
    std::int8_t passcode = 0;
};
struct GetBoxes {
    std::vector<AddrInfo> addresses;
    std::int8_t passcode = 0;
};
struct SendBox {
    Box box;
};
struct SendBoxes {
    std::vector<Box> boxes;
};

using Request = std::variant<GetBox, GetBoxes, SendBox, SendBoxes>;
using Response = std::variant<Box, std::vector<Box>, std::string>;
using Client = shardway::PartitionedClient<Request, Response>;
using Hashing = shardway::HashingStrategy<Request, Response>;
using Custom = shardway::CustomStrategy<Request, Response>;
using Keyed = shardway::KeyedRequests<Request>;
using Partitioned = shardway::PartitionedRequests<Request>;
using Failures = std::vector<shardway::PartFailure<Request>>;

/// Calls one server.
inline Response call(const shardway::Node &node, const Request &request) {
    namespace tt = apache::thrift;
    const auto socket = std::make_shared<tt::transport::TSocket>(node.host.value(), node.port.value());
    socket->setConnTimeout(5'000);
    socket->setRecvTimeout(5'000);
    const auto transport = std::make_shared<tt::transport::TFramedTransport>(socket);
    DeliveryServiceClient client(std::make_shared<tt::protocol::TBinaryProtocol>(transport));
    transport->open();
    if (const auto *get = std::get_if<GetBox>(&request)) {
        Box box;
        client.getBox(box, get->address, get->passcode);
        return box;
    }
    if (const auto *get = std::get_if<GetBoxes>(&request)) {
        std::vector<Box> boxes;
        client.getBoxes(boxes, get->addresses, get->passcode);
        return boxes;
    }
    std::string answer;
    if (const auto *send = std::get_if<SendBox>(&request)) {
        client.sendBox(answer, send->box);
    } else {
        client.sendBoxes(answer, std::get<SendBoxes>(request).boxes);
    }
    return answer;
}

/// A declared exception is the answer of a live server.
inline shardway::Outcome classify(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const AException &) {
        return shardway::Outcome::Success;
    } catch (...) {
        return shardway::Outcome::Failure;
    }
}

/// `getBoxes` requests are concatenated, the first one's passcode stays; so are `sendBoxes` requests.
inline shardway::RequestMergers<Request> request_mergers() {
    shardway::RequestMergers<Request> mergers;
    mergers
        .add("getBoxes",
             [](std::vector<Request> requests) -> Request {
                 GetBoxes all{{}, std::get<GetBoxes>(requests.front()).passcode};
                 for (const Request &request : requests) {
                     const auto &addresses = std::get<GetBoxes>(request).addresses;
                     all.addresses.insert(all.addresses.end(), addresses.begin(), addresses.end());
                 }
                 return all;
             })
        .add("sendBoxes", [](std::vector<Request> requests) -> Request {
            SendBoxes all;
            for (const Request &request : requests) {
                const auto &boxes = std::get<SendBoxes>(request).boxes;
                all.boxes.insert(all.boxes.end(), boxes.begin(), boxes.end());
            }
            return all;
        });
    return mergers;
}

/// `getBoxes` answers are concatenated, `sendBoxes` answers joined by ","; with no success the first failure is thrown.
inline shardway::ResponseMergers<Request, Response> response_mergers() {
    shardway::ResponseMergers<Request, Response> mergers;
    mergers
        .add("getBoxes",
             [](std::vector<Response> successes, const Failures &failures) -> Response {
                 if (successes.empty()) {
                     failures.front().raise();
                 }
                 std::vector<Box> all;
                 for (const Response &response : successes) {
                     const auto &boxes = std::get<std::vector<Box>>(response);
                     all.insert(all.end(), boxes.begin(), boxes.end());
                 }
                 return all;
             })
        .add("sendBoxes", [](std::vector<Response> successes, const Failures &failures) -> Response {
            if (successes.empty()) {
                failures.front().raise();
            }
            std::string all;
            for (const Response &response : successes) {
                all += (all.empty() ? "" : ",") + std::get<std::string>(response);
            }
            return all;
        });
    return mergers;
}

} // namespace delivery
