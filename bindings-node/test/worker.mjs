// A worker: routes the same keys as everyone, then goes on until it is terminated.
import { parentPort, workerData } from "node:worker_threads";
import { Router, Topology } from "shardway";

const router = new Router(Topology.fromJson(workerData.document));
const keys = Array.from({ length: 1000 }, (_, i) => `key-${i}`);
parentPort.postMessage([keys.map((key) => router.route(key)), [...router.group(keys)]]);
while (workerData.forever) {
  router.group(keys);
  for (const key of keys) router.route(key);
  new Router(Topology.fromJson(workerData.document)).replicas("x", 2);
}
