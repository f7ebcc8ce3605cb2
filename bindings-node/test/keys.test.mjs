import assert from "node:assert/strict";
import { test } from "node:test";
import { I32 } from "shardway";
import { refused, routerOf } from "./help.mjs";

const router = routerOf(7);
const view = router.snapshot();
const jvm = routerOf(7, { scheme: { profile: "finagle", thriftKeys: true } });
const be = (value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
};

test("text is its UTF-8, on every way in", () => {
  const texts = ["", "\ufffd", "a\ufffdb", "r".repeat(1019), "r".repeat(1020), "r".repeat(1023), "r".repeat(1024), "a", "user:42", "ünïcode", "订单", "😀", "x".repeat(47) + "é", "y".repeat(48), "z".repeat(49)];
  texts.push("w".repeat(4096), "w".repeat(4097), "é".repeat(2000), "😀".repeat(1000), "é".repeat(5000), "a\0b");
  for (const text of texts) {
    const owner = view.route(Buffer.from(text));
    assert.equal(router.route(text), owner);
    assert.equal(router.route(Buffer.from(text)), owner);
    assert.equal(view.route(text), owner);
    assert.deepEqual([...router.group([text]).keys()], [owner]);
    assert.deepEqual([...router.group(["ü", text]).entries()].flatMap(([o, keys]) => (keys.includes(text) ? [o] : [])), [owner]);
  }
});

test("integers are eight big-endian bytes, whatever their type", () => {
  for (const value of [0n, 1n, -1n, 255n, -256n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 32n, 2n ** 53n - 1n, 1n - 2n ** 53n]) {
    const hash = view.hash(be(value));
    assert.equal(view.hash(value), hash);
    assert.equal(view.hash(Number(value)), hash);
    assert.equal(router.route(Number(value)), view.route(be(value)));
    assert.equal(router.route(value), view.route(be(value)));
    assert.deepEqual([...router.group([value]).keys()], [view.route(be(value))]);
  }
  for (const value of [2n ** 63n - 1n, -(2n ** 63n)]) assert.equal(view.hash(value), view.hash(be(value)));
  assert.equal(view.hash(new I32(-5)), view.hash(-5));
  assert.equal(view.hash(-0), view.hash(0));
});

test("the JVM tells Integer, Long, Boolean and String apart", () => {
  const at = jvm.snapshot();
  assert.notEqual(at.hash(new I32(-5)), at.hash(-5));
  assert.equal(at.hash(true), at.hash(new I32(1231)));
  const keys = [true, new I32(-5), -5n, "text", Buffer.from("text"), false, 7];
  const expected = keys.map((key) => at.route(key));
  assert.deepEqual(keys.map((key) => jvm.route(key)), expected);
  for (const [owner, indices] of jvm.groupIndices(keys)) for (const i of indices) assert.equal(expected[i], owner);
});

test("what is no key is refused with a code and a place", () => {
  const wrong = [undefined, null, 1.5, NaN, Infinity, 2 ** 53, {}, [], Symbol("x"), () => 1, new Date(), new ArrayBuffer(2), true];
  wrong.push(2n ** 63n, -(2n ** 63n) - 1n, "\ud800", "a\udc00b", "\udc00\ud800", `${"x".repeat(60)}\ud800`, `${"x".repeat(5000)}\ud800`);
  wrong.push(new Uint16Array(2));
  for (const key of wrong) {
    refused(() => router.route(key), "InvalidArgument", "key");
    refused(() => view.route(key), "InvalidArgument", "key");
    refused(() => router.replicas(key, 2), "InvalidArgument", "key");
    refused(() => router.explain(key), "InvalidArgument", "key");
    refused(() => router.group(["a", key]), "InvalidArgument", "keys[1]");
  }
  // Two lone halves do not make a whole.
  refused(() => router.group(["\ud83d", "\ude00"]), "InvalidArgument", "keys[0]");
  assert.match(refused(() => router.route("ab\ud800"), "InvalidArgument").message, /U\+D800 at UTF-16 unit 2/);
  assert.equal(typeof router.route("works after all that"), "string");
});

test("a batch of anything but keys is refused", () => {
  for (const keys of ["text", 5, null, undefined, {}]) refused(() => router.group(keys), "InvalidArgument", "keys");
  assert.equal(router.group([]).size, 0);
  assert.equal(router.group(new Set(["a", "b"])).size > 0, true);
  refused(() => router.groupHashes([1n]), "InvalidArgument", "hashes");
  for (const hash of [-1, -1n, 2n ** 64n, 1.5, "1", null]) refused(() => router.routeHash(hash), "InvalidArgument", "hash");
  for (const n of [-1, 1.5, "1", NaN, 2 ** 32]) refused(() => router.replicas("a", n), "InvalidArgument", "n");
  refused(() => new I32(2 ** 31), "InvalidArgument", "value");
});

test("group is route, key by key, in order of first appearance", () => {
  const keys = Array.from({ length: 2000 }, (_, i) => [`k${i}`, i, BigInt(i), Buffer.from([i, i >> 8])][i % 4]);
  for (const batch of [keys, keys.map((_, i) => `plain-${i % 700}`), keys.map((_, i) => `ü-${i}`)]) {
    const expected = new Map();
    for (const key of batch) {
      const owner = router.route(key);
      expected.set(owner, [...(expected.get(owner) ?? []), key]);
    }
    assert.deepEqual([...router.group(batch)], [...expected]);
  }
});
