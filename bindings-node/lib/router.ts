/**
 * The one object with state: which instance owns a key, right now.
 *
 * @module
 */

import { describe, integer, invalid, text, unsigned } from "./checks.js";
import { type Key, shared, write } from "./keys.js";
import { type HotRoute, native, type NativeRouter } from "./native.js";
import { type Explanation, Snapshot } from "./snapshot.js";
import { type Topology, topologyOf } from "./topology.js";

/** How a request ended: the node answered (a declared exception is an answer), it did not, or it says nothing. */
export type Outcome = "success" | "failure" | "ignored";

/** Whether a request may go: yes, yes as the one probe (which must be reported), or no. */
export type Admission = "send" | "probe" | "fail_fast";

/** A change of a node's state. */
export interface Event {
  /** Marked dead; its time is up and it may be probed; answered its probe. */
  readonly kind: "ejected" | "probing" | "revived";
  /** The node's id. */
  readonly node: string;
  /** When, in ms of the caller's clock. */
  readonly atMs: number;
  /** For `ejected` the time at which it may be probed; else the same as `atMs`. */
  readonly untilMs: number;
}

/** Counters since the router was made, and gauges of now. Counts are numbers; 64-bit names of things are bigints. */
export interface Stats {
  /** Times the ring in force changed: by a publish, an ejection or a revival. The first one counts. */
  readonly redistributes: number;
  /** Nodes that joined, the first ones included. */
  readonly joins: number;
  /** Nodes that left. */
  readonly leaves: number;
  /** Nodes that lost their keys, by hand or by failure accrual. */
  readonly ejections: number;
  /** Nodes that got their keys back. */
  readonly revivals: number;
  /** Publishes that changed the logical partitions. */
  readonly partitionUpdates: number;
  /** Publishes that were put in force, the first one included. */
  readonly snapUpdates: number;
  /** Publishes that were refused so that the old topology was kept. */
  readonly updateFailures: number;
  /** Nodes that are not ejected now. */
  readonly liveNodes: number;
  /** Nodes that are ejected now. */
  readonly deadNodes: number;
  /** Nodes of the topology in force. */
  readonly nodes: number;
  /** Points on the ring in force. */
  readonly points: number;
  /** The revision in force. */
  readonly revision: bigint;
  /** The fingerprint of the topology in force. */
  readonly fingerprint: bigint;
}

/** What a publish did: put in force, nothing new, or an empty topology refused so that no traffic is lost. */
export type Publish = "published" | "unchanged" | "kept_old";

/** Options of a router. */
export interface RouterOptions {
  /**
   * Feeds the jitter of backoff times and nothing else; 64 bits unsigned, 0 by default. Give each process another
   * one, so that a fleet does not probe in step.
   */
  readonly seed?: bigint | number;
}

/**
 * Routes keys by the topology in force. Keys are as in {@link Key}. For one thread: each worker makes its own of the
 * same document, and all answer alike. Freed by the collector.
 */
export class Router {
  readonly #native: NativeRouter;
  #names: readonly string[] = [];
  #revision = -1n;
  #hot!: HotRoute;

  /** Makes a router. An empty topology is fine: routing throws `ShardNotAvailableError` until nodes come. */
  constructor(topology: Topology, options: RouterOptions = {}) {
    const seed = options.seed === undefined ? 0n : unsigned("seed", options.seed);
    this.#native = native.routerNew(topologyOf("topology", topology)._native, seed);
    this.snapshot();
  }

  /** Gives the id of the node that owns a key. `ShardNotAvailableError` when no node can own one. */
  route(key: Key): string {
    const index = this.#hot(typeof key === "string" ? key : write(key));
    return index >= 0 ? (this.#names[index] as string) : this.snapshot().route(key);
  }

  /** Gives the id of the node that owns a key whose hash (64 bits, unsigned) the caller computed. */
  routeHash(hash: bigint | number): string {
    return this.snapshot().routeHash(hash);
  }

  /** Gives the ids of the first `n` distinct nodes for a key, the owner first; fewer where fewer can own keys. */
  replicas(key: Key, n: number): string[] {
    return this.snapshot().replicas(key, n);
  }

  /** Groups keys by owner, all by one snapshot; see `Snapshot.group`. */
  group<K extends Key>(keys: Iterable<K>): Map<string, K[]> {
    return this.snapshot().group(keys);
  }

  /** Groups as `group` does, and gives the keys' numbers in the input instead of the keys. */
  groupIndices(keys: Iterable<Key>): Map<string, number[]> {
    return this.snapshot().groupIndices(keys);
  }

  /** Groups keys whose hashes the caller computed, and gives their numbers. */
  groupHashes(hashes: BigUint64Array): Map<string, number[]> {
    return this.snapshot().groupHashes(hashes);
  }

  /** Groups keys in one piece of memory, by one snapshot; see `Snapshot.groupPacked`. */
  groupPacked(data: Uint8Array, offsets: Uint32Array): Map<string, number[]> {
    return this.snapshot().groupPacked(data, offsets);
  }

  /** Gives the steps from a key to its owner, for people and tests. */
  explain(key: Key): Explanation {
    return this.snapshot().explain(key);
  }

  /** Gives the view in force. A request keeps what it took to its end. */
  snapshot(): Snapshot {
    const handle = native.routerSnapshot(this.#native);
    const revision = native.snapshotRevision(handle);
    if (revision !== this.#revision) {
      // An index means something only with its revision: both are replaced together.
      this.#names = native.snapshotIds(handle);
      this.#hot = native.routerHot(this.#native, shared, revision);
      this.#revision = revision;
    }
    return new Snapshot(handle, this.#names);
  }

  /**
   * Puts a topology in force. `StaleRevisionError` for one older than that in force; `RevisionConflictError` for one
   * of the same revision and other content.
   */
  publish(topology: Topology): Publish {
    const done = native.routerPublish(this.#native, topologyOf("topology", topology)._native) as Publish;
    this.snapshot();
    return done;
  }

  /** Takes a node's keys; `false` when it had none already. `UnknownNodeError` for an id that is not declared. */
  eject(id: string): boolean {
    return native.routerEject(this.#native, text("id", id));
  }

  /** Gives a node its keys back; `false` when it had them. `UnknownNodeError` for an id that is not declared. */
  revive(id: string): boolean {
    return native.routerRevive(this.#native, text("id", id));
  }

  /**
   * Takes the outcome of a request to a node, with the times of its sending and its end in ms of one clock of the
   * caller's. Gives the change that it made, if any. `UnknownNodeError` for an id that is not declared.
   */
  report(id: string, outcome: Outcome, times: { readonly sentMs: number; readonly nowMs: number }): Event | undefined {
    if (typeof times !== "object" || times === null) throw invalid("times", `${describe(times)}; an object is right`);
    const [sentMs, nowMs] = [clock("sentMs", times.sentMs), clock("nowMs", times.nowMs)];
    const name = text("id", id);
    return (native.routerReport(this.#native, name, text("outcome", outcome), sentMs, nowMs) ?? undefined) as Event | undefined;
  }

  /** Asks whether a request may go to a node now; ask before each send. Who got `probe` must report how it went. */
  admit(id: string, nowMs: number): Admission {
    return native.routerAdmit(this.#native, text("id", id), clock("nowMs", nowMs)) as Admission;
  }

  /** Lets time pass: nodes whose time is up may be probed. Gives what changed and nobody was told of. */
  tick(nowMs: number): Event[] {
    return native.routerTick(this.#native, clock("nowMs", nowMs)) as Event[];
  }

  /** The next time at which `tick` has something to do; `undefined` while nothing waits. */
  nextTickMs(): number | undefined {
    return native.routerNextTick(this.#native) ?? undefined;
  }

  /** Gives counters and gauges. */
  stats(): Stats {
    return native.routerStats(this.#native);
  }

  /** The topology in force. */
  get topology(): Topology {
    return this.snapshot().topology;
  }

  /** The revision in force. */
  get revision(): bigint {
    return this.snapshot().revision;
  }
}

function clock(place: string, value: unknown): number {
  return integer(place, value, 0, Number.MAX_SAFE_INTEGER);
}
