/**
 * From a request to its parts: which node gets what. No sending here. Private to the package.
 *
 * @module
 */

import {
  InvalidArgumentError,
  NoPartitionError,
  NoPartitioningKeysError,
  PartitioningStrategyError,
  type ShardwayError,
} from "./errors.js";
import type { Key } from "./keys.js";
import type { ResponseMerger } from "./mergers.js";
import type { Router } from "./router.js";
import { type Log, type Schema, SchemaKeeper, type SchemaStats } from "./schema.js";
import type { Snapshot } from "./snapshot.js";
import { CustomStrategy, HashingStrategy, type Pick, type Strategy } from "./strategy.js";
import type { Node } from "./topology.js";

/** What one node, or one of several equivalent ones, is asked. */
export interface Part {
  readonly endpoint: string;
  readonly request: unknown;
  readonly candidates: readonly Node[];
  readonly pick: Pick;
  readonly keys: readonly Key[];
  readonly partition: number | undefined;
  /** Set when the part cannot be sent. */
  readonly error: ShardwayError | undefined;
}

/** The parts of a request, in the order in which their keys first appear, and who merges the answers. */
export interface Plan {
  readonly endpoint: string;
  readonly parts: readonly Part[];
  readonly merge: ResponseMerger | undefined;
}

/** What becomes of an error of the user's strategy function; the cause is kept. */
function strategyFailed(endpoint: string, error: unknown): PartitioningStrategyError {
  if (error instanceof PartitioningStrategyError && error.place === endpoint) return error;
  return failed(endpoint, "the partitioning strategy", error);
}

function failed(endpoint: string, who: string, error: unknown): PartitioningStrategyError {
  return new PartitioningStrategyError(`${endpoint}: ${who} failed: ${String(error)}`, { place: endpoint, cause: error });
}

/** What becomes of an error of the user's response merger. */
export function mergerFailed(endpoint: string, error: unknown): PartitioningStrategyError {
  return failed(endpoint, "the response merger", error);
}

/** Asks strategies and makes plans. */
export class Scatter {
  readonly #router: Router;
  readonly #strategy: Strategy | undefined;
  readonly #keepers = new Map<Strategy, SchemaKeeper>();
  readonly #unwatch: (() => void)[] = [];

  constructor(router: Router, strategy: Strategy | undefined, log: Log) {
    this.#router = router;
    this.#strategy = strategy;
    if (strategy === undefined) return;
    strategy.freeze();
    const self = new WeakRef(this); // a state outlives the clients that watch it
    for (const part of strategy._parts()) {
      if (!(part instanceof CustomStrategy)) continue;
      this.#keepers.set(part, new SchemaKeeper(part, log));
      if (part._observed.kind === "state") {
        const unwatch = part._observed.state.watch(() => {
          const alive = self.deref();
          if (alive === undefined) unwatch();
          else alive.#observe();
        });
        this.#unwatch.push(unwatch);
      }
    }
    this.#observe();
  }

  /** Renews the views at once: counters then follow a change, and the next request finds it done. */
  #observe(): void {
    const snapshot = this.#router.snapshot();
    for (const keeper of this.#keepers.values()) {
      try {
        keeper.current(snapshot);
      } catch {
        // There is no view at all yet: the first request that needs one says why.
      }
    }
  }

  /**
   * Splits a request, all by one snapshot. Gives the plan, or a promise of it where the strategy's answer has to be
   * awaited. When this throws, nothing was sent.
   */
  plan(endpoint: string, request: unknown): Plan | Promise<Plan> {
    const strategy = this.#strategy?._for(endpoint);
    const snapshot = this.#router.snapshot();
    if (strategy instanceof HashingStrategy) {
      return checked(endpoint, byKeys(snapshot, strategy, endpoint, request), strategy);
    }
    if (strategy instanceof CustomStrategy) return this.#custom(snapshot, strategy, endpoint, request);
    return { endpoint, parts: [whole(snapshot, endpoint, request)], merge: undefined };
  }

  #custom(snapshot: Snapshot, strategy: CustomStrategy, endpoint: string, request: unknown): Plan | Promise<Plan> {
    let schema: Schema;
    let answer: unknown;
    try {
      schema = (this.#keepers.get(strategy) as SchemaKeeper).current(snapshot);
      answer = schema.split(endpoint, request);
    } catch (error) {
      throw strategyFailed(endpoint, error);
    }
    const plan = (table: unknown): Plan => checked(endpoint, byPartitions(schema, strategy, endpoint, table), strategy);
    if (typeof (answer as PromiseLike<unknown> | undefined)?.then !== "function") return plan(answer);
    const rejected = (error: unknown): never => {
      throw strategyFailed(endpoint, error);
    };
    return Promise.resolve(answer).catch(rejected).then(plan);
  }

  /** The sums over all custom strategies for the topology in force; `undefined` when there is none. */
  stats(): SchemaStats | undefined {
    if (this.#keepers.size === 0) return undefined;
    this.#observe();
    const sums: SchemaStats = { partitionUpdates: 0, snapUpdates: 0, updateFailures: 0, nodes: 0, leftOut: 0 };
    for (const keeper of this.#keepers.values()) {
      const one = keeper.stats();
      for (const name of Object.keys(sums) as (keyof SchemaStats)[]) sums[name] += one[name];
    }
    return sums;
  }

  /** Ends the watching of states. */
  close(): void {
    for (const unwatch of this.#unwatch) unwatch();
  }
}

function checked(endpoint: string, parts: Part[], strategy: HashingStrategy | CustomStrategy): Plan {
  const merge = strategy.responseMergers.get(endpoint);
  if (parts.length > 1 && merge === undefined) throw missing("response merger", endpoint);
  return { endpoint, parts, merge };
}

function part(endpoint: string, request: unknown, candidates: readonly Node[], more: Partial<Part>): Part {
  return { endpoint, request, candidates, pick: "round_robin", keys: [], partition: undefined, error: undefined, ...more };
}

function whole(snapshot: Snapshot, endpoint: string, request: unknown): Part {
  const live = snapshot.nodes.filter(({ id, weight }) => weight !== 0 && !snapshot.isEjected(id));
  return part(endpoint, request, live.length > 0 ? live : snapshot.nodes, {});
}

function byKeys(snapshot: Snapshot, strategy: HashingStrategy, endpoint: string, request: unknown): Part[] {
  let table: Map<Key, unknown>;
  try {
    const answer = strategy.getKeys(endpoint, request);
    if (answer === null || answer === undefined) throw noKeys(endpoint, "the hashing strategy has no case for it");
    table = tableOf(endpoint, answer) as Map<Key, unknown>;
  } catch (error) {
    throw error instanceof NoPartitioningKeysError ? error : strategyFailed(endpoint, error);
  }
  const keys = [...table.keys()];
  if (keys.length === 0) throw noKeys(endpoint, "the hashing strategy gave no key");
  if (keys.some((key) => key === null || key === undefined)) throw noKeys(endpoint, "the hashing strategy gave no value as a key");
  const groups = grouped(snapshot, endpoint, keys);
  return [...groups].map(([owner, indices]) => {
    const owned = indices.map((index) => keys[index] as Key);
    const node = [snapshot.node(owner)];
    if (groups.size === 1) return part(endpoint, request, node, { keys: owned });
    const requests = owned.map((key) => table.get(key));
    return part(endpoint, merged(strategy, endpoint, requests), node, { keys: owned });
  });
}

function grouped(snapshot: Snapshot, endpoint: string, keys: Key[]): Map<string, number[]> {
  try {
    return snapshot.groupIndices(keys);
  } catch (error) {
    throw error instanceof InvalidArgumentError ? strategyFailed(endpoint, error) : error;
  }
}

function merged(strategy: HashingStrategy, endpoint: string, requests: unknown[]): unknown {
  if (requests.length === 1) return requests[0];
  const merge = strategy.requestMergers.get(endpoint);
  if (merge === undefined) throw missing("request merger", endpoint);
  try {
    return merge(requests);
  } catch (error) {
    throw failed(endpoint, "the request merger", error);
  }
}

function byPartitions(schema: Schema, strategy: CustomStrategy, endpoint: string, answer: unknown): Part[] {
  if (answer === null || answer === undefined) {
    const message = `${endpoint}: the custom strategy has no case for it; check that it is defined`;
    throw new PartitioningStrategyError(message, { place: endpoint });
  }
  const table = [...tableOf(endpoint, answer)].map(([id, request]) => [idOf(endpoint, id, answer), request] as const);
  if (table.length === 0) {
    const message = `${endpoint}: the custom strategy gave no partition; at least one is right`;
    throw new PartitioningStrategyError(message, { place: endpoint });
  }
  return table.map(([partition, request]) => {
    try {
      const nodes = schema.map.nodes(partition).map((id) => schema.nodes.get(id) as Node);
      return part(endpoint, request, nodes, { pick: strategy.pick, partition });
    } catch (error) {
      if (!(error instanceof NoPartitionError)) throw error;
      return part(endpoint, request, [], { partition, error });
    }
  });
}

/** The names of an object are text; those of partitions are meant as integers. */
function idOf(endpoint: string, id: unknown, answer: unknown): number {
  const number = typeof id === "string" && !(answer instanceof Map) && /^-?\d+$/.test(id) ? Number(id) : id;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw new PartitioningStrategyError(`${endpoint}: ${String(id)} is no partition id; an integer is right`, { place: endpoint });
}

function tableOf(endpoint: string, answer: unknown): Map<unknown, unknown> {
  if (answer instanceof Map) return answer as Map<unknown, unknown>;
  const plain = typeof answer === "object" && answer !== null && !(Symbol.iterator in answer) && !("then" in answer);
  if (plain) return new Map(Object.entries(answer));
  const message = `${endpoint}: the strategy's answer is no table of requests; a Map or a plain object is right`;
  throw new PartitioningStrategyError(message, { place: endpoint });
}

function missing(role: string, endpoint: string): PartitioningStrategyError {
  const message = `${endpoint}: it needs a ${role} and has none; add one to the strategy. Nothing was sent`;
  return new PartitioningStrategyError(message, { place: endpoint });
}

function noKeys(endpoint: string, why: string): NoPartitioningKeysError {
  return new NoPartitioningKeysError(`${endpoint}: no partitioning keys: ${why}`, { place: endpoint });
}
