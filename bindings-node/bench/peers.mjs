// shardway's Node package beside npm hashring, as rows for the table of scripts/bench.py.
//
//   node bench/peers.mjs [--check]
//
// One line a comparison, tab separated: what, shardway's ns, peer, the peer's ns, the target. The same nodes and keys
// for both, interleaved rounds with a turning order, the median of each. With --check a missed target gives exit code 1.
//
// A server reads its keys from the wire, so before each pass they are made anew from bytes: the cache of hashring
// then has to hash and compare them. The row "strings it holds" gives it the very objects that are in its cache, the
// best that a cache can get: it finds them by address and never looks at the text.

import { createRequire } from "node:module";
import { Router, Topology } from "shardway";

const require = createRequire(import.meta.url);
const HashRing = require("hashring");
const PEER = `npm hashring ${require("hashring/package.json").version}`;

const ROUNDS = 40;
const WARM_UP = 10;
const KEYS = 10_000;
const nodes = Array.from({ length: 100 }, (_, i) => `10.0.0.${i}:9090`);
const hex = (number) => (number >>> 0).toString(16).padStart(8, "0");
const wire = Array.from({ length: KEYS }, (_, i) => Buffer.from(hex(Math.imul(i + 1, 0x9e3779b1)) + hex(Math.imul(i + 1, 0x85ebca6b))));
const readKeys = () => wire.map((bytes) => bytes.latin1Slice());
const held = readKeys();

const router = new Router(new Topology({ nodes, scheme: "ring-v1", numReps: 160 }));
// 160 points a node are hashring's default too. The cache of the first holds all keys; the second has none worth the name.
const cached = new HashRing(nodes, "md5", { "max cache size": 2 * KEYS });
const uncached = new HashRing(nodes, "md5", { "max cache size": 1 });

let sink = 0;
// Written out one by one: a shared loop would be compiled for all of them, and for none well.
function route(keys) {
  for (let i = 0; i < keys.length; i++) sink += router.route(keys[i]).length;
}
function routeHeld(keys) {
  for (let i = 0; i < keys.length; i++) sink += router.route(keys[i]).length;
}
function cachedGet(keys) {
  for (let i = 0; i < keys.length; i++) sink += cached.get(keys[i]).length;
}
function cachedGetHeld(keys) {
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

const contenders = [
  [route, readKeys],
  [cachedGet, readKeys],
  [routeHeld, () => held],
  [cachedGetHeld, () => held],
  [uncachedGet, readKeys],
  [group, readKeys],
  [uncachedGroup, readKeys],
];

cachedGetHeld(held); // fills the cache with these objects, not with the like of them
const times = new Map(contenders.map(([run]) => [run, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (let place = 0; place < contenders.length; place++) {
    const [run, read] = contenders[(round + place) % contenders.length];
    const keys = read();
    const began = process.hrtime.bigint();
    run(keys);
    if (round >= WARM_UP) times.get(run).push(Number(process.hrtime.bigint() - began) / keys.length);
  }
}
const grouped = [...router.group(held).values()].reduce((sum, keys) => sum + keys.length, 0);
if (grouped !== KEYS || !(sink > 0)) throw new Error(`group has ${grouped} of ${KEYS} keys`);

const median = (run) => times.get(run).toSorted((a, b) => a - b)[times.get(run).length >> 1];
const rows = [
  [`Node route(string), ${nodes.length} nodes`, route, `${PEER}, cached`, cachedGet, 1],
  ["Node route(string), strings it holds", routeHeld, `${PEER}, cached`, cachedGetHeld, 1],
  [`Node route(string), ${nodes.length} nodes`, route, `${PEER}, uncached`, uncachedGet, 0.1],
  [`Node group(${KEYS.toLocaleString("en")} strings) (a key)`, group, `${PEER}, uncached, in a loop`, uncachedGroup, 0.05],
];
let missed = 0;
for (const [what, ours, peer, theirs, share] of rows) {
  console.log([what, median(ours).toFixed(1), peer, median(theirs).toFixed(1), `share ${share}`].join("\t"));
  if (median(ours) / median(theirs) > share) missed += 1;
}
if (process.argv.includes("--check") && missed > 0) process.exit(1);
