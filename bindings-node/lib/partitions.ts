/**
 * Logical partitions: instances to partitions and back.
 *
 * @module
 */

import { describe, integer, invalid, text } from "./checks.js";
import type { ErrorCodeName } from "./errors.js";
import { NoPartitionError } from "./errors.js";
import { type InstanceRow, type NativePartitions, native } from "./native.js";

const LEAST = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** An instance as a mapping sees it. */
export interface Instance {
  /** The node's id. */
  readonly node: string;
  /** Its shard id from service discovery, a signed 32-bit integer. Without one it serves nothing. */
  readonly shardId?: number | undefined;
  /** The partitions it serves; `undefined`: the one with its shard id; an `Error`: the mapping failed so. */
  readonly serves?: readonly number[] | Error | undefined;
}

/** An instance that serves no partition because something is wrong with it. */
export interface LeftOut {
  /** The node's id. */
  readonly node: string;
  /** `NoShardId` or `PartitioningStrategy`. */
  readonly code: ErrorCodeName;
  /** A sentence for the log. */
  readonly reason: string;
}

/** Partitions to instances and back. Immutable. */
export class PartitionMap {
  readonly #native: NativePartitions;
  readonly #names: readonly string[];

  /**
   * Makes the map of instances. What is wrong with one instance leaves out that instance only; an argument of the
   * wrong type is an `InvalidArgumentError`.
   */
  constructor(instances: Iterable<Instance>) {
    if (instances instanceof Handed) {
      this.#native = instances.handle;
      this.#names = instances.names;
      return;
    }
    const names: string[] = [];
    const rows: InstanceRow[] = [];
    for (const instance of instances) {
      const place = `instances[${rows.length}]`;
      if (typeof instance !== "object" || instance === null) throw invalid(place, `${describe(instance)}; an object is right`);
      names.push(text(`${place}.node`, instance.node));
      rows.push(row(instance, place));
    }
    this.#native = native.partitionsBuild(rows);
    this.#names = names;
  }

  /** The map of a snapshot. Private to the package. @internal */
  static _of(handle: NativePartitions, names: readonly string[]): PartitionMap {
    return new PartitionMap(new Handed(handle, names));
  }

  /** The ids of all partitions, ascending. */
  get ids(): number[] {
    return native.partitionsIds(this.#native);
  }

  /** The number of partitions. */
  get size(): number {
    return this.ids.length;
  }

  /** The ids of the nodes that serve a partition. `NoPartitionError` when none does. */
  nodes(partition: number): string[] {
    if (!Number.isInteger(partition)) integer("partition", partition, LEAST, MOST);
    if (partition < LEAST || partition > MOST) {
      throw new NoPartitionError(`No partition: ${partition} found; ids are signed 32-bit integers`, { place: "partition" });
    }
    return native.partitionsNodes(this.#native, partition).map((index) => this.#names[index] as string);
  }

  /** The partitions that a node serves, ascending; none for a node that is unknown or left out. */
  partitionsOf(node: string): number[] {
    const index = this.#names.indexOf(node);
    return index < 0 ? [] : native.partitionsOf(this.#native, index);
  }

  /** The instances that were left out, in the order given. */
  get leftOut(): LeftOut[] {
    return native.partitionsLeftOut(this.#native).map(({ node, code, reason }) => {
      return { node: this.#names[node] as string, code: code as ErrorCodeName, reason };
    });
  }
}

/** A handle on its way into a map. */
class Handed implements Iterable<Instance> {
  constructor(
    readonly handle: NativePartitions,
    readonly names: readonly string[],
  ) {}

  *[Symbol.iterator](): Iterator<Instance> {
    return;
  }
}

function row(instance: Instance, place: string): InstanceRow {
  const made: InstanceRow = {};
  const { shardId, serves } = instance;
  if (shardId !== undefined) made.shardId = integer(`${place}.shardId`, shardId, LEAST, MOST);
  if (serves instanceof Error) {
    made.failed = serves.message;
  } else if (serves !== undefined) {
    if (!Array.isArray(serves)) throw invalid(`${place}.serves`, `${describe(serves)}; an array or an Error is right`);
    made.serves = serves.map((id, at) => integer(`${place}.serves[${at}]`, id, LEAST, MOST));
  }
  return made;
}
