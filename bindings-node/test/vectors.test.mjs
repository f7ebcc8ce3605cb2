// The conformance vectors that every language runs: tests/vectors, its layout is in the README there.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { I32, Router, Topology } from "shardway";
import { readJson, refused, VECTORS } from "./help.mjs";

const manifest = readJson("manifest.json").files;

function keyOf(form) {
  const [[kind, value]] = Object.entries(form);
  switch (kind) {
    case "text":
    case "bool":
      return value;
    case "hex":
      return Buffer.from(value, "hex");
    case "i64":
      return BigInt(value);
    case "i32":
      return new I32(value);
    default:
      return assert.fail(`unknown form of a key: ${kind}`);
  }
}

const topologyOf = (vector) => Topology.fromJson(JSON.stringify(vector.topology));
const routerOf = (vector) => new Router(topologyOf(vector));
const views = (router) => [router, router.snapshot()];
const ownerOf = (view, form) => ("hash" in form ? view.routeHash(BigInt(form.hash)) : view.route(keyOf(form)));

const runners = {
  hashes({ key_hasher: keyHasher, keys, hashes }) {
    const view = new Router(new Topology({ nodes: ["a"], scheme: "ring-v1", keyHasher })).snapshot();
    assert.deepEqual(keys.map((key) => view.hash(keyOf(key))), hashes.map(BigInt));
    return keys.length;
  },
  routes(vector) {
    for (const view of views(routerOf(vector))) {
      assert.deepEqual(vector.keys.map((key) => ownerOf(view, key)), vector.owners);
    }
    return vector.keys.length;
  },
  explain(vector) {
    const router = routerOf(vector);
    for (const [index, form] of vector.keys.entries()) {
      const { hash, point, owner } = router.explain(keyOf(form));
      assert.deepEqual([hash, point, owner], [BigInt(vector.hashes[index]), BigInt(vector.points[index]), vector.owners[index]]);
      assert.equal(router.route(keyOf(form)), owner);
    }
    return vector.keys.length;
  },
  replicas(vector) {
    for (const view of views(routerOf(vector))) {
      assert.deepEqual(vector.keys.map((key) => view.replicas(keyOf(key), vector.n)), vector.owners);
    }
    return vector.keys.length;
  },
  groups(vector) {
    const router = routerOf(vector);
    const keys = vector.keys.map(keyOf);
    const expected = vector.groups.map(({ node, indices }) => [node, indices]);
    for (const view of views(router)) {
      assert.deepEqual([...view.groupIndices(keys)], expected);
      const hashes = BigUint64Array.from(keys, (key) => router.snapshot().hash(key));
      assert.deepEqual([...view.groupHashes(hashes)], expected);
      for (const [node, own] of view.group(keys)) {
        const indices = expected.find(([name]) => name === node)[1];
        assert.ok(own.length === indices.length && own.every((key, at) => Object.is(key, keys[indices[at]])));
      }
    }
    return Math.max(keys.length, 1);
  },
  ejections(vector) {
    const router = routerOf(vector);
    let answers = 0;
    for (const step of vector.steps) {
      if ("eject" in step) router.eject(step.eject);
      else router.revive(step.revive);
      for (const [index, form] of vector.keys.entries()) {
        const key = keyOf(form);
        // null instead of a list: nobody can own any key.
        if (step.owners === null) refused(() => router.route(key), "ShardNotAvailable");
        else assert.equal(router.route(key), step.owners[index]);
        answers += 1;
      }
    }
    return answers;
  },
  fingerprints(vector) {
    assert.equal(topologyOf(vector).fingerprint.toString(16).padStart(16, "0"), vector.fingerprint);
    return 1;
  },
  errors({ document, code, place }) {
    refused(() => Topology.fromJson(document), code, place);
    return 1;
  },
};

for (const { file, kind, answers } of manifest) {
  test(`vectors: ${file}`, (context) => {
    const vectors = readJson(file);
    assert.equal(vectors.kind, kind);
    assert.ok(Object.hasOwn(runners, kind), `unknown kind ${kind}: teach it to this runner`);
    const compared = vectors.cases.reduce((sum, vector) => sum + runners[kind](vector), 0);
    context.diagnostic(`${file}: ${compared} answers compared`);
    assert.equal(compared, answers);
  });
}

test("every file of vectors is in the manifest", () => {
  const files = readdirSync(VECTORS).filter((name) => name.endsWith(".json") && name !== "manifest.json");
  assert.deepEqual(files.sort(), manifest.map(({ file }) => file).sort());
});
