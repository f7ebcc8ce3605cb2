/**
 * What an operator declares: nodes, scheme, partitions, policies.
 *
 * @module
 */

import { describe, fields, integer, invalid, isWellFormed, text, unsigned } from "./checks.js";
import { InvalidTopologyError } from "./errors.js";
import { type NativeTopology, native } from "./native.js";

/** A node. Frozen where this package gives it. */
export interface Node {
  /** Its name, unique in the topology; 1 to 1,024 bytes of UTF-8. */
  readonly id: string;
  /** Where it listens. */
  readonly host?: string | undefined;
  /** Where it listens, 0 to 65,535. */
  readonly port?: number | undefined;
  /** Its share of the keys, 0 to 1,000,000,000; 1 by default; 0 owns none. */
  readonly weight?: number | undefined;
  /** Its shard id from service discovery, a signed 32-bit integer. */
  readonly shardId?: number | undefined;
  /** The zone it stands in. */
  readonly zone?: string | undefined;
}

/** When a node counts as dead, and for how long; every field is optional. */
export interface FailureAccrual {
  /** Failures in a row that mark a node dead, 1 and up; 5 by default. */
  readonly consecutiveFailures?: number;
  /** The shortest time a node stays dead, in ms; 5,000 by default. */
  readonly backoffMinMs?: number;
  /** The longest time a node stays dead, in ms; 300,000 by default. */
  readonly backoffMaxMs?: number;
  /** How long an unreported probe keeps others from being sent, in ms; 5,000 by default. */
  readonly probeTimeoutMs?: number;
}

/** The names of the profiles that have no options. */
export const PROFILES = [
  "libmemcached-modula",
  "libmemcached-ketama",
  "libmemcached-ketama-weighted",
  "libmemcached-ketama-spy",
  "twemproxy-ketama",
  "twemproxy-modula",
  "uhashring-ketama",
  "python-hash-ring",
  "npm-hashring",
  "nginx-consistent",
  "envoy-ring-hash",
  "envoy-ring-hash-murmur2",
  "envoy-maglev",
  "weighted-vnode-sha256",
  "kafka-murmur2",
  "jump",
] as const;

/** A profile that has no options. */
export type Profile = (typeof PROFILES)[number];

/** A scheme: its name, or as in the document. */
export type Scheme =
  | Profile
  | { readonly profile: Profile }
  | "slots-v1"
  | "ring-v1"
  | "rendezvous-v1"
  | "finagle"
  | { readonly native: "slots-v1"; readonly slots?: number; readonly balance?: number }
  | { readonly native: "ring-v1" | "rendezvous-v1" }
  | { readonly profile: "finagle"; readonly oldLibmemcached?: boolean; readonly thriftKeys?: boolean };

/** What a topology is made of. */
export interface TopologyOptions {
  /** The nodes: ids or objects, or weights by id. At most 100,000; none is fine. */
  readonly nodes: Iterable<string | Node> | Readonly<Record<string, number>>;
  /** The placement scheme. */
  readonly scheme: Scheme;
  /** The name of a key hasher; by default the scheme's. */
  readonly keyHasher?: string;
  /** Points per unit of weight, 1 to 65,536 (from 4 on with `finagle`); 160 by default. */
  readonly numReps?: number;
  /** The weight that gets `numReps` points, 1 to 1,000,000; `ring-v1` only. */
  readonly weightUnit?: number;
  /** 1 and up; without it a router numbers the topology itself. */
  readonly revision?: bigint | number;
  /** The partitions that each shard id serves. Without it each instance is its own partition. */
  readonly partitions?: ReadonlyMap<number, readonly number[]> | Readonly<Record<number, readonly number[]>>;
  /** Whether a node that failure accrual marks dead loses its keys until it is back; `false` by default. */
  readonly ejectFailedHost?: boolean;
  /** When a node counts as dead. */
  readonly failureAccrual?: FailureAccrual;
}

const OPTIONS = [
  "nodes",
  "scheme",
  "keyHasher",
  "numReps",
  "weightUnit",
  "revision",
  "partitions",
  "ejectFailedHost",
  "failureAccrual",
];

/** The document as `toJson` writes it. */
interface Document {
  scheme: { native?: string; profile?: string };
  key_hasher: string;
  num_reps: number;
  eject_failed_host: boolean;
  nodes: { id: string; host?: string; port?: number; weight?: number; shard_id?: number; zone?: string }[];
  partitions?: { shard_id: number; serves: number[] }[];
}

/**
 * A checked declaration. Immutable; two are equal when their fingerprints and revisions are.
 *
 * An error about one of its fields is an `InvalidTopologyError` whose `place` is that of the document, for instance
 * `nodes[3].shard_id`.
 */
export class Topology {
  /** The handle. Private to the package. @internal */
  readonly _native: NativeTopology;
  #document: Document | undefined;
  #nodes: readonly Node[] | undefined;

  /** Makes a topology of plain objects. */
  constructor(options: TopologyOptions) {
    if (options instanceof Handed) {
      this._native = options.handle;
      return;
    }
    fields("options", options, OPTIONS);
    this._native = native.topologyRead(documentOf(options));
  }

  /**
   * Reads a topology document: JSON as text or as UTF-8, at most 64 MiB. Unknown or repeated fields, `null` and
   * wrong types are refused with an `InvalidTopologyError`.
   */
  static fromJson(json: string | Uint8Array): Topology {
    if (json instanceof Uint8Array) return Topology._of(native.topologyRead(decode(json)));
    return Topology._of(native.topologyRead(text("json", json)));
  }

  /** Wraps a handle. Private to the package. @internal */
  static _of(handle: NativeTopology): Topology {
    return new Topology(new Handed(handle) as unknown as TopologyOptions);
  }

  /** The document, with every default written out. Reading it back gives an equal topology. */
  toJson(): string {
    return native.topologyJson(this._native);
  }

  get #read(): Document {
    // Bounded integers and text only, so that nothing is lost; the one that may be wider is `revision`.
    this.#document ??= JSON.parse(this.toJson()) as Document;
    return this.#document;
  }

  /** The nodes, in the order in which they were declared. */
  get nodes(): readonly Node[] {
    this.#nodes ??= Object.freeze(
      this.#read.nodes.map(({ id, host, port, weight, shard_id, zone }) => {
        return Object.freeze({ id, host, port, weight: weight ?? 1, shardId: shard_id, zone });
      }),
    );
    return this.#nodes;
  }

  /** The declared partitions by shard id; `undefined` if each instance is its own partition. */
  get partitions(): ReadonlyMap<number, readonly number[]> | undefined {
    const { partitions } = this.#read;
    return partitions && new Map(partitions.map(({ shard_id, serves }) => [shard_id, serves]));
  }

  /** A 64-bit digest of everything declared except the revision: the same for equal declarations on every machine. */
  get fingerprint(): bigint {
    return native.topologyFingerprint(this._native);
  }

  /** The revision that was declared, if any. */
  get revision(): bigint | undefined {
    return native.topologyRevision(this._native) ?? undefined;
  }

  /** The name of the scheme. */
  get scheme(): string {
    return this.#read.scheme.native ?? this.#read.scheme.profile ?? "";
  }

  /** The name of the key hasher. */
  get keyHasher(): string {
    return this.#read.key_hasher;
  }

  /** Points per unit of weight. */
  get numReps(): number {
    return this.#read.num_reps;
  }

  /** Whether a node that failure accrual marks dead loses its keys until it is back. */
  get ejectFailedHost(): boolean {
    return this.#read.eject_failed_host;
  }

  /** Whether another topology declares the same under the same revision. */
  equals(other: Topology): boolean {
    return this.fingerprint === other.fingerprint && this.revision === other.revision;
  }
}

/** A handle on its way into a topology. */
class Handed {
  constructor(readonly handle: NativeTopology) {}
}

function decode(json: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(json);
  } catch (error) {
    throw new InvalidTopologyError("json: not UTF-8; a JSON document in UTF-8 is right", { place: "json", cause: error });
  }
}

function documentOf(options: TopologyOptions): string {
  const revision = options.revision === undefined ? "" : `"revision":${wide("revision", options.revision)},`;
  const plain = {
    scheme: schemeOf(options.scheme),
    key_hasher: options.keyHasher,
    num_reps: options.numReps,
    weight_unit: options.weightUnit,
    eject_failed_host: options.ejectFailedHost,
    failure_accrual: options.failureAccrual === undefined ? undefined : snake(options.failureAccrual, "failure_accrual"),
    nodes: nodesOf(options.nodes),
    partitions: options.partitions === undefined ? undefined : partitionsOf(options.partitions),
  };
  return `{"format":1,${revision}${JSON.stringify(plain, refuse).slice(1)}`;
}

/** What JSON would silently turn into something else. */
function refuse(name: string, value: unknown): unknown {
  const odd = typeof value === "bigint" || typeof value === "function" || typeof value === "symbol";
  if (odd || (typeof value === "number" && !Number.isFinite(value))) {
    throw new InvalidTopologyError(`${name}: ${describe(value)}; plain data is right`, { place: name });
  }
  if (typeof value === "string" && !isWellFormed(value)) {
    throw new InvalidTopologyError(`${name}: text with a lone surrogate has no UTF-8`, { place: name });
  }
  return value;
}

function wide(place: string, value: bigint | number): string {
  try {
    return unsigned(place, value).toString();
  } catch (error) {
    throw new InvalidTopologyError((error as Error).message, { place });
  }
}

function schemeOf(scheme: Scheme): unknown {
  if (scheme === "finagle" || PROFILES.includes(scheme as Profile)) return { profile: scheme };
  if (scheme === "slots-v1" || scheme === "ring-v1" || scheme === "rendezvous-v1") return { native: scheme };
  if (typeof scheme === "object" && scheme !== null) return snake(scheme, "scheme");
  throw new InvalidTopologyError(`scheme: ${describe(scheme)}; "slots-v1", "ring-v1", "rendezvous-v1", "finagle" or an object is right`, {
    place: "scheme",
  });
}

function nodesOf(nodes: TopologyOptions["nodes"]): unknown[] {
  if (typeof nodes !== "object" || nodes === null) {
    throw new InvalidTopologyError(`nodes: ${describe(nodes)}; an iterable or an object is right`, { place: "nodes" });
  }
  if (Symbol.iterator in nodes) {
    return Array.from(nodes, (node, at) => (typeof node === "string" ? { id: node } : snake(node, `nodes[${at}]`)));
  }
  return Object.entries(nodes).map(([id, weight]) => ({ id, weight }));
}

function partitionsOf(partitions: NonNullable<TopologyOptions["partitions"]>): unknown[] {
  if (typeof partitions !== "object" || partitions === null) {
    throw new InvalidTopologyError(`partitions: ${describe(partitions)}; a Map or an object is right`, { place: "partitions" });
  }
  const pairs = partitions instanceof Map ? [...partitions] : Object.entries(partitions);
  return pairs.map(([shard, serves]) => ({ shard_id: typeof shard === "string" ? Number(shard) : shard, serves }));
}

/** The fields of an object under the document's names; names that it does not know are refused when it is read. */
function snake(value: object, place: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null) {
    throw new InvalidTopologyError(`${place}: ${describe(value)}; an object is right`, { place });
  }
  const entries = Object.entries(value).map(([name, field]) => {
    const documented = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (field !== undefined) refuse(`${place}.${documented}`, field);
    return [documented, field];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** Refuses what is no topology. Private to the package. */
export function topologyOf(place: string, value: unknown): Topology {
  if (!(value instanceof Topology)) throw invalid(place, `${describe(value)}; a Topology is right`);
  return value;
}

/** The bounds of a count of nodes to ask for. */
export function countOf(place: string, value: unknown): number {
  return integer(place, value, 0, 2 ** 32 - 1);
}
