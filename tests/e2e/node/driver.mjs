// The Thrift client of Node, driven by JSON lines: ../README.md says what they mean.
import { createInterface } from "node:readline";
import { Router, State, Topology } from "../../../bindings-node/dist/index.js";
import { ThriftClient } from "../../../bindings-node/dist/thrift/index.js";
import { strategyOf } from "../../../bindings-node/test/strategies.mjs";
import { Delivery, types } from "./delivery.mjs";

const address = (name) => new types.AddrInfo({ name, zipCode: 0 });
const box = (name) => new types.Box({ addrInfo: address(name), item: name });
const form = {
  items(endpoint, [first]) {
    const all = Array.isArray(first) ? first : [first];
    return all.map((one) => one.name ?? one.addrInfo.name);
  },
  request: (endpoint, items) =>
    ({
      getBox: () => [address(items[0]), 0],
      getBoxes: () => [items.map(address), 0],
      sendBox: () => [box(items[0])],
      sendBoxes: () => [items.map(box)],
    })[endpoint](),
  joined: (endpoint, answers) => (endpoint === "getBoxes" ? answers.flat() : answers.join(",")),
};
const topologyOf = (document) => Topology.fromJson(JSON.stringify(document));
const shown = (result) => (typeof result === "string" ? result : [result].flat().map(({ addrInfo, item }) => [addrInfo.name, item]));

function failed(error) {
  if (error instanceof types.AException) return { declared: error.errorCode };
  if (typeof error.code === "string" && typeof error.number === "number") {
    return { code: error.code, text: error.message, cause: error.cause?.message ?? null };
  }
  return { transport: String(error.message) };
}

let client, router, state;
const steps = {
  topology({ topology, strategy, state: value, options = {} }) {
    router = new Router(topologyOf(topology));
    state = new State(value ?? null);
    const made = strategyOf(strategy ?? null, state, form);
    const { timeout_ms: timeoutMs } = options;
    client = new ThriftClient(Delivery, router, { ...(made && { strategy: made }), ...(timeoutMs && { timeoutMs }) });
    return { ready: true, language: "node" };
  },
  async call({ call, request }) {
    try {
      return { result: shown(await client.call(call, form.request(call, request))) };
    } catch (error) {
      return { error: failed(error) };
    }
  },
  publish: ({ publish }) => ({ outcome: router.publish(topologyOf(publish)) }),
  state: (step) => (state.update(step.state), { ok: true }),
  eject: ({ eject }) => ({ changed: router.eject(eject) }),
  revive: ({ revive }) => ({ changed: router.revive(revive) }),
  owners: ({ owners }) => ({ owners: owners.map((key) => router.route(key)) }),
  tick: () => ({ events: client.tick().length }),
  stats() {
    const { router: own, ...mine } = client.stats();
    const names = Object.entries({ ...own, ...mine }).map(([name, value]) => [name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), typeof value === "bigint" ? String(value) : value]);
    return { stats: Object.fromEntries(names) };
  },
};

function refuse(why, line) {
  console.error(`${why}: ${line}`);
  process.exit(2);
}

function parsed(line) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return refuse("not JSON", line);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const step = parsed(line);
  const kind = Object.keys(steps).find((name) => Object.hasOwn(step, name));
  if (kind === undefined) refuse("unknown step", line);
  console.log(JSON.stringify(await steps[kind](step)));
}
client?.close();
