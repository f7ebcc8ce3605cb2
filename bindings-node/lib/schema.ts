/**
 * Logical partitions of a custom strategy: the function and the map that belong together, and how they change.
 * Private to the package.
 *
 * @module
 */

import { callable, integer } from "./checks.js";
import { PartitionMap } from "./partitions.js";
import type { Snapshot } from "./snapshot.js";
import type { CustomStrategy, GetPartitions, LogicalPartition } from "./strategy.js";
import type { Node } from "./topology.js";

/** One view of a custom strategy; a request holds it from start to end. */
export interface Schema {
  readonly split: GetPartitions;
  readonly map: PartitionMap;
  readonly nodes: ReadonlyMap<string, Node>;
}

/** Counts of a custom strategy, under Finagle's names. */
export interface SchemaStats {
  partitionUpdates: number;
  snapUpdates: number;
  updateFailures: number;
  nodes: number;
  leftOut: number;
}

/** Where log lines go. */
export type Log = (message: string, error?: unknown) => void;

/**
 * Keeps the view of one custom strategy in force. A new view is made when the topology's revision or the observed
 * state changes. What fails keeps the old one.
 */
export class SchemaKeeper {
  readonly #strategy: CustomStrategy;
  readonly #log: Log;
  #seen: string | undefined;
  #failed: string | undefined;
  #schema: Schema | undefined;
  #content = "";
  readonly #stats: SchemaStats = { partitionUpdates: 0, snapUpdates: 0, updateFailures: 0, nodes: 0, leftOut: 0 };

  constructor(strategy: CustomStrategy, log: Log) {
    this.#strategy = strategy;
    this.#log = log;
  }

  /** Gives the view for a snapshot. Throws what the user's functions throw when there is none yet to stay in force. */
  current(snapshot: Snapshot): Schema {
    const observed = this.#strategy._observed;
    const version = observed.kind === "state" ? observed.state.version : 0;
    const seen = `${snapshot.revision}/${version}`;
    if (this.#schema !== undefined && this.#seen === seen) return this.#schema;
    try {
      const schema = this.#put(this.#evaluate(snapshot), seen);
      this.#seen = seen;
      return schema;
    } catch (error) {
      this.#countFailure(seen);
      if (this.#schema === undefined) throw error;
      this.#seen = seen;
      this.#log("the last good partitions stay in force", error);
      return this.#schema;
    }
  }

  #evaluate(snapshot: Snapshot): Schema {
    const observed = this.#strategy._observed;
    const value: unknown =
      observed.kind === "state" ? observed.state.value : observed.kind === "cluster" ? new Set(snapshot.nodes) : undefined;
    const split = this.#strategy._partitionsAt(value);
    callable("getPartitions", split);
    return { split, map: this.#map(snapshot, value), nodes: new Map(snapshot.nodes.map((node) => [node.id, node])) };
  }

  #map(snapshot: Snapshot, value: unknown): PartitionMap {
    const declared = snapshot.topology.partitions;
    let logical: LogicalPartition | undefined;
    if (this.#strategy._logicalAt !== undefined) {
      logical = this.#strategy._logicalAt(value);
      callable("logicalPartition", logical);
    } else if (declared !== undefined) {
      logical = (shardId) => {
        const serves = declared.get(shardId);
        if (serves === undefined) throw new Error(`shard id ${shardId} is not listed in partitions`);
        return serves;
      };
    }
    return new PartitionMap(
      snapshot.nodes.map(({ id, shardId }) => ({ node: id, shardId, serves: served(logical, shardId) })),
    );
  }

  #put(schema: Schema, seen: string): Schema {
    if (this.#failed !== seen) {
      // Otherwise said already, when this update was tried before.
      for (const { node, code, reason } of schema.map.leftOut) {
        this.#log(`${code}: instance ${node} is left out: ${reason}`);
      }
    }
    if (schema.map.size === 0) {
      this.#countFailure(seen);
      // Nothing to keep: asking the empty one says which partition is missing.
      if (this.#schema === undefined) return schema;
      this.#log("the last good partitions stay in force: the new ones would be empty");
      return this.#schema;
    }
    const content = JSON.stringify(schema.map.ids.map((id) => [id, schema.map.nodes(id)]));
    this.#stats.snapUpdates += 1;
    if (content !== this.#content) this.#stats.partitionUpdates += 1;
    this.#content = content;
    this.#schema = schema;
    return schema;
  }

  /** Counts an update that cannot be used, once: without a view each request tries anew. */
  #countFailure(seen: string): void {
    if (this.#failed === seen) return;
    this.#failed = seen;
    this.#stats.updateFailures += 1;
  }

  /** Gives the counts. */
  stats(): SchemaStats {
    const map = this.#schema?.map;
    return { ...this.#stats, nodes: map?.size ?? 0, leftOut: map?.leftOut.length ?? 0 };
  }
}

/** What the user's mapping gives for one instance; its failure is that instance's alone. */
function served(logical: LogicalPartition | undefined, shardId: number | undefined): number[] | Error | undefined {
  if (logical === undefined || shardId === undefined) return undefined;
  try {
    const given = logical(shardId);
    const ids = typeof given === "number" ? [given] : [...given];
    return ids.map((id) => integer("partition", id, -(2 ** 31), 2 ** 31 - 1));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
