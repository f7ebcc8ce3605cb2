// The hashing rules of the fan-out client, timeouts, health; test names follow the table of cases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as shardway from "shardway";
import { keysByOwner, refused, rejected, routerOf } from "./help.mjs";

const { HashingStrategy, MethodStrategies, PartitionedClient, RequestMergers, ResponseMergers } = shardway;

const join = (lists) => lists.flat();
const firstFailure = (successes, failures) => {
  if (successes.length === 0) throw failures[0].error;
  return successes.flat();
};
const byItself = (_endpoint, request) => new Map(request.map((key) => [key, [key]]));
const hashing = (merge = firstFailure, getKeys = byItself) =>
  new HashingStrategy(getKeys, {
    requestMergers: new RequestMergers().add("get", join),
    responseMergers: new ResponseMergers().add("get", merge),
  });

/** A client whose transport notes what it sends; `behave` may fail or wait. */
function clientOf(router, options = {}, behave = () => undefined) {
  const sent = [];
  const send = async (node, endpoint, request, signal) => {
    sent.push([node.id, request]);
    await behave(node, request, signal);
    return request.map((key) => `${node.id}:${key}`);
  };
  return { sent, client: new PartitionedClient(router, send, options) };
}

/** One key of each of the first `count` owners. */
const oneEach = (router, count) => [...keysByOwner(router)].slice(0, count).map(([owner, keys]) => ({ owner, keys }));

test("hashing service: grouping sticks to a node; mergers are used only where they must be", async () => {
  const router = routerOf(3);
  const [a, b] = oneEach(router, 2);
  const merged = [];
  const strategy = new HashingStrategy(byItself, {
    requestMergers: new RequestMergers().add("get", (requests) => merged.push(requests.length) && requests.flat()),
    responseMergers: new ResponseMergers().add("get", firstFailure),
  });
  const { sent, client } = clientOf(router, { strategy });
  const whole = [a.keys[0], a.keys[1]];
  await client.call("get", whole);
  assert.equal(sent[0][1], whole); // the original request, untouched
  assert.deepEqual(merged, []);
  const mixed = [b.keys[0], a.keys[0], b.keys[1]];
  const answer = await client.call("get", mixed);
  assert.deepEqual(merged, [2]);
  assert.deepEqual(sent.slice(1), [[b.owner, [b.keys[0], b.keys[1]]], [a.owner, [a.keys[0]]]]);
  assert.deepEqual(answer, [`${b.owner}:${b.keys[0]}`, `${b.owner}:${b.keys[1]}`, `${a.owner}:${a.keys[0]}`]);
});

test("hashing service: empty key list", async () => {
  for (const answer of [new Map(), {}, null, undefined, new Map([[null, 1]]), new Map([[undefined, 1]])]) {
    const { client, sent } = clientOf(routerOf(3), { strategy: hashing(firstFailure, () => answer) });
    assert.match((await rejected(client.call("get", []), "NoPartitioningKeys", "get")).message, /^get/);
    assert.equal(sent.length, 0);
  }
});

test("end to end: hashing, endpoint not specified", async () => {
  const strategy = HashingStrategy.perEndpoint({ get: (request) => ({ [request[0]]: request }) });
  const { client } = clientOf(routerOf(3), { strategy });
  assert.match((await rejected(client.call("put", ["a"]), "NoPartitioningKeys")).message, /put/);
  assert.equal((await client.call("get", ["a"])).length, 1);
});

test("end to end: hashing function throws, and the cause is kept", async () => {
  const cause = new Error("on purpose");
  const strategy = hashing(firstFailure, () => {
    throw cause;
  });
  const { client } = clientOf(routerOf(3), { strategy });
  assert.equal((await rejected(client.call("get", ["a"]), "PartitioningStrategy", "get")).cause, cause);
  for (const answer of [5, "text", ["a"], Promise.resolve({}), new Map([[1.5, 1]])]) {
    const other = clientOf(routerOf(3), { strategy: hashing(firstFailure, () => answer) });
    await rejected(other.client.call("get", ["a"]), "PartitioningStrategy");
  }
});

test("a missing merger is an error that names the method, before anything is sent", async () => {
  const router = routerOf(3);
  const [a, b] = oneEach(router, 2);
  const without = (options) => clientOf(router, { strategy: new HashingStrategy(byItself, options) });
  const noRequest = without({ responseMergers: new ResponseMergers().add("get", firstFailure) });
  const error = await rejected(noRequest.client.call("get", [a.keys[0], a.keys[1], b.keys[0]]), "PartitioningStrategy");
  assert.match(error.message, /get.*request merger/);
  const noResponse = without({});
  assert.match((await rejected(noResponse.client.call("get", [a.keys[0], b.keys[0]]), "PartitioningStrategy")).message, /response merger/);
  assert.equal(noRequest.sent.length + noResponse.sent.length, 0);
});

test("partitioning: batch with failing hosts: the merger sees the failures with node and keys", async () => {
  const router = routerOf(3);
  const [a, b] = oneEach(router, 2);
  const boom = new Error("boom");
  let seen;
  const merge = (successes, failures) => {
    seen = { successes, failures };
    return successes.flat();
  };
  const behave = (node) => {
    if (node.id === a.owner) throw boom;
  };
  const { client } = clientOf(router, { strategy: hashing(merge) }, behave);
  assert.deepEqual(await client.call("get", [a.keys[0], b.keys[0]]), [`${b.owner}:${b.keys[0]}`]);
  const [failure] = seen.failures;
  assert.deepEqual(failure, { error: boom, endpoint: "get", node: a.owner, partition: undefined, keys: [a.keys[0]], request: [a.keys[0]] });
});

test("what a merger throws or returns: an error of a part as it is, its own error as the strategy's", async () => {
  const router = routerOf(3);
  const request = oneEach(router, 2).map(({ keys }) => keys[0]);
  const boom = new Error("boom");
  const fails = () => {
    throw boom;
  };
  const call = (merge, behave) => clientOf(router, { strategy: hashing(merge) }, behave).client.call("get", request);
  await assert.rejects(call(firstFailure, fails), (error) => error === boom);
  await assert.rejects(call((_, failures) => failures[1].error, fails), (error) => error === boom);
  const own = await rejected(call(() => { throw new TypeError("bug"); }), "PartitioningStrategy", "get"); // prettier-ignore
  assert.ok(own.cause instanceof TypeError);
  await assert.rejects(call(() => new RangeError("as it is")), RangeError);
  // One part: its error is the error.
  const single = clientOf(router, { strategy: hashing() }, fails).client;
  await assert.rejects(single.call("get", [request[0]]), (error) => error === boom);
});

test("partitioning: batch with slow hosts: nothing waits for a part that is not its own", async () => {
  const router = routerOf(3);
  const [a, b] = oneEach(router, 2);
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const { client } = clientOf(router, { strategy: hashing() }, (node) => (node.id === a.owner ? gate : undefined));
  const both = client.call("get", [a.keys[0], b.keys[0]]);
  let merged = false;
  both.then(() => (merged = true));
  assert.equal((await client.call("get", [b.keys[0]])).length, 1);
  await sleep(5);
  assert.equal(merged, false);
  release();
  assert.equal((await both).length, 2);
});

test("a part that is late is a failure of its own, reported, and its signal is aborted", async () => {
  const failureAccrual = { consecutiveFailures: 1 };
  const router = routerOf(3, { failureAccrual });
  const [a, b] = oneEach(router, 2);
  let aborted;
  let seen;
  const merge = (successes, failures) => {
    seen = failures;
    return successes.flat();
  };
  const behave = (node, _request, signal) =>
    node.id === a.owner ? new Promise(() => signal.addEventListener("abort", () => (aborted = signal.reason))) : undefined;
  const { client } = clientOf(router, { strategy: hashing(merge) }, behave);
  assert.deepEqual(await client.call("get", [a.keys[0], b.keys[0]], { timeoutMs: 20 }), [`${b.owner}:${b.keys[0]}`]);
  assert.ok(seen[0].error instanceof shardway.PartTimeoutError && aborted instanceof shardway.PartTimeoutError);
  // It was marked dead, so the next request fails fast.
  const error = await rejected(client.call("get", [a.keys[0]]), "ShardNotAvailable");
  assert.ok(error instanceof shardway.NodeUnavailableError);
  assert.deepEqual(error.nodes, [a.owner]);
});

test("an abort rejects with the signal's reason and is not held against the node", async () => {
  const router = routerOf(3, { failureAccrual: { consecutiveFailures: 1 } });
  const [a] = oneEach(router, 1);
  const reasons = [];
  const behave = (_node, _request, signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reasons.push(signal.reason) && reject(signal.reason)));
  const { client } = clientOf(router, { strategy: hashing() }, behave);
  const controller = new AbortController();
  const call = client.call("get", [a.keys[0]], { signal: controller.signal });
  const why = new Error("never mind");
  controller.abort(why);
  await assert.rejects(call, (error) => error === why);
  assert.deepEqual(reasons, [why]);
  await assert.rejects(client.call("get", [a.keys[0]], { signal: controller.signal }), (error) => error === why);
  assert.equal(router.nextTickMs(), undefined);
  assert.equal(reasons.length, 1); // the second one was never sent
});

test("a closed client refuses calls, gives up those under way, and closes twice", async () => {
  const router = routerOf(3);
  const { client, sent } = clientOf(router, { strategy: hashing() }, () => new Promise(() => undefined));
  const call = client.call("get", ["a"]);
  client.close();
  client.close();
  await rejected(call, "Closed");
  await rejected(client.call("get", ["a"]), "Closed");
  assert.equal(sent.length, 1);
});

test("hashing service: a host dies, ejection on; revival, 5 hosts", async () => {
  let now = 0;
  const failureAccrual = { consecutiveFailures: 3, backoffMinMs: 100, backoffMaxMs: 100 };
  const router = routerOf(5, { ejectFailedHost: true, failureAccrual });
  const owners = keysByOwner(router);
  const [victim, keys] = [...owners][0];
  let broken = true;
  const behave = (node) => {
    if (broken && node.id === victim) throw new Error("down");
  };
  const lines = [];
  const options = { strategy: hashing(), clockMs: () => now, log: (line) => lines.push(line) };
  const { client } = clientOf(router, options, behave);
  for (let i = 0; i < 3; i++) await assert.rejects(client.call("get", [keys[0]]));
  assert.equal(lines.length, 1);
  let stats = client.stats().router;
  assert.deepEqual([stats.ejections, stats.redistributes, stats.liveNodes, stats.deadNodes], [1, 2, 4, 1]);
  for (const [owner, own] of owners) {
    const [answer] = await client.call("get", [own[0]]);
    if (owner === victim) assert.ok(!answer.startsWith(`${victim}:`));
    else assert.equal(answer, `${owner}:${own[0]}`);
  }
  broken = false;
  now = 100;
  assert.deepEqual(await client.call("get", [keys[0]]), [`${victim}:${keys[0]}`]); // its time is up: probed in passing
  stats = client.stats().router;
  assert.deepEqual([stats.revivals, stats.deadNodes], [1, 0]);
});

test("end to end: no strategy: each request goes whole to the nodes in turn", async () => {
  const { client, sent } = clientOf(routerOf(3));
  const request = ["a", "b"];
  for (let i = 0; i < 6; i++) await client.call("get", request);
  assert.deepEqual(sent.map(([node]) => node), ["n0", "n1", "n2", "n0", "n1", "n2"]);
  assert.ok(sent.every(([, whole]) => whole === request));
  await rejected(clientOf(routerOf(0)).client.call("get", []), "ShardNotAvailable");
});

test("per endpoint: hashing, custom, errored, none", async () => {
  const router = routerOf(4);
  const isRequest = Array.isArray;
  const strategy = new MethodStrategies({
    get: HashingStrategy.forEndpoint("get", (request) => ({ [request[0]]: request }), { isRequest }),
    put: shardway.CustomStrategy.forEndpoint("put", (request) => ({ 2: request })),
    bad: HashingStrategy.forEndpoint("bad", () => { throw new Error("on purpose"); }), // prettier-ignore
  });
  const { client, sent } = clientOf(router, { strategy });
  await client.call("get", ["k"]);
  await client.call("put", ["k"]);
  assert.deepEqual(sent.map(([node]) => node), [router.route("k"), "n2"]);
  await rejected(client.call("bad", ["k"]), "PartitioningStrategy", "bad");
  for (let i = 0; i < 4; i++) await client.call("other", ["k"]);
  assert.deepEqual(sent.slice(2).map(([node]) => node), ["n0", "n1", "n2", "n3"]);
  assert.match((await rejected(client.call("get", "text"), "PartitioningStrategy")).message, /wrong type/);
});

test("strategy: registries with several endpoints are chainable, and frozen by a client", () => {
  const responses = new ResponseMergers().add("a", () => 1).add("b", () => 2);
  assert.deepEqual([responses.get("a")(), responses.get("b")(), responses.get("c")], [1, 2, undefined]);
  refused(() => responses.add("a", () => 3), "InvalidArgument", "endpoint");
  refused(() => responses.add("c", 5), "InvalidArgument", "merge");
  new PartitionedClient(routerOf(1), () => 1, { strategy: new HashingStrategy(byItself, { responseMergers: responses }) });
  assert.match(refused(() => responses.add("d", () => 1), "InvalidArgument", "endpoint").message, /too late/);
});

test("classify decides what an error says; its own failure counts as one", async () => {
  const accrual = { failureAccrual: { consecutiveFailures: 1 } };
  const dead = async (classify, error) => {
    const router = routerOf(1, accrual);
    const { client } = clientOf(router, { strategy: hashing(), ...(classify && { classify }) }, () => Promise.reject(error));
    await assert.rejects(client.call("get", ["a"]));
    return router.nextTickMs() !== undefined;
  };
  const abort = new DOMException("stop", "AbortError");
  assert.deepEqual([await dead(undefined, new Error("x")), await dead(undefined, abort)], [true, false]);
  assert.deepEqual([await dead(() => "success", new Error("x")), await dead(() => "ignored", new Error("x"))], [false, false]);
  assert.deepEqual([await dead(() => "what", new Error("x")), await dead(() => { throw 1; }, new Error("x"))], [true, true]); // prettier-ignore
});

test("wrong options and arguments are refused", async () => {
  const router = routerOf(1);
  const make = (options, send = () => 1) => new PartitionedClient(router, send, options);
  refused(() => new PartitionedClient({}, () => 1), "InvalidArgument", "router");
  refused(() => make({}, 5), "InvalidArgument", "send");
  refused(() => make({ strategy: {} }), "InvalidArgument", "strategy");
  refused(() => make({ seed: -1 }), "InvalidArgument", "seed");
  for (const timeoutMs of [0, -1, NaN, "5", 86_400_001]) refused(() => make({ timeoutMs }), "InvalidArgument", "timeoutMs");
  refused(() => make({ retries: 1 }), "InvalidArgument", "options.retries");
  await rejected(make({}).call("", 1), "InvalidArgument", "endpoint");
  await rejected(make({}).call("get", 1, { signal: {} }), "InvalidArgument", "signal");
  await rejected(make({}).call("get", 1, { timeoutMs: 0 }), "InvalidArgument", "timeoutMs");
  assert.equal(await make({}).call("get", 1), 1);
});
