// One DeliveryService server of Node, a process of its own on loopback; the same command line as ../server.py.
//
//   node server.mjs --folder DIR [--port N]
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Delivery, thrift, types } from "./delivery.mjs";

const { folder, port } = parseArgs({ options: { folder: { type: "string" }, port: { type: "string", default: "0" } } }).values;

function behaviour() {
  try {
    return JSON.parse(readFileSync(join(folder, "behaviour.json"), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return {};
    throw error;
  }
}

async function enter(endpoint, names) {
  appendFileSync(join(folder, "calls.jsonl"), `${JSON.stringify({ endpoint, names })}\n`);
  const { delay_ms: delayMs = 0, crash = false, error_code: errorCode } = behaviour();
  await sleep(Math.min(delayMs, 60_000));
  if (crash) throw new Error("told to crash");
  if (errorCode !== undefined) throw new types.AException({ errorCode });
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

const server = thrift.createServer(Delivery, handler, { transport: thrift.TFramedTransport, protocol: thrift.TBinaryProtocol });
server.listen(Number(port), "127.0.0.1", () => console.log(`PORT ${server.address().port}`));
process.stdin.on("end", () => process.exit()).resume();
