// The service of the end-to-end tests and of the demo: people send boxes to addresses.
// Every server answers `getBoxes` with the number of addresses that it got itself, so that a
// caller sees from the answer alone how its request was split.

namespace py delivery
namespace java io.shardway.delivery
namespace js delivery
namespace cpp shardway.delivery

exception AException {
  1: i32 errorCode
}

struct AddrInfo {
  1: string name
  2: i32 zipCode
}

struct Box {
  1: AddrInfo addrInfo
  2: string item
}

service DeliveryService {
  // The box that waits at one address; its item is "hi".
  Box getBox(1: AddrInfo addrInfo, 2: i8 passcode) throws (1: AException ex)

  // One box an address; the item is "size: N", N the addresses this server got in this call.
  list<Box> getBoxes(1: list<AddrInfo> listAddrInfo, 2: i8 passcode) throws (1: AException ex)

  // The item of the box that was sent.
  string sendBox(1: Box box)

  // The items of the boxes that were sent, joined by ",".
  string sendBoxes(1: list<Box> boxes)
}
