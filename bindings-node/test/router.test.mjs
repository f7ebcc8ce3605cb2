import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as shardway from "shardway";
import { keysByOwner, refused, routerOf } from "./help.mjs";

const { PartitionMap, Router, Topology } = shardway;

test("ES modules and CommonJS get the same classes", () => {
  const common = createRequire(import.meta.url)("shardway");
  assert.equal(common.Router, Router);
  assert.deepEqual(Object.keys(common).sort(), Object.keys(shardway).filter((name) => !["default", "module.exports", "__esModule"].includes(name)).sort());
});

test("every error code of the core has a class with its name and number", () => {
  const { native } = createRequire(import.meta.url)("../dist/native.js");
  const rows = native.errorCodes();
  assert.equal(rows.length, shardway.ERRORS_BY_NUMBER.size);
  for (const { number, name, advice } of rows) {
    const kind = shardway.ERRORS_BY_NUMBER.get(number);
    const error = new kind("text", { place: "here", cause: 5 });
    assert.deepEqual([error.code, error.number, error.name, error.place, error.cause], [name, number, `${name}Error`, "here", 5]);
    assert.ok(error instanceof shardway.ShardwayError && error instanceof Error && advice.length > 0);
  }
});

test("plain objects and the document declare the same", () => {
  const partitions = { 0: [0, 1], 5: [] };
  const made = new Topology({
    nodes: [{ id: "a", host: "h", port: 1, weight: 2, shardId: 0, zone: "z" }, "b"],
    scheme: "ring-v1",
    revision: 2n ** 60n + 1n,
    partitions,
    ejectFailedHost: true,
    failureAccrual: { consecutiveFailures: 3, backoffMinMs: 10, backoffMaxMs: 20, probeTimeoutMs: 30 },
  });
  const read = Topology.fromJson(made.toJson());
  assert.ok(made.equals(read) && made.equals(Topology.fromJson(Buffer.from(made.toJson()))));
  assert.equal(read.revision, 2n ** 60n + 1n);
  assert.deepEqual(read.nodes[0], { id: "a", host: "h", port: 1, weight: 2, shardId: 0, zone: "z" });
  assert.deepEqual([...read.partitions], [[0, [0, 1]], [5, []]]);
  assert.deepEqual([read.scheme, read.keyHasher, read.numReps, read.ejectFailedHost], ["ring-v1", "xxh3-64", 160, true]);
  const mapped = new Topology({ nodes: { a: 1, b: 2 }, scheme: { native: "ring-v1" }, partitions: new Map([[3, [1]]]) });
  assert.deepEqual(mapped.nodes.map(({ id, weight }) => [id, weight]), [["a", 1], ["b", 2]]);
  assert.equal(new Topology({ nodes: [], scheme: "finagle" }).keyHasher, "ketama");
});

test("a bad declaration is refused with the place of the document", () => {
  const bad = (options, place) => refused(() => new Topology({ nodes: ["a"], scheme: "ring-v1", ...options }), "InvalidTopology", place);
  bad({ nodes: ["a", { id: "b", weight: -1 }] }, "nodes[1].weight");
  bad({ nodes: [{ id: "a", shardId: 1.5 }] }, "nodes[0].shard_id");
  bad({ nodes: [{ id: "a", weight: NaN }] }, "nodes[0].weight");
  bad({ nodes: [{ id: "a", weight: 1n }] }, "nodes[0].weight");
  bad({ nodes: [{ id: "a", wieght: 1 }] });
  bad({ nodes: ["a", "a"] }, "nodes[1].id");
  bad({ nodes: ["\ud800"] });
  bad({ nodes: 5 }, "nodes");
  bad({ nodes: [null] }, "nodes[0]");
  bad({ scheme: "ring-v0" }, "scheme");
  bad({ numReps: 0 }, "num_reps");
  bad({ revision: -1 }, "revision");
  bad({ revision: 1.5 }, "revision");
  bad({ revision: 0 }, "revision");
  bad({ failureAccrual: { backoffMinMs: 0 } }, "failure_accrual.backoff_min_ms");
  refused(() => new Topology({ nodes: [], scheme: "ring-v1", replicas: 5 }), "InvalidArgument", "options.replicas");
  refused(() => new Topology(null), "InvalidArgument", "options");
  refused(() => Topology.fromJson(Buffer.from([0x7b, 0xff])), "InvalidTopology", "json");
  refused(() => Topology.fromJson(5), "InvalidArgument", "json");
});

test("wrong arguments are refused, and the router works on", () => {
  const router = routerOf(3);
  refused(() => new Router({}), "InvalidArgument", "topology");
  refused(() => new Router(router.topology, { seed: -1 }), "InvalidArgument", "seed");
  refused(() => router.publish("x"), "InvalidArgument", "topology");
  for (const id of [5, null, "\ud800"]) refused(() => router.eject(id), "InvalidArgument", "id");
  refused(() => router.eject("nobody"), "UnknownNode", "id");
  refused(() => router.snapshot().node("nobody"), "UnknownNode", "id");
  refused(() => router.admit("n0", -1), "InvalidArgument", "nowMs");
  refused(() => router.tick(1.5), "InvalidArgument", "nowMs");
  refused(() => router.report("n0", "great", { sentMs: 0, nowMs: 0 }), "InvalidArgument", "outcome");
  refused(() => router.report("n0", "success", { sentMs: 0 }), "InvalidArgument", "nowMs");
  refused(() => router.report("n0", "success"), "InvalidArgument", "times");
  assert.equal(router.replicas("a", 5).length, 3);
});

test("publish: revisions, names of the new topology, snapshots that stay", () => {
  const router = new Router(new Topology({ nodes: ["a"], scheme: "ring-v1", revision: 5 }));
  const old = router.snapshot();
  assert.equal(router.publish(new Topology({ nodes: ["b", "c"], scheme: "ring-v1", revision: 6 })), "published");
  assert.ok(["b", "c"].includes(router.route("x")));
  assert.deepEqual([old.route("x"), old.revision, router.revision], ["a", 5n, 6n]);
  refused(() => router.publish(new Topology({ nodes: ["z"], scheme: "ring-v1", revision: 5 })), "StaleRevision");
  refused(() => router.publish(new Topology({ nodes: ["z"], scheme: "ring-v1", revision: 6 })), "RevisionConflict");
  assert.equal(router.publish(new Topology({ nodes: ["b", "c"], scheme: "ring-v1", revision: 6 })), "unchanged");
  assert.equal(router.publish(new Topology({ nodes: [], scheme: "ring-v1" })), "kept_old");
  refused(() => new Router(new Topology({ nodes: [], scheme: "ring-v1" })).route("x"), "ShardNotAvailable");
});

test("hashing service: add 2 nodes to 3, then drop 1", () => {
  const router = routerOf(3);
  assert.equal(router.stats().redistributes, 1);
  const nodes = (...ids) => new Topology({ nodes: ids, scheme: "ring-v1" });
  router.publish(nodes("n0", "n1", "n2", "n3", "n4"));
  const before = [...keysByOwner(router)].flatMap(([owner, keys]) => keys.map((key) => [key, owner]));
  router.publish(nodes("n0", "n1", "n2", "n3"));
  for (const [key, owner] of before) if (owner !== "n4") assert.equal(router.route(key), owner);
  const { redistributes, joins, leaves } = router.stats();
  assert.deepEqual([redistributes, joins, leaves], [3, 5, 1]);
});

test("hashing service: revival, 1 host", () => {
  const accrual = { consecutiveFailures: 2, backoffMinMs: 100, backoffMaxMs: 100 };
  const router = routerOf(["only"], { ejectFailedHost: true, failureAccrual: accrual });
  const fail = (now) => router.report("only", "failure", { sentMs: now, nowMs: now });
  assert.equal(fail(1), undefined);
  const event = fail(2);
  assert.deepEqual([event.kind, event.node, event.atMs, event.untilMs], ["ejected", "only", 2, 102]);
  refused(() => router.route("x"), "ShardNotAvailable");
  assert.equal(router.nextTickMs(), 102);
  assert.deepEqual(router.tick(101), []);
  assert.deepEqual(router.tick(102).map(({ kind }) => kind), ["probing"]);
  assert.equal(router.route("x"), "only");
  assert.deepEqual([router.admit("only", 103), router.admit("only", 103)], ["probe", "fail_fast"]);
  assert.equal(router.report("only", "success", { sentMs: 103, nowMs: 104 }).kind, "revived");
  assert.deepEqual([router.admit("only", 105), router.nextTickMs(), router.stats().revivals], ["send", undefined, 1]);
});

test("partitions: both directions, what is left out, what the topology declares", () => {
  const map = new PartitionMap([
    { node: "a", shardId: 0, serves: [0, 1] },
    { node: "b", shardId: 1, serves: [1] },
    { node: "c", shardId: 7 },
    { node: "d" },
    { node: "e", shardId: 2, serves: new Error("no such shard") },
  ]);
  assert.deepEqual([map.ids, map.size, map.nodes(1), map.partitionsOf("a"), map.partitionsOf("d")], [[0, 1, 7], 3, ["a", "b"], [0, 1], []]);
  assert.deepEqual(map.leftOut.map(({ node, code }) => [node, code]), [["d", "NoShardId"], ["e", "PartitioningStrategy"]]);
  assert.match(map.leftOut[1].reason, /no such shard/);
  assert.match(refused(() => map.nodes(9), "NoPartition").message, /No partition: 9 found/);
  refused(() => map.nodes(2 ** 40), "NoPartition");
  refused(() => map.nodes("1"), "InvalidArgument", "partition");
  refused(() => new PartitionMap([{ node: "a", shardId: "0" }]), "InvalidArgument", "instances[0].shardId");
  refused(() => new PartitionMap([{ node: "a", shardId: 0, serves: [0.5] }]), "InvalidArgument", "instances[0].serves[0]");
  assert.deepEqual(routerOf(3, { partitions: { 0: [4], 1: [4, 5] } }).snapshot().partitions.nodes(4), ["n0", "n1"]);
});

test("the explanation agrees with the route, and 64-bit values are bigints", () => {
  const router = routerOf(5);
  router.eject("n1");
  const why = router.explain("user:42");
  assert.equal(why.owner, router.route("user:42"));
  assert.deepEqual([why.owner, ...why.next], router.replicas("user:42", 4));
  assert.deepEqual([why.ejected, router.snapshot().isEjected("n1"), router.snapshot().isEjected("n2")], [["n1"], true, false]);
  for (const value of [why.hash, why.position, why.point, why.revision, why.fingerprint, router.stats().fingerprint]) {
    assert.equal(typeof value, "bigint");
  }
  assert.match(why.text, /^owner {7}n/);
  assert.deepEqual([router.revive("n1"), router.revive("n1")], [true, false]);
});


test("a packed batch is grouped as its keys are", () => {
  const router = routerOf(5);
  const keys = ["", "a", "user:42", "ü", "a"];
  const parts = keys.map((key) => Buffer.from(key));
  const offsets = Uint32Array.from([0, ...parts.map((_, at) => parts.slice(0, at + 1).reduce((sum, part) => sum + part.length, 0))]);
  const data = Buffer.concat(parts);
  for (const view of [router, router.snapshot()]) assert.deepEqual([...view.groupPacked(data, offsets)], [...view.groupIndices(keys)]);
  assert.equal(router.groupPacked(data, new Uint32Array(1)).size, 0);
  for (const wrong of [new Uint32Array(0), Uint32Array.of(0, data.length + 1), Uint32Array.of(2, 1), Uint32Array.of(0, 3, 1)]) {
    refused(() => router.groupPacked(data, wrong), "InvalidArgument");
  }
  refused(() => router.groupPacked("text", offsets), "InvalidArgument", "data");
  refused(() => router.groupPacked(data, [0, 1]), "InvalidArgument", "offsets");
});

test("every native scheme by name and by its options", () => {
  const keys = Array.from({ length: 100 }, (_, i) => `key-${i}`);
  const nodes = { a: 1, b: 2, c: 3 };
  for (const scheme of ["slots-v1", "ring-v1", "rendezvous-v1", { native: "slots-v1", slots: 256, balance: 1.05 }]) {
    const topology = new Topology({ nodes, scheme });
    assert.equal(topology.scheme, scheme.native ?? scheme);
    assert.deepEqual([...new Router(topology).group(keys).keys()].sort(), ["a", "b", "c"]);
    assert.equal(Topology.fromJson(topology.toJson()).fingerprint, topology.fingerprint);
  }
  refused(() => new Topology({ nodes, scheme: { native: "slots-v1", balance: 1 } }), "InvalidTopology", "scheme.balance");
});

test("every profile by name, and the same list as the core's", async () => {
  const { PROFILES } = await import("../dist/topology.js");
  for (const scheme of PROFILES) {
    assert.equal(new Topology({ nodes: ["a", "b"], scheme }).fingerprint, new Topology({ nodes: ["a", "b"], scheme: { profile: scheme } }).fingerprint);
  }
  const { message } = refused(() => new Topology({ nodes: ["a"], scheme: { profile: "memcached" } }), "InvalidTopology", "scheme.profile");
  for (const name of PROFILES) assert.ok(message.includes(`"${name}"`), message);
  assert.equal(message.match(/"[a-z0-9-]+"/g).length, PROFILES.length + 2);
});
