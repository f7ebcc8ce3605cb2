// What several tests need.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Router, Topology } from "shardway";

export const VECTORS = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "tests", "vectors");

export const readJson = (name) => JSON.parse(readFileSync(join(VECTORS, name), "utf8"));

/** A router over nodes `n0`, `n1`, ... or the nodes given. */
export function routerOf(nodes, options = {}) {
  const list = typeof nodes === "number" ? Array.from({ length: nodes }, (_, i) => ({ id: `n${i}`, shardId: i })) : nodes;
  return new Router(new Topology({ nodes: list, scheme: "ring-v1", ...options }));
}

/** Checks that `act` throws an error of this code; gives it. */
export function refused(act, code, place) {
  let caught;
  assert.throws(act, (error) => {
    caught = error;
    assert.equal(error.code, code, `${error.stack}`);
    if (place !== undefined) assert.equal(error.place, place);
    return true;
  });
  return caught;
}

/** Checks that a promise rejects with an error of this code; gives it. */
export async function rejected(promise, code, place) {
  try {
    await promise;
  } catch (error) {
    assert.equal(error.code, code, `${error.stack}`);
    if (place !== undefined) assert.equal(error.place, place);
    return error;
  }
  return assert.fail(`expected ${code}`);
}

/** Some keys with each owner, by owner. */
export function keysByOwner(router, count = 200) {
  return router.group(Array.from({ length: count }, (_, i) => `key-${i}`));
}
