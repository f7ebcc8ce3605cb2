// Connections: reuse, bounds, timeouts, servers that die and come back, garbage.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Router, Topology } from "shardway";
import { CallTimeoutError, classify, ConnectError, ConnectionLostError, GarbageAnswerError, NodeBusyError, ThriftClient } from "shardway/thrift";
import { refused, rejected, routerOf as plain } from "./help.mjs";
import { address, Delivery, routerOf, Server, topologyOf } from "./servers.mjs";

const ends = [];
after(async () => {
  for (const end of ends.reverse()) await end();
});

async function start(options) {
  const server = await Server.start(options);
  ends.push(() => server.stop());
  return server;
}

function clientOf(router, options = {}) {
  const client = new ThriftClient(Delivery, router, options);
  ends.push(() => client.close());
  return client;
}

/** A server that answers each connection with what it is given. */
async function raw(act) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    act(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set();
  server.on("connection", (socket) => sockets.add(socket));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server.address();
}

const dies = { failureAccrual: { consecutiveFailures: 1 } };
const ask = (client, options) => client.call("getBox", [address("one"), 1], options);
async function fails(promise, kind) {
  const error = await rejected(promise, "ShardNotAvailable");
  assert.ok(error instanceof kind, `${error.stack}`);
  assert.deepEqual([error.node, error.endpoint], ["s0", "getBox"]);
  return error;
}

test("one connection serves calls in turn; many at once take as many as allowed", async () => {
  const server = await start();
  const client = clientOf(routerOf([server]), { maxConnections: 3 });
  for (let i = 0; i < 5; i++) await ask(client);
  assert.deepEqual(client.poolStats().get("s0"), { opened: 1, open: 1, idle: 1, waiting: 0 });
  await Promise.all(Array.from({ length: 20 }, () => ask(client)));
  assert.deepEqual(client.poolStats().get("s0"), { opened: 3, open: 3, idle: 3, waiting: 0 });
  assert.equal((await server.tell({})).connections, 3);
});

test("every transport and protocol", async () => {
  for (const transport of ["framed", "buffered"]) {
    for (const protocol of ["binary", "compact"]) {
      const server = await start({ transport, protocol });
      assert.equal((await ask(clientOf(routerOf([server]), { transport, protocol }))).item, "hi");
    }
  }
});

test("a slow answer is a failure of its node, on time, and the next call works", async () => {
  const server = await start();
  const router = routerOf([server], dies);
  const client = clientOf(router, { callTimeoutMs: 100, clockMs: () => 0 });
  await ask(client);
  await server.tell({ behave: { delayMs: 2_000 } });
  const began = performance.now();
  await fails(ask(client), CallTimeoutError);
  assert.ok(performance.now() - began < 1_500);
  await rejected(ask(client), "ShardNotAvailable"); // marked dead
  assert.equal(router.stats().ejections + router.stats().deadNodes, 0); // ownership stays without eject_failed_host
  await server.tell({ behave: {} });
  assert.equal((await ask(clientOf(routerOf([server])))).item, "hi");
});

test("nobody listens, a server dies, and comes back on its port", async () => {
  const server = await start();
  const { port } = server;
  const client = clientOf(routerOf([server]));
  await ask(client);
  await server.stop();
  await sleep(50);
  await fails(ask(client), ConnectError);
  await start({ port });
  assert.equal((await ask(client)).item, "hi");
});

test("a connection that breaks in mid-call is a failure at once; nothing is sent twice", async () => {
  const server = await start();
  const router = routerOf([server], dies);
  const client = clientOf(router);
  await server.tell({ behave: { delayMs: 5_000 } });
  const call = fails(ask(client), ConnectionLostError);
  while ((await server.tell({})).calls.length === 0) await sleep(5);
  await server.tell({ drop: true });
  await call;
  assert.equal((await server.calls()).length, 1);
  assert.notEqual(router.nextTickMs(), undefined);
});

test("garbage is told apart from silence", async () => {
  for (const bytes of [Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), Buffer.from([0, 0, 0, 4, 1, 2, 3, 4])]) {
    const { port } = await raw((socket) => socket.on("data", () => socket.write(bytes)));
    const client = clientOf(routerOf([{ port }]), { callTimeoutMs: 300 });
    const error = await rejected(ask(client), "ShardNotAvailable");
    assert.ok(error instanceof GarbageAnswerError || error instanceof CallTimeoutError, error.stack);
  }
  const { port } = await raw((socket) => socket.on("data", () => socket.write(Buffer.from("00000008800200020000000a", "hex"))));
  await fails(ask(clientOf(routerOf([{ port }]))), GarbageAnswerError);
  const { port: shut } = await raw((socket) => socket.destroy());
  await rejected(ask(clientOf(routerOf([{ port: shut }]))), "ShardNotAvailable");
});

test("too few connections: the wait is bounded and not held against the node", async () => {
  const server = await start();
  await server.tell({ behave: { delayMs: 250 } });
  const router = routerOf([server], dies);
  const client = clientOf(router, { maxConnections: 1, callTimeoutMs: 400 });
  const [first, second, third] = await Promise.allSettled([ask(client), ask(client), ask(client)]);
  assert.deepEqual([first.status, second.status], ["fulfilled", "fulfilled"]);
  assert.ok(third.reason instanceof NodeBusyError, `${third.reason}`);
  assert.equal(classify(third.reason), "ignored");
  assert.equal(router.nextTickMs(), undefined);
});

test("an abort ends the call and its connection, and says nothing of the node", async () => {
  const server = await start();
  await server.tell({ behave: { delayMs: 5_000 } });
  const router = routerOf([server], dies);
  const client = clientOf(router);
  const controller = new AbortController();
  const call = ask(client, { signal: controller.signal });
  while ((await server.tell({})).calls.length === 0) await sleep(5);
  controller.abort(new Error("never mind"));
  await assert.rejects(call, /never mind/);
  assert.equal(router.nextTickMs(), undefined);
  assert.equal(client.poolStats().get("s0").open, 0);
});

test("an argument that cannot be written is the caller's error, and the next call works", async () => {
  const server = await start();
  const router = routerOf([server], dies);
  const client = clientOf(router);
  await assert.rejects(client.service.getBox({ name: { no: "text" } }, 1), /writeString/);
  assert.equal(router.nextTickMs(), undefined);
  assert.equal((await ask(client)).item, "hi");
});

test("a node that leaves or moves loses its connections", async () => {
  const [one, two] = [await start(), await start()];
  const router = routerOf([one]);
  const client = clientOf(router);
  await ask(client);
  router.publish(topologyOf([two]));
  await ask(client);
  assert.equal((await two.calls()).length, 1);
  await sleep(20);
  assert.equal((await one.tell({})).connections, 0);
});

test("close ends every connection; a closed client refuses; unused connections go by themselves", async () => {
  const server = await start();
  const client = clientOf(routerOf([server]));
  await ask(client);
  client.close();
  client.close();
  await rejected(ask(client), "Closed");
  await sleep(20);
  assert.equal((await server.tell({})).connections, 0);
  const brief = clientOf(routerOf([server]), { idleMs: 10 });
  await ask(brief);
  await sleep(60);
  assert.deepEqual([brief.poolStats().get("s0").open, (await server.tell({})).connections], [0, 0]);
});

test("wrong arguments and options are refused", async () => {
  const router = new Router(new Topology({ nodes: [{ id: "s0", host: "127.0.0.1", port: 1 }], scheme: "ring-v1" }));
  const make = (options) => () => new ThriftClient(Delivery, router, options);
  refused(() => new ThriftClient({}, router), "InvalidArgument", "service");
  refused(() => new ThriftClient(Delivery, {}), "InvalidArgument", "router");
  refused(() => new ThriftClient(Delivery, plain(1)), "InvalidArgument", "topology");
  refused(make({ transport: "http" }), "InvalidArgument", "transport");
  refused(make({ protocol: "json" }), "InvalidArgument", "protocol");
  for (const name of ["connectTimeoutMs", "callTimeoutMs", "maxConnections"]) refused(make({ [name]: 0 }), "InvalidArgument", name);
  refused(make({ idleMs: -1 }), "InvalidArgument", "idleMs");
  refused(make({ retries: 1 }), "InvalidArgument", "options.retries");
  const client = clientOf(router);
  assert.match((await rejected(client.call("getBoxen", []), "InvalidArgument", "endpoint")).message, /getBoxes/);
  await rejected(client.call("getBox", "text"), "InvalidArgument", "args");
  assert.deepEqual(Object.keys(client.service).sort(), ["getBox", "getBoxes", "sendBox", "sendBoxes"]);
});
