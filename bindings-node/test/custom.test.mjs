// Logical partitions and resharding; test names follow the table of cases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CustomStrategy, PartitionedClient, perEndpoint, ResponseMergers, State, Topology } from "shardway";
import { refused, rejected, routerOf } from "./help.mjs";

const merge = (successes, failures) => {
  if (successes.length === 0) throw failures[0].error;
  return successes.flat();
};
const responseMergers = () => new ResponseMergers().add("get", merge);
const topologyOf = (count, more = (node) => node) =>
  new Topology({ nodes: Array.from({ length: count }, (_, i) => more({ id: `n${i}`, shardId: i })), scheme: "ring-v1" });

function clientOf(router, strategy, options = {}) {
  const sent = [];
  const send = async (node, _endpoint, request) => {
    sent.push(node.id);
    return [`${node.id}:${request}`];
  };
  return { sent, client: new PartitionedClient(router, send, { strategy, ...options }) };
}

const fixed = (getPartitions, options = {}) => CustomStrategy.noResharding(getPartitions, { responseMergers: responseMergers(), ...options });

test("end to end: custom, each shard a partition", async () => {
  const { client } = clientOf(routerOf(2), fixed(() => new Map([[1, "b"], [0, "a"]])));
  assert.deepEqual(await client.call("get", "ab"), ["n1:b", "n0:a"]);
  const later = clientOf(routerOf(2), fixed(async () => ({ 0: "a" })));
  assert.deepEqual(await later.client.call("get", "a"), ["n0:a"]);
});

test("end to end: custom, same request to 5 partitions", async () => {
  const { client } = clientOf(routerOf(5), fixed((_, request) => Object.fromEntries([0, 1, 2, 3, 4].map((id) => [id, request]))));
  assert.deepEqual(await client.call("get", "x"), [0, 1, 2, 3, 4].map((id) => `n${id}:x`));
});

test("end to end: custom, logical partitions p0{0,1} p1{1,2} p2{3,4}", async () => {
  const logicalPartition = (shard) => [[0], [0, 1], [1], [2], [2]][shard];
  const { client, sent } = clientOf(routerOf(5), fixed((_, id) => ({ [id]: id }), { logicalPartition, pick: "round_robin" }));
  for (const id of [0, 0, 1, 1, 2, 2]) await client.call("get", id);
  assert.deepEqual(sent, ["n0", "n1", "n1", "n2", "n3", "n4"]);
  assert.equal(client.stats().nodes, 3);
});

test("end to end: custom function throws; answers of the wrong form", async () => {
  const cause = new Error("on purpose");
  for (const act of [() => { throw cause; }, () => Promise.reject(cause)]) { // prettier-ignore
    const { client } = clientOf(routerOf(2), fixed(act));
    assert.equal((await rejected(client.call("get", 1), "PartitioningStrategy", "get")).cause, cause);
  }
  for (const answer of [{}, new Map(), 5, { one: 1 }, new Map([["1", 1]]), new Map([[1.5, 1]]), [1]]) {
    const { client, sent } = clientOf(routerOf(2), fixed(() => answer));
    await rejected(client.call("get", 1), "PartitioningStrategy", "get");
    assert.equal(sent.length, 0);
  }
});

test("end to end: custom, unknown logical partition; with others it is a failure among them", async () => {
  const { client } = clientOf(routerOf(2), fixed((_, ids) => new Map(ids.map((id) => [id, id]))));
  assert.match((await rejected(client.call("get", [9]), "NoPartition")).message, /No partition: 9 found/);
  await rejected(client.call("get", [2 ** 40]), "NoPartition");
  assert.deepEqual(await client.call("get", [9, 1]), ["n1:1"]);
});

test("end to end: custom, endpoint not set", async () => {
  const { client } = clientOf(routerOf(2), fixed(perEndpoint({ get: () => ({ 0: 1 }) })));
  assert.match((await rejected(client.call("put", 1), "PartitioningStrategy", "put")).message, /check that it is defined/);
  assert.deepEqual(await client.call("get", 1), ["n0:1"]);
  const bare = CustomStrategy.noResharding(() => ({ 0: 1, 1: 1 }));
  assert.match((await rejected(clientOf(routerOf(2), bare).client.call("get", 1), "PartitioningStrategy")).message, /response merger/);
});

test("end to end: state changes 0 -> 1", async () => {
  const state = new State(0);
  const { client, sent } = clientOf(routerOf(2), CustomStrategy.resharding((value) => () => ({ [value]: "x" }), { state }));
  await client.call("get", 1);
  state.update(1);
  await client.call("get", 1);
  assert.deepEqual(sent, ["n0", "n1"]);
  const { snapUpdates, partitionUpdates, updateFailures, nodes } = client.stats();
  assert.deepEqual([snapUpdates, partitionUpdates, updateFailures, nodes], [2, 1, 0, 2]);
  client.close();
  state.update(0); // nobody watches any more
  assert.equal(state.version, 2);
});

test("node manager: reshard on state: a failing state keeps the last good view", async () => {
  const state = new State(0);
  const lines = [];
  const getPartitions = (value) => {
    if (value < 0) throw new Error("bad state");
    return () => ({ [value]: "x" });
  };
  const { client, sent } = clientOf(routerOf(3), CustomStrategy.resharding(getPartitions, { state }), { log: (line) => lines.push(line) });
  state.update(-1);
  await client.call("get", 1);
  state.update(2);
  await client.call("get", 1);
  assert.deepEqual([sent, client.stats().updateFailures, lines.length], [["n0", "n2"], 1, 1]);
  const neverGood = clientOf(routerOf(3), CustomStrategy.resharding(getPartitions, { state: new State(-1) }));
  await rejected(neverGood.client.call("get", 1), "PartitioningStrategy");
});

test("node manager: reshard on state: a request never mixes an old function with a new map", async () => {
  const router = routerOf(2);
  const state = new State("old");
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const strategy = CustomStrategy.resharding((value) => async () => {
    if (value === "old") await gate;
    return { 0: value };
  }, { state, logicalPartition: (value) => (shard) => (value === "old" ? shard : 1 - shard) }); // prettier-ignore
  const { client } = clientOf(router, strategy);
  const old = client.call("get", 1);
  state.update("new");
  assert.deepEqual(await client.call("get", 1), ["n1:new"]);
  release();
  assert.deepEqual(await old, ["n0:old"]);
});

test("end to end: cluster grows 2 -> 5 with another mapping", async () => {
  const router = routerOf(2);
  const strategy = CustomStrategy.clusterResharding(() => () => ({ 1: "x" }), {
    logicalPartition: (nodes) => (shard) => (nodes.size === 2 ? shard : shard < 2 ? 0 : 1),
  });
  const { client, sent } = clientOf(router, strategy);
  for (let i = 0; i < 3; i++) await client.call("get", 1);
  assert.deepEqual(new Set(sent), new Set(["n1"]));
  router.publish(topologyOf(5));
  sent.length = 0;
  for (let i = 0; i < 30; i++) await client.call("get", 1);
  assert.deepEqual(new Set(sent), new Set(["n2", "n3", "n4"]));
});

test("node manager: remove / add a partition", async () => {
  const router = routerOf(5);
  const { client } = clientOf(router, fixed((_, id) => ({ [id]: id })));
  await client.call("get", 4);
  assert.equal(client.stats().nodes, 5);
  router.publish(topologyOf(4));
  await rejected(client.call("get", 4), "NoPartition");
  router.publish(topologyOf(6));
  assert.deepEqual(await client.call("get", 5), ["n5:5"]);
  assert.equal(client.stats().nodes, 6);
});

test("node manager: add a node to / remove from a partition: it goes with its last", async () => {
  const router = routerOf(3);
  const { client, sent } = clientOf(router, fixed((_, id) => ({ [id]: id }), { logicalPartition: (shard) => Math.floor(shard / 2) }));
  await client.call("get", 1);
  router.publish(topologyOf(4));
  for (let i = 0; i < 30; i++) await client.call("get", 1);
  assert.deepEqual(new Set(sent), new Set(["n2", "n3"]));
  router.publish(topologyOf(2));
  await rejected(client.call("get", 1), "NoPartition");
});

test("node manager: weight change: a rebuild happens", () => {
  const router = routerOf(2);
  let evaluated = 0;
  const logicalPartition = (shard) => (evaluated++, shard);
  const { client } = clientOf(router, fixed(() => ({ 0: 1 }), { logicalPartition }));
  const before = evaluated;
  router.publish(topologyOf(2, (node) => ({ ...node, weight: 3 })));
  assert.equal(client.stats().snapUpdates, 2);
  assert.equal(evaluated, before + 2);
});

test("node manager: address set emptied: the old map is kept; a real change rebuilds", async () => {
  const router = routerOf(2);
  const { client } = clientOf(router, fixed(() => ({ 1: "x" })));
  assert.equal(router.publish(topologyOf(0)), "kept_old");
  assert.deepEqual(await client.call("get", 1), ["n1:x"]);
  router.publish(topologyOf(2, ({ id }) => ({ id }))); // all without a shard id: the map would be empty
  assert.deepEqual(await client.call("get", 1), ["n1:x"]);
  assert.equal(client.stats().updateFailures, 1);
  router.publish(topologyOf(3));
  assert.equal(client.stats().nodes, 3);
});

test("node manager: mapping throws for some shards: others are served", async () => {
  const lines = [];
  const logicalPartition = (shard) => {
    if (shard === 1) throw new Error("no such shard");
    return shard;
  };
  const { client } = clientOf(routerOf(3), fixed((_, id) => ({ [id]: "x" }), { logicalPartition }), { log: (line) => lines.push(line) });
  assert.deepEqual(await client.call("get", 2), ["n2:x"]);
  await rejected(client.call("get", 1), "NoPartition");
  assert.deepEqual([client.stats().leftOut, lines.length], [1, 1]);
  assert.match(lines[0], /PartitioningStrategy: instance n1/);
});

test("node manager: empty server set at the start", async () => {
  await rejected(clientOf(routerOf(0), fixed(() => ({ 0: 1 }))).client.call("get", 1), "NoPartition");
});

test("node manager: a partition's instances are equivalent: p2c avoids a busy one, a dead one is passed over", async () => {
  const router = routerOf(2, { failureAccrual: { consecutiveFailures: 1 } });
  const logicalPartition = () => 0;
  const sent = [];
  const send = (node, _endpoint, request) => {
    sent.push(node.id);
    return request === "hang" ? new Promise(() => undefined) : request === "fail" ? Promise.reject(new Error("down")) : node.id;
  };
  const client = new PartitionedClient(router, send, { strategy: fixed((_, request) => ({ 0: request }), { logicalPartition }) });
  const hanging = client.call("get", "hang");
  hanging.catch(() => undefined);
  const busy = sent[0];
  for (let i = 0; i < 20; i++) assert.notEqual(await client.call("get", "x"), busy);
  await assert.rejects(client.call("get", "fail"));
  assert.equal(await client.call("get", "x"), busy); // the other one is marked dead
  client.close();
  await rejected(hanging, "Closed");
});

test("a strategy that is late: nothing is sent, then or later", async () => {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const { client, sent } = clientOf(routerOf(2), fixed(() => gate));
  await rejected(client.call("get", 1, { timeoutMs: 10 }), "PartitioningStrategy", "get");
  release({ 0: 1 });
  await gate;
  await new Promise(setImmediate);
  assert.equal(sent.length, 0);
});

test("State tells its watchers in order, through errors and nested updates", () => {
  const state = new State("a");
  const told = [];
  const end = state.watch(() => told.push(`1${state.value}`));
  state.watch(() => {
    told.push(`2${state.value}`);
    if (state.value === "b") state.update("c");
    if (state.value === "bad") throw new Error("watcher");
  });
  state.update("b");
  assert.deepEqual(told, ["1b", "2b", "1c", "2c"]);
  assert.throws(() => state.update("bad"), /watcher/);
  end();
  end();
  state.update("d");
  assert.equal(told.at(-1), "2d");
  assert.deepEqual(told.slice(-2), ["2bad", "2d"]);
});

test("wrong descriptions are refused", () => {
  refused(() => CustomStrategy.noResharding(5), "InvalidArgument", "getPartitions");
  refused(() => CustomStrategy.noResharding(() => 1, { pick: "random" }), "InvalidArgument", "pick");
  refused(() => CustomStrategy.noResharding(() => 1, { state: 1 }), "InvalidArgument", "options.state");
  refused(() => CustomStrategy.resharding(() => 1, { state: 5 }), "InvalidArgument", "state");
  refused(() => CustomStrategy.clusterResharding(() => 1, { logicalPartition: 5 }), "InvalidArgument", "logicalPartition");
  refused(() => CustomStrategy.forEndpoint("", () => 1), "InvalidArgument", "endpoint");
  refused(() => perEndpoint({ get: 5 }), "InvalidArgument", "cases.get");
});
