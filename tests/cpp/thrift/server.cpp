// A server of tests/delivery.thrift for the end-to-end tests: writes its port to standard output, serves until standard
// input ends. `getBoxes` answers with the number of addresses that it got itself.

#include "DeliveryService.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TServerSocket.h>

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace shardway::delivery;
namespace tt = apache::thrift;

class Handler : public DeliveryServiceIf {
  public:
    void getBox(Box &box, const AddrInfo &address, const int8_t passcode) override {
        refuse(passcode);
        box.addrInfo = address;
        box.item = "hi";
    }

    void getBoxes(std::vector<Box> &boxes, const std::vector<AddrInfo> &addresses, const int8_t passcode) override {
        refuse(passcode);
        for (const AddrInfo &address : addresses) {
            Box box;
            box.addrInfo = address;
            box.item = "size: " + std::to_string(addresses.size());
            boxes.push_back(box);
        }
    }

    void sendBox(std::string &answer, const Box &box) override { answer = box.item; }

    void sendBoxes(std::string &answer, const std::vector<Box> &boxes) override {
        for (const Box &box : boxes) {
            answer += (answer.empty() ? "" : ",") + box.item;
        }
    }

  private:
    /// Passcode 13 is answered with the declared exception.
    static void refuse(int8_t passcode) {
        if (passcode == 13) {
            AException exception;
            exception.errorCode = 13;
            throw exception;
        }
    }
};

/// Tells the port once the server listens.
class Ready : public tt::server::TServerEventHandler {
  public:
    explicit Ready(std::shared_ptr<tt::transport::TServerSocket> socket) : socket_(std::move(socket)) {}

    void preServe() override {
        std::printf("%d\n", socket_->getPort());
        std::fflush(stdout);
    }

  private:
    std::shared_ptr<tt::transport::TServerSocket> socket_;
};

} // namespace

int main() {
    std::thread([] {
        char byte = 0;
        while (read(0, &byte, 1) > 0) {
        }
        _exit(0); // the tests are over, however they ended
    }).detach();
    const auto socket = std::make_shared<tt::transport::TServerSocket>("127.0.0.1", 0);
    tt::server::TThreadedServer server(std::make_shared<DeliveryServiceProcessor>(std::make_shared<Handler>()), socket,
                                       std::make_shared<tt::transport::TFramedTransportFactory>(),
                                       std::make_shared<tt::protocol::TBinaryProtocolFactory>());
    server.setServerEventHandler(std::make_shared<Ready>(socket));
    server.serve();
}
