/**
 * One consistent view of the ring.
 *
 * @module
 */

import { describe, invalid, text, unsigned } from "./checks.js";
import { InvalidArgumentError, UnknownNodeError } from "./errors.js";
import { encode, type Key, pack } from "./keys.js";
import { native, type NativeSnapshot } from "./native.js";
import { PartitionMap } from "./partitions.js";
import { countOf, type Node, Topology } from "./topology.js";

/** The steps from a key to its owner. 64-bit values are bigints. */
export interface Explanation {
  /** The scheme's name. */
  readonly scheme: string;
  /** The key hasher's name. */
  readonly keyHasher: string;
  /** The hash of the key. */
  readonly hash: bigint;
  /** The position on the ring that the hash leads to. */
  readonly position: bigint;
  /** The point that takes the position; absent on an empty ring. */
  readonly point?: bigint;
  /** The node that has the point; it differs from `owner` when it is ejected. */
  readonly pointNode?: string;
  /** The owner; absent when no node can own a key. */
  readonly owner?: string;
  /** The next distinct owners, in the order in which they would take over; at most three. */
  readonly next: readonly string[];
  /** The ejected nodes. */
  readonly ejected: readonly string[];
  /** The revision in force. */
  readonly revision: bigint;
  /** The topology's fingerprint. */
  readonly fingerprint: bigint;
  /** The whole as text for people. */
  readonly text: string;
}

/**
 * One consistent view: a request that holds it sees no change until it lets go of it. Immutable. Keys are as in
 * {@link Key}; a key that is none is an `InvalidArgumentError`.
 */
export class Snapshot {
  readonly #native: NativeSnapshot;
  readonly #names: readonly string[];
  #topology: Topology | undefined;
  #partitions: PartitionMap | undefined;
  #indices: Map<string, number> | undefined;
  #ejected: Set<number> | undefined;

  /** Made by `Router.snapshot`. @internal */
  constructor(handle: NativeSnapshot, names: readonly string[]) {
    this.#native = handle;
    this.#names = names;
  }

  /** Gives the id of the node that owns a key. `ShardNotAvailableError` when no node can own one. */
  route(key: Key): string {
    const { kind, bytes } = encode(key);
    return this.#name(native.snapshotRoute(this.#native, kind, bytes));
  }

  /** Gives the id of the node that owns a key whose hash (64 bits, unsigned) the caller computed. */
  routeHash(hash: bigint | number): string {
    return this.#name(native.snapshotRouteHash(this.#native, unsigned("hash", hash)));
  }

  /** Gives the ids of the first `n` distinct nodes for a key, the owner first; fewer where fewer can own keys. */
  replicas(key: Key, n: number): string[] {
    const { kind, bytes } = encode(key);
    const count = countOf("n", n);
    return native.snapshotReplicas(this.#native, kind, bytes, count).map((index) => this.#name(index));
  }

  /** Gives the hash of a key, 64 bits unsigned, as the topology's scheme and key hasher define it. */
  hash(key: Key): bigint {
    const { kind, bytes } = encode(key);
    return native.snapshotHash(this.#native, kind, bytes);
  }

  /**
   * Groups keys by owner. The arrays hold the caller's own keys in the order given, repeats included; nodes come in
   * the order in which their first key appears. Nothing is answered if one key is invalid: `place` names it, as in
   * `keys[17]`.
   */
  group<K extends Key>(keys: Iterable<K>): Map<string, K[]> {
    const list = listOf(keys);
    return this.#collect(this.#flat(list), (index) => list[index] as K);
  }

  /** Groups as `group` does, and gives the keys' numbers in the input instead of the keys. */
  groupIndices(keys: Iterable<Key>): Map<string, number[]> {
    return this.#collect(this.#flat(listOf(keys)), (index) => index);
  }

  /** Groups keys whose hashes (64 bits, unsigned) the caller computed, and gives their numbers. */
  groupHashes(hashes: BigUint64Array): Map<string, number[]> {
    if (!(hashes instanceof BigUint64Array)) throw invalid("hashes", `${describe(hashes)}; a BigUint64Array is right`);
    return this.#collect(native.snapshotGroupHashes(this.#native, hashes), (index) => index);
  }

  /**
   * Groups keys in one piece of memory, in Arrow's layout: key `i` is the bytes of `data` from `offsets[i]` to
   * `offsets[i + 1]`. Gives their numbers. `InvalidArgumentError` when the offsets do not fit the data.
   */
  groupPacked(data: Uint8Array, offsets: Uint32Array): Map<string, number[]> {
    if (!(data instanceof Uint8Array)) throw invalid("data", `${describe(data)}; a Uint8Array is right`);
    if (!(offsets instanceof Uint32Array)) throw invalid("offsets", `${describe(offsets)}; a Uint32Array is right`);
    return this.#collect(native.snapshotGroup(this.#native, data, offsets), (index) => index);
  }

  #flat(keys: readonly Key[]): Uint32Array {
    const { data, offsets, typed, hasBool } = pack(keys);
    if (!typed || !(hasBool || native.snapshotTypedKeys(this.#native))) {
      return native.snapshotGroup(this.#native, data, offsets);
    }
    return native.snapshotGroupHashes(this.#native, this.#hashes(keys));
  }

  /** Hashes keys one by one, where their JVM types matter. */
  #hashes(keys: readonly Key[]): BigUint64Array {
    const hashes = new BigUint64Array(keys.length);
    for (let index = 0; index < keys.length; index++) {
      const place = `keys[${index}]`;
      const { kind, bytes } = encode(keys[index] as Key, place);
      try {
        hashes[index] = native.snapshotHash(this.#native, kind, bytes);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        throw new InvalidArgumentError(error.message.replace(/^key/, place), { place });
      }
    }
    return hashes;
  }

  #collect<T>(flat: Uint32Array, item: (index: number) => T): Map<string, T[]> {
    const count = flat[0] as number;
    const first = 2 + 2 * count; // the number of groups, the nodes, one offset more
    const groups = new Map<string, T[]>();
    for (let group = 0; group < count; group++) {
      const from = first + (flat[1 + count + group] as number);
      const to = first + (flat[2 + count + group] as number);
      const items = new Array<T>(to - from);
      for (let at = from; at < to; at++) items[at - from] = item(flat[at] as number);
      groups.set(this.#name(flat[1 + group] as number), items);
    }
    return groups;
  }

  /** Gives the steps from a key to its owner, for people and tests. */
  explain(key: Key): Explanation {
    const { kind, bytes } = encode(key);
    return native.snapshotExplain(this.#native, kind, bytes);
  }

  /** The topology that was compiled. */
  get topology(): Topology {
    this.#topology ??= Topology._of(native.snapshotTopology(this.#native));
    return this.#topology;
  }

  /** The nodes, in the order of the topology. */
  get nodes(): readonly Node[] {
    return this.topology.nodes;
  }

  /** Gives the node with an id. `UnknownNodeError` when there is none. */
  node(id: string): Node {
    return this.nodes[this.#index(id)] as Node;
  }

  /** Whether a node is ejected. `UnknownNodeError` for an id that is not declared. */
  isEjected(id: string): boolean {
    this.#ejected ??= new Set(native.snapshotEjected(this.#native));
    return this.#ejected.has(this.#index(id));
  }

  /** The revision in force: the document's, or the router's own count where the document has none. */
  get revision(): bigint {
    return native.snapshotRevision(this.#native);
  }

  /** The fingerprint of the topology. */
  get fingerprint(): bigint {
    return this.topology.fingerprint;
  }

  /** The points on the ring. */
  get points(): number {
    return native.snapshotPoints(this.#native);
  }

  /** The logical partitions that the topology declares. */
  get partitions(): PartitionMap {
    this.#partitions ??= PartitionMap._of(native.snapshotPartitions(this.#native), this.#names);
    return this.#partitions;
  }

  #name(index: number): string {
    return this.#names[index] as string;
  }

  #index(id: string): number {
    this.#indices ??= new Map(this.#names.map((name, index) => [name, index]));
    const index = this.#indices.get(text("id", id));
    if (index === undefined) {
      throw new UnknownNodeError(`id: no node ${JSON.stringify(id)} in this snapshot; use the id of a declared node`, {
        place: "id",
      });
    }
    return index;
  }
}

function listOf<K extends Key>(keys: Iterable<K>): readonly K[] {
  if (Array.isArray(keys)) return keys as K[];
  // A string is iterable too, and never meant so.
  if (typeof keys !== "object" || keys === null || !(Symbol.iterator in keys)) {
    throw invalid("keys", `${describe(keys)}; an iterable of keys is right`);
  }
  return [...keys];
}
