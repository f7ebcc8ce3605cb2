// shardway beside npm hashring on the same nodes and keys, in one process, turn about; prints medians and ratios.
//
//   node bench/peers.mjs [--check]
//
// Keys are read anew from bytes before each pass, as a server gets them from the wire: the cache of hashring then
// has to hash and compare them. The rows "same objects" give it the very strings that it has in its cache, which
// is the best that a cache can get. With --check the script fails when a ratio misses its goal.

import { createRequire } from "node:module";
import { Router, Topology } from "shardway";

const HashRing = createRequire(import.meta.url)("hashring");

const ROUNDS = 40;
const WARM_UP = 10;
const nodes = Array.from({ length: 10 }, (_, i) => `10.0.0.${i}:11211`);
const wire = Array.from({ length: 10_000 }, (_, i) => Buffer.from(`user:${(i * 7919) % 1_000_003}:mail`));
const readKeys = () => wire.map((bytes) => bytes.latin1Slice());
const same = readKeys();

const router = new Router(new Topology({ nodes, scheme: "ring-v1" }));
// The cache of the first holds all keys; the second has none worth the name.
const cached = new HashRing(nodes, "md5", { "max cache size": 20_000 });
const uncached = new HashRing(nodes, "md5", { "max cache size": 1 });

let sink = 0;
// Written out one by one: a shared loop would be compiled for all of them, and for none well.
function route(keys) {
  for (let i = 0; i < keys.length; i++) sink += router.route(keys[i]).length;
}
function cachedGet(keys) {
  for (let i = 0; i < keys.length; i++) sink += cached.get(keys[i]).length;
}
function uncachedGet(keys) {
  for (let i = 0; i < keys.length; i++) sink += uncached.get(keys[i]).length;
}
function group(keys) {
  sink += router.group(keys).size;
}
function uncachedGroup(keys) {
  const groups = new Map();
  for (const key of keys) {
    const owner = uncached.get(key);
    const own = groups.get(owner);
    if (own === undefined) groups.set(owner, [key]);
    else own.push(key);
  }
  sink += groups.size;
}

const contenders = {
  "route(string)": [route, readKeys],
  "hashring get, cached": [cachedGet, readKeys],
  "route(string), same objects": [route, () => same],
  "hashring get, cached, same objects": [cachedGet, () => same],
  "hashring get, uncached": [uncachedGet, readKeys],
  "group(10,000 strings)": [group, readKeys],
  "hashring grouping, uncached": [uncachedGroup, readKeys],
};

const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, [run, read]] of Object.entries(contenders)) {
    const keys = read();
    const began = process.hrtime.bigint();
    run(keys);
    if (round >= WARM_UP) times[name].push(Number(process.hrtime.bigint() - began) / keys.length);
  }
}
const median = (name) => times[name].sort((a, b) => a - b)[times[name].length >> 1];

for (const name of Object.keys(contenders)) console.log(`${name.padEnd(36)} ${median(name).toFixed(0).padStart(6)} ns a key`);
console.log();

const ratios = [
  ["route against a cached get", "hashring get, cached", "route(string)", 1],
  ["  with the very strings in its cache", "hashring get, cached, same objects", "route(string), same objects", undefined],
  ["route against an uncached get", "hashring get, uncached", "route(string)", 10],
  ["group against an uncached grouping", "hashring grouping, uncached", "group(10,000 strings)", 20],
];
let missed = 0;
for (const [name, theirs, ours, goal] of ratios) {
  const ratio = median(theirs) / median(ours);
  const said = goal === undefined ? "" : ratio < goal ? ` (goal ${goal}) MISSED` : ` (goal ${goal})`;
  if (goal !== undefined && ratio < goal) missed += 1;
  console.log(`${name.padEnd(36)} ${ratio.toFixed(1).padStart(6)} times as fast${said}`);
}
if (!(sink > 0)) throw new Error("nothing was measured");
if (process.argv.includes("--check") && missed > 0) process.exit(1);
