// A build with a function that panics on demand; `npm test` makes it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const native = createRequire(import.meta.url)("../dist/panic-test/shardway.node");

test("a panic is an error with the code of Internal, and the next call works", () => {
  for (let i = 0; i < 3; i++) {
    assert.throws(
      () => native.panicOnDemand(),
      (error) => error instanceof Error && error.code === "90|" && /on demand/.test(error.message),
    );
    const topology = native.topologyRead('{"format":1,"scheme":{"native":"ring-v1"},"nodes":[{"id":"a"}]}');
    assert.equal(native.snapshotRoute(native.routerSnapshot(native.routerNew(topology, 0n)), 0, Buffer.from("x")), 0);
  }
});

test("the released library has no such function, and errors of the native module become classes", async () => {
  const require = createRequire(import.meta.url);
  const { native: released, translate } = require("../dist/native.js");
  assert.equal(released.panicOnDemand, undefined);
  const error = translate(Object.assign(new Error("a panic"), { code: "90|" }));
  assert.deepEqual([error.code, error.number, error.place, error.message], ["Internal", 90, "", "a panic"]);
  assert.equal(translate(Object.assign(new Error("no string"), { code: "StringExpected" })).code, "Internal");
});

test("a handle of another kind is refused, never read", () => {
  const topology = native.topologyRead('{"format":1,"scheme":{"native":"ring-v1"},"nodes":[{"id":"a"}]}');
  for (const wrong of [topology, {}, null, undefined, 5]) {
    assert.throws(() => native.routerSnapshot(wrong));
    assert.throws(() => native.snapshotIds(wrong));
  }
});
