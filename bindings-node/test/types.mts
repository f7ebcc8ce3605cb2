// Compiled, not run: the types that users of ES modules see.
import { CustomStrategy, HashingStrategy, type Node, PartitionedClient, Router, Snapshot, State, Topology } from "shardway";
import { ThriftClient } from "shardway/thrift";

const topology = new Topology({ nodes: ["a", { id: "b", weight: 2, shardId: 1 }], scheme: "ring-v1", revision: 7n });
const router = new Router(topology, { seed: 1 });
const owner: string = router.route("user:42");
const groups: Map<string, string[]> = router.group(["one", "two"]);
const mixed: Map<string, (string | bigint)[]> = router.group(["one", 2n]);
const snapshot: Snapshot = router.snapshot();
const hash: bigint = snapshot.hash(new Uint8Array([1]));
const fingerprint: bigint = topology.fingerprint;

// @ts-expect-error: a date is no key
router.route(new Date());
// @ts-expect-error: no such scheme
new Topology({ nodes: [], scheme: "ring-v0" });
// @ts-expect-error: no such option
new PartitionedClient(router, () => 1, { retries: 3 });

const hashing = HashingStrategy.perEndpoint({ get: (request: string[]) => new Map(request.map((key) => [key, [key]])) });
const custom = CustomStrategy.resharding((state: number) => () => ({ [state]: "whole" }), { state: new State(0) });
const client = new PartitionedClient(router, async (node: Node, endpoint, request, signal) => [node.id, endpoint, signal.aborted], {
  strategy: hashing,
});
const answer: unknown = await client.call("get", ["one"], { timeoutMs: 10, signal: AbortSignal.timeout(5) });

interface Delivery {
  getBox(address: object, passcode: number): Promise<{ item: string }>;
}
declare const generated: { Client: new (...wiring: any[]) => object };
const thrift = new ThriftClient<Delivery>(generated, router, { strategy: custom, protocol: "compact" });
const item: string = (await thrift.service.getBox({}, 1)).item;
