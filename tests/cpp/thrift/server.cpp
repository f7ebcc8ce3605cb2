// One DeliveryService server of C++: `server --folder DIR [--port N]`. tests/e2e/README.md says what it does.

#include "DeliveryService.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TServerSocket.h>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace shardway::delivery;
namespace tt = apache::thrift;
using nlohmann::json;

class Handler : public DeliveryServiceIf {
  public:
    explicit Handler(std::string folder) : folder_(std::move(folder)) {}

    void getBox(Box &box, const AddrInfo &address, const int8_t) override {
        enter("getBox", {address.name});
        box.addrInfo = address;
        box.item = "hi";
    }

    void getBoxes(std::vector<Box> &boxes, const std::vector<AddrInfo> &addresses, const int8_t) override {
        std::vector<std::string> names;
        for (const AddrInfo &address : addresses) {
            names.push_back(address.name);
        }
        enter("getBoxes", names);
        for (const AddrInfo &address : addresses) {
            Box box;
            box.addrInfo = address;
            box.item = "size: " + std::to_string(addresses.size());
            boxes.push_back(box);
        }
    }

    void sendBox(std::string &answer, const Box &box) override {
        enter("sendBox", {box.addrInfo.name});
        answer = box.item;
    }

    void sendBoxes(std::string &answer, const std::vector<Box> &boxes) override {
        std::vector<std::string> names;
        for (const Box &box : boxes) {
            names.push_back(box.addrInfo.name);
            answer += (answer.empty() ? "" : ",") + box.item;
        }
        enter("sendBoxes", names);
    }

  private:
    /// Notes a call, then behaves as the folder says.
    void enter(const std::string &endpoint, const std::vector<std::string> &names) {
        {
            const std::lock_guard lock(mutex_);
            std::ofstream(folder_ + "/calls.jsonl", std::ios::app) << json{{"endpoint", endpoint}, {"names", names}} << "\n";
        }
        std::ifstream file(folder_ + "/behaviour.json");
        if (!file) {
            return;
        }
        const json behaviour = json::parse(file);
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(behaviour.value("delay_ms", 0), 60'000)));
        if (behaviour.value("crash", false)) {
            throw std::runtime_error("told to crash");
        }
        if (behaviour.contains("error_code")) {
            AException exception;
            exception.errorCode = behaviour["error_code"];
            throw exception;
        }
    }

    const std::string folder_;
    std::mutex mutex_;
};

/// Tells the port once the server listens.
class Ready : public tt::server::TServerEventHandler {
  public:
    explicit Ready(std::shared_ptr<tt::transport::TServerSocket> socket) : socket_(std::move(socket)) {}

    void preServe() override {
        std::printf("PORT %d\n", socket_->getPort());
        std::fflush(stdout);
    }

  private:
    std::shared_ptr<tt::transport::TServerSocket> socket_;
};

} // namespace

int main(int count, char **words) {
    std::string folder;
    int port = 0;
    for (int word = 1; word + 1 < count; word += 2) {
        if (std::string(words[word]) == "--folder") {
            folder = words[word + 1];
        } else if (std::string(words[word]) == "--port") {
            port = std::stoi(words[word + 1]);
        }
    }
    if (folder.empty()) {
        std::fputs("usage: server --folder DIR [--port N]\n", stderr);
        return 2;
    }
    std::thread([] {
        char byte = 0;
        while (read(0, &byte, 1) > 0) {
        }
        _exit(0); // the tests are over, however they ended
    }).detach();
    const auto socket = std::make_shared<tt::transport::TServerSocket>("127.0.0.1", port);
    tt::server::TThreadedServer server(std::make_shared<DeliveryServiceProcessor>(std::make_shared<Handler>(folder)), socket,
                                       std::make_shared<tt::transport::TFramedTransportFactory>(),
                                       std::make_shared<tt::protocol::TBinaryProtocolFactory>());
    server.setServerEventHandler(std::make_shared<Ready>(socket));
    server.serve();
}
