import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { routerOf } from "./help.mjs";

const router = routerOf(9);
const document = router.topology.toJson();
const start = (forever) => new Worker(new URL("worker.mjs", import.meta.url), { workerData: { document, forever } });
const keys = Array.from({ length: 1000 }, (_, i) => `key-${i}`);
const expected = [keys.map((key) => router.route(key)), [...router.group(keys)]];

test("main and 8 workers load it and answer alike", async () => {
  const workers = Array.from({ length: 8 }, () => start(false));
  const answers = workers.map(async (worker) => (await once(worker, "message"))[0]);
  for (let i = 0; i < 100; i++) assert.deepEqual(keys.map((key) => router.route(key)), expected[0]);
  for (const answer of await Promise.all(answers)) assert.deepEqual(answer, expected);
  await Promise.all(workers.map((worker) => worker.terminate()));
});

test("8 workers at a time, 104 in all, are terminated in mid-call; the main thread works on", async () => {
  for (let round = 0; round < 13; round++) {
    const workers = Array.from({ length: 8 }, () => start(true));
    await Promise.all(workers.map((worker) => once(worker, "message")));
    const ended = Promise.all(workers.map((worker) => worker.terminate()));
    assert.deepEqual([keys.map((key) => router.route(key)), [...router.group(keys)]], expected); // while they end
    await ended;
  }
});

test("what the collector frees is freed: routers, topologies, hot functions", () => {
  const code = `
    const { Router, Topology } = require("shardway");
    const nodes = Array.from({ length: 200 }, (_, i) => "n" + i);
    const make = () => {
      const router = new Router(new Topology({ nodes, scheme: "ring-v1" }));
      router.publish(new Topology({ nodes: nodes.slice(1), scheme: "ring-v1" }));
      router.route("x");
    };
    const rounds = async (count) => {
      for (let i = 0; i < count; i++) {
        make();
        if (i % 10 === 0) { gc(); await new Promise(setImmediate); }
      }
      return process.memoryUsage().rss / 2 ** 20;
    };
    rounds(50).then(async (before) => console.log(await rounds(400) - before));
  `;
  const grown = Number(execFileSync(process.execPath, ["--expose-gc", "-e", code]).toString());
  // Each round makes two rings of 32,000 points, 0.5 MiB and more: kept, they would be 400 MiB.
  assert.ok(grown < 80, `grew by ${grown} MiB`);
});
