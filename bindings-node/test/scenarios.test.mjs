// Every scenario of tests/scenarios over a transport that is played; its README says what the data mean.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PartitionedClient, Router, State, Topology } from "shardway";
import { strategyOf, Thrown } from "./strategies.mjs";

const FOLDER = new URL("../../tests/scenarios/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
const manifest = read("manifest.json").files;
const WAIT_MS = 10_000;

class NodeError extends Error {
  constructor(outcome, message) {
    super(message);
    this.outcome = outcome;
  }
}
const OUTCOMES = { fails: "failure", declares: "success", ignored: "ignored" };
const STATS = { partition_updates: "partitionUpdates", snap_updates: "snapUpdates", update_failures: "updateFailures", left_out: "leftOut", live_nodes: "liveNodes", dead_nodes: "deadNodes" };

async function until(check) {
  for (const end = Date.now() + WAIT_MS; ; ) {
    try {
      return check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(1);
    }
  }
}

async function run(data) {
  let nowMs = 1_000;
  let sent, behaviour, release, released;
  const state = new State(data.state ?? null);
  const router = new Router(Topology.fromJson(JSON.stringify(data.topology)));
  const send = async (node, _endpoint, request) => {
    sent.push({ node: node.id, request });
    const { late, ...acts } = behaviour[node.id] ?? {};
    const done = released;
    await null;
    if (late) await done;
    for (const [act, text] of Object.entries(acts)) {
      assert.ok(Object.hasOwn(OUTCOMES, act), `unknown behaviour ${act}`);
      throw new NodeError(OUTCOMES[act], text);
    }
    return request.map((item) => `${item}@${node.id}`);
  };
  const strategy = strategyOf(data.strategy, state);
  const client = new PartitionedClient(router, send, {
    ...(strategy && { strategy }),
    classify: (error) => error.outcome ?? "failure",
    clockMs: () => nowMs,
  });
  const steps = {
    async call(step) {
      sent = [];
      behaviour = step.nodes ?? {};
      released = new Promise((resolve) => (release = resolve));
      let result, error;
      try {
        result = await client.call(step.call, step.request, step.timeout_ms === undefined ? {} : { timeoutMs: step.timeout_ms });
      } catch (raised) {
        error = raised;
      }
      const left = [...sent];
      for (const { node, request } of step.sent) {
        const at = left.findIndex((one) => [node].flat().includes(one.node) && JSON.stringify(one.request) === JSON.stringify(request));
        assert.notEqual(at, -1, `${node} should have got ${request}; sent: ${JSON.stringify(sent)}`);
        left.splice(at, 1);
      }
      assert.deepEqual(left, [], "sent and not expected");
      if (step.error !== undefined) checkError(step.error, error);
      else if (error !== undefined) throw error;
      else if (step.items !== undefined) assert.deepEqual(result.map((answer) => answer.split("@")[0]), step.items);
      else assert.deepEqual(result, step.result);
      release();
    },
    publish: ({ publish, outcome }) => assert.equal(router.publish(Topology.fromJson(JSON.stringify(publish))), outcome),
    state: (step) => state.update(step.state),
    advance_ms: (step) => (nowMs += step.advance_ms),
    tick: (step) => assert.equal(client.tick().length, step.tick),
    stats: ({ stats }) =>
      until(() => {
        const all = client.stats();
        for (const [name, value] of Object.entries(stats)) {
          const mine = STATS[name] ?? name;
          assert.equal(all[mine] ?? all.router[mine], value, name);
        }
      }),
  };
  for (const step of data.steps) {
    const kind = Object.keys(steps).find((name) => Object.hasOwn(step, name));
    assert.ok(kind, `unknown step ${JSON.stringify(step)}`);
    await steps[kind](step);
  }
  client.close();
}

function checkError(expected, error) {
  assert.ok(error, `no error, but ${JSON.stringify(expected)}`);
  if (expected.transport !== undefined) {
    assert.ok(error instanceof NodeError, error.stack);
    assert.equal(error.message, expected.transport);
    return;
  }
  assert.equal(error.code, expected.code, error.stack);
  for (const name of expected.names ?? []) assert.ok(error.message.includes(name), `${name} in ${error.message}`);
  if (expected.cause !== undefined) {
    assert.ok(error.cause instanceof Thrown);
    assert.equal(error.cause.message, expected.cause);
  }
}

test("every file of scenarios is in the manifest, with its counts", (context) => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && name !== "manifest.json").sort();
  const counts = files.map((file) => {
    const { scenarios } = read(file);
    return { file, scenarios: scenarios.length, steps: scenarios.reduce((sum, { steps }) => sum + steps.length, 0) };
  });
  assert.deepEqual(counts, manifest);
  context.diagnostic(`scenarios: ${counts.reduce((sum, { scenarios }) => sum + scenarios, 0)}`);
});

for (const { file } of manifest) {
  test(`scenarios: ${file}`, async (context) => {
    for (const data of read(file).scenarios) await context.test(data.name, () => run(data));
  });
}
