// One DeliveryService server, forked by thrift.test.mjs: says its port, takes how to behave, tells what it was asked.
const thrift = require("thrift");
const Delivery = require("../dist/test/gen-nodejs/DeliveryService.js");
const types = require("../dist/test/gen-nodejs/delivery_types.js");

const { transport = "framed", protocol = "binary", port = 0 } = JSON.parse(process.argv[2]);
let behaviour = {};
let calls = [];

async function enter(endpoint, names) {
  calls.push([endpoint, names]);
  const { delayMs, errorCode, crash } = behaviour;
  if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (errorCode !== undefined) throw new types.AException({ errorCode });
  if (crash) throw new Error("crash on purpose");
}

// The generated processor looks at the number of parameters: with one more it would pass a callback.
const handler = {
  async getBox(addrInfo, _passcode) {
    await enter("getBox", [addrInfo.name]);
    return new types.Box({ addrInfo, item: "hi" });
  },
  async getBoxes(listAddrInfo, _passcode) {
    await enter("getBoxes", listAddrInfo.map(({ name }) => name));
    return listAddrInfo.map((addrInfo) => new types.Box({ addrInfo, item: `size: ${listAddrInfo.length}` }));
  },
  async sendBox(box) {
    await enter("sendBox", [box.addrInfo.name]);
    return box.item;
  },
  async sendBoxes(boxes) {
    await enter("sendBoxes", boxes.map(({ addrInfo }) => addrInfo.name));
    return boxes.map(({ item }) => item).join(",");
  },
};

const server = thrift.createServer(Delivery, handler, {
  transport: transport === "framed" ? thrift.TFramedTransport : thrift.TBufferedTransport,
  protocol: protocol === "binary" ? thrift.TBinaryProtocol : thrift.TCompactProtocol,
});
const sockets = new Set();
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});
server.listen(port, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  if (message.behave !== undefined) behaviour = message.behave;
  if (message.drop) for (const socket of sockets) socket.destroy();
  const told = calls;
  if (message.forget) calls = [];
  process.send({ calls: told, connections: sockets.size });
});
