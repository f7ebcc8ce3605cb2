// End to end over real Thrift servers; test names follow the table of cases.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, beforeEach, test } from "node:test";
import { CustomStrategy, HashingStrategy, MethodStrategies, RequestMergers, ResponseMergers, State } from "shardway";
import { ThriftClient } from "shardway/thrift";
import { rejected } from "./help.mjs";
import { address, box, Delivery, routerOf, sizes, startAll, topologyOf, types } from "./servers.mjs";

let servers;
const clients = [];
before(async () => {
  servers = await startAll(5);
});
beforeEach(() => Promise.all(servers.map((server) => server.tell({ behave: {}, forget: true }))));
after(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
});

const concatenate = (successes, failures) => {
  if (successes.length === 0) throw failures[0].error;
  return successes.flat();
};
const responseMergers = () =>
  new ResponseMergers().add("getBoxes", concatenate).add("sendBoxes", (successes, failures) => {
    if (successes.length === 0) throw failures[0].error;
    return successes.join(";");
  });
const requestMergers = () =>
  new RequestMergers()
    .add("getBoxes", (requests) => [requests.flatMap(([addresses]) => addresses), requests[0][1]])
    .add("sendBoxes", (requests) => [requests.flatMap(([boxes]) => boxes)]);
const hashing = (cases) => HashingStrategy.perEndpoint(cases, { requestMergers: requestMergers(), responseMergers: responseMergers() });

/** By name; the same name twice is one key with two addresses. */
function byName([addresses, passcode]) {
  const parts = new Map();
  for (const one of addresses) parts.set(one.name, [[...(parts.get(one.name)?.[0] ?? []), one], passcode]);
  return parts;
}
const boxesByName = ([boxes]) => new Map(boxes.map((one) => [one.addrInfo.name, [[one]]]));

function clientOf(router, strategy, options = {}) {
  const client = new ThriftClient(Delivery, router, { ...(strategy && { strategy }), ...options });
  clients.push(client);
  return client;
}
const addresses = (...names) => names.map(address);
const calls = (...which) => Promise.all(which.map((server) => server.calls()));

test("end to end: no strategy", async () => {
  const { service } = clientOf(routerOf(servers.slice(0, 1)));
  assert.deepEqual(sizes(await service.getBoxes(addresses("one", "two", "three"), 1)), ["one", "two", "three"].map((name) => [name, "size: 3"]));
  assert.equal((await service.getBox(address("one"), 1)).item, "hi");
  assert.equal(await service.sendBox(box("one", "a")), "a");
  assert.equal(await service.sendBoxes([box("one", "a"), box("two", "b")]), "a,b");
});

test("end to end: hashing", async () => {
  const router = routerOf(servers);
  const strategy = hashing({
    getBox: ([one, passcode]) => ({ [one.name]: [one, passcode] }),
    getBoxes: byName,
    sendBox: ([one]) => ({ [one.addrInfo.name]: [one] }),
    sendBoxes: boxesByName,
  });
  const { service } = clientOf(router, strategy);
  const names = Array.from({ length: 100 }, (_, i) => `name-${i}`);
  const two = names.find((name) => router.route(name) !== router.route("one"));
  const same = names.find((name) => router.route(name) === router.route("one"));
  const split = sizes(await service.getBoxes(addresses("one", two, "one"), 1));
  assert.deepEqual(split, [["one", "size: 2"], ["one", "size: 2"], [two, "size: 1"]]);
  const [mine] = (await calls(servers[Number(router.route("one").slice(1))]));
  assert.deepEqual(mine, [["getBoxes", ["one", "one"]]]);
  const together = sizes(await service.getBoxes(addresses("one", same, "one"), 1));
  assert.deepEqual(together, [["one", "size: 3"], [same, "size: 3"], ["one", "size: 3"]]);
  assert.equal((await service.getBox(address("one"), 1)).item, "hi");
  assert.equal(await service.sendBox(box("one", "a")), "a");
  assert.equal(await service.sendBoxes([box("one", "a"), box(two, "b")]), "a;b");
  assert.equal(await service.sendBoxes([box("one", "a"), box(same, "b")]), "a,b");
});

test("end to end: hashing: every key goes to the server that the ring says", async () => {
  const router = routerOf(servers);
  const { service } = clientOf(router, hashing({ getBoxes: byName }));
  const names = Array.from({ length: 300 }, (_, i) => `key-${i}`);
  await service.getBoxes(names.map(address), 1);
  const got = await calls(...servers);
  const expected = router.group(names);
  for (const [index, asked] of got.entries()) {
    assert.deepEqual(asked, [["getBoxes", expected.get(`s${index}`)]]);
  }
});

test("end to end: hashing, endpoint not specified", async () => {
  const { service } = clientOf(routerOf(servers), hashing({ getBoxes: byName }));
  assert.match((await rejected(service.getBox(address("one"), 1), "NoPartitioningKeys")).message, /getBox/);
});

test("end to end: hashing function throws", async () => {
  const strategy = hashing({ getBoxes: () => { throw new Error("on purpose"); } }); // prettier-ignore
  await rejected(clientOf(routerOf(servers), strategy).service.getBoxes(addresses("one"), 1), "PartitioningStrategy");
});

const custom = (cases, options = {}) =>
  CustomStrategy.noResharding((endpoint, request) => cases[endpoint]?.(request), { responseMergers: responseMergers(), ...options });
/** Addresses to partitions by a table of names. */
const byTable = (table) => ([list, passcode]) => {
  const parts = new Map();
  for (const one of list) {
    const id = table[one.name];
    parts.set(id, [[...(parts.get(id)?.[0] ?? []), one], passcode]);
  }
  return parts;
};

test("end to end: custom, each shard a partition", async () => {
  const { service } = clientOf(routerOf(servers.slice(0, 2)), custom({ getBoxes: byTable({ zero: 0, one: 1, two: 0 }) }));
  const boxes = sizes(await service.getBoxes(addresses("zero", "one", "two"), 1));
  assert.deepEqual(boxes, [["zero", "size: 2"], ["two", "size: 2"], ["one", "size: 1"]]);
  assert.deepEqual(await calls(...servers.slice(0, 2)), [[["getBoxes", ["zero", "two"]]], [["getBoxes", ["one"]]]]);
});

test("end to end: custom, same request to 5 partitions", async () => {
  const { service } = clientOf(routerOf(servers), custom({ getBoxes: (request) => new Map([0, 1, 2, 3, 4].map((id) => [id, request])) }));
  const boxes = sizes(await service.getBoxes(addresses("one", "two", "three"), 1));
  assert.equal(boxes.length, 15);
  for (const name of ["one", "two", "three"]) {
    assert.deepEqual(boxes.filter(([one]) => one === name), Array(5).fill([name, "size: 3"]));
  }
});

test("end to end: custom, logical partitions p0{0,1} p1{1,2} p2{3,4}", async () => {
  const logicalPartition = (shard) => [[0], [0, 1], [1], [2], [2]][shard];
  const table = { zero: 2, one: 2, two: 1, three: 1, four: 0 };
  const { service } = clientOf(routerOf(servers), custom({ getBoxes: byTable(table) }, { logicalPartition }));
  const boxes = sizes(await service.getBoxes(addresses("four", "three", "two", "one", "zero"), 1));
  const expected = [["four", "size: 1"], ["three", "size: 2"], ["two", "size: 2"], ["one", "size: 2"], ["zero", "size: 2"]];
  assert.deepEqual(boxes, expected);
  const got = await calls(...servers);
  assert.deepEqual([got[0].length + got[1].length + got[2].length, got[3].length + got[4].length], [2, 1]);
});

test("end to end: custom function throws; unknown logical partition; endpoint not set", async () => {
  const strategy = custom({
    getBox: () => { throw new Error("on purpose"); }, // prettier-ignore
    getBoxes: (request) => ({ 9: request }),
  });
  const { service } = clientOf(routerOf(servers), strategy);
  await rejected(service.getBox(address("one"), 1), "PartitioningStrategy");
  await rejected(service.getBoxes(addresses("one"), 1), "NoPartition");
  await rejected(service.sendBox(box("one", "a")), "PartitioningStrategy");
});

test("end to end: state changes 0 -> 1; no more connections than before", async () => {
  const state = new State(0);
  const client = clientOf(routerOf(servers.slice(0, 2)), CustomStrategy.resharding((id) => (_, request) => ({ [id]: request }), { state }));
  await client.service.getBox(address("one"), 1);
  state.update(1);
  await client.service.getBox(address("one"), 1);
  state.update(0);
  await client.service.getBox(address("one"), 1);
  const [zero, one] = await calls(...servers.slice(0, 2));
  assert.deepEqual([zero.length, one.length], [2, 1]);
  assert.deepEqual([...client.poolStats()].map(([node, { opened, idle }]) => [node, opened, idle]), [["s0", 1, 1], ["s1", 1, 1]]);
});

test("end to end: cluster grows 2 -> 5 with another mapping", async () => {
  const router = routerOf(servers.slice(0, 2));
  const strategy = CustomStrategy.clusterResharding(() => (_, request) => ({ 1: request }), {
    logicalPartition: (nodes) => (shard) => (nodes.size === 2 ? shard : shard < 2 ? 0 : 1),
  });
  const { service } = clientOf(router, strategy);
  for (let i = 0; i < 3; i++) await service.getBox(address("one"), 1);
  assert.deepEqual((await calls(...servers)).map(({ length }) => length), [0, 3, 0, 0, 0]);
  router.publish(topologyOf(servers));
  for (let i = 0; i < 12; i++) await service.getBox(address("one"), 1);
  const after = (await calls(...servers)).map(({ length }) => length);
  assert.deepEqual(after.slice(0, 2), [0, 0]);
  assert.equal(after[2] + after[3] + after[4], 12);
});

test("per endpoint: hashing, custom, errored, none", async () => {
  const router = routerOf(servers.slice(0, 3));
  const strategy = new MethodStrategies({
    getBox: HashingStrategy.forEndpoint("getBox", ([one, passcode]) => ({ [one.name]: [one, passcode] })),
    getBoxes: CustomStrategy.forEndpoint("getBoxes", (request) => ({ 2: request })),
    sendBox: HashingStrategy.forEndpoint("sendBox", () => { throw new Error("on purpose"); }), // prettier-ignore
  });
  const { service } = clientOf(router, strategy);
  await service.getBox(address("one"), 1);
  assert.equal((await servers[Number(router.route("one").slice(1))].calls()).length, 1);
  await service.getBoxes(addresses("one", "two"), 1);
  assert.deepEqual(await servers[2].calls(), [["getBoxes", ["one", "two"]]]);
  await rejected(service.sendBox(box("one", "a")), "PartitioningStrategy");
  for (let i = 0; i < 3; i++) assert.equal(await service.sendBoxes([box("one", "a"), box("two", "b")]), "a,b");
  assert.deepEqual((await calls(...servers.slice(0, 3))).map(({ length }) => length), [1, 1, 1]);
});

test("a declared exception is an answer: it arrives as it is, and the node stays alive", async () => {
  const router = routerOf(servers.slice(0, 1), { failureAccrual: { consecutiveFailures: 1 } });
  const { service } = clientOf(router, hashing({ getBoxes: byName }));
  await servers[0].tell({ behave: { errorCode: 7 } });
  await assert.rejects(service.getBoxes(addresses("one"), 1), (error) => error instanceof types.AException && error.errorCode === 7);
  await servers[0].tell({ behave: { crash: true } });
  const { Thrift } = createRequire(import.meta.url)("thrift");
  await assert.rejects(service.getBoxes(addresses("one"), 1), (error) => error instanceof Thrift.TApplicationException);
  assert.equal(router.nextTickMs(), undefined);
});

test("partitioning: batch with failing hosts: a declared exception reaches the merger as a failure", async () => {
  const strategy = custom({ getBoxes: byTable({ zero: 0, one: 1 }) });
  const { service } = clientOf(routerOf(servers.slice(0, 2)), strategy);
  await servers[0].tell({ behave: { errorCode: 7 } });
  assert.deepEqual(sizes(await service.getBoxes(addresses("zero", "one"), 1)), [["one", "size: 1"]]);
  await servers[1].tell({ behave: { errorCode: 8 } });
  await assert.rejects(service.getBoxes(addresses("one", "zero"), 1), (error) => error.errorCode === 8);
});
