/**
 * The native module: what it exports, and how its errors become classes. Private to the package.
 *
 * @module
 */

import { join } from "node:path";
import { ERRORS_BY_NUMBER, InternalError } from "./errors.js";

declare const handle: unique symbol;
/** A handle of the native module; opaque, freed by the collector. */
interface Handle<Name extends string> {
  readonly [handle]: Name;
}
/** A topology. */
export type NativeTopology = Handle<"topology">;
/** A router. */
export type NativeRouter = Handle<"router">;
/** A snapshot. */
export type NativeSnapshot = Handle<"snapshot">;
/** A partition map. */
export type NativePartitions = Handle<"partitions">;

/** A text, or `4 * length + kind` of the key in the shared buffer, to the owner's index; -1 to ask the slow way. */
export type HotRoute = (key: string | number) => number;

/** An instance, as the native module takes it. */
export interface InstanceRow {
  shardId?: number;
  serves?: number[];
  failed?: string;
}

/** The exports of the native module; `src/*.rs` documents them. */
interface Native {
  version(): string;
  errorCodes(): { number: number; name: string; advice: string }[];
  keyHashers(): string[];
  panicOnDemand?(): void;
  topologyRead(text: string): NativeTopology;
  topologyJson(topology: NativeTopology): string;
  topologyFingerprint(topology: NativeTopology): bigint;
  topologyRevision(topology: NativeTopology): bigint | null;
  routerNew(topology: NativeTopology, seed: bigint): NativeRouter;
  routerHot(router: NativeRouter, buffer: ArrayBuffer, revision: bigint): HotRoute;
  routerSnapshot(router: NativeRouter): NativeSnapshot;
  routerPublish(router: NativeRouter, topology: NativeTopology): string;
  routerEject(router: NativeRouter, id: string): boolean;
  routerRevive(router: NativeRouter, id: string): boolean;
  routerReport(router: NativeRouter, id: string, outcome: string, sentMs: number, nowMs: number): EventRow | null;
  routerAdmit(router: NativeRouter, id: string, nowMs: number): string;
  routerTick(router: NativeRouter, nowMs: number): EventRow[];
  routerNextTick(router: NativeRouter): number | null;
  routerStats(router: NativeRouter): StatsRow;
  snapshotIds(snapshot: NativeSnapshot): string[];
  snapshotRevision(snapshot: NativeSnapshot): bigint;
  snapshotPoints(snapshot: NativeSnapshot): number;
  snapshotTopology(snapshot: NativeSnapshot): NativeTopology;
  snapshotTypedKeys(snapshot: NativeSnapshot): boolean;
  snapshotEjected(snapshot: NativeSnapshot): number[];
  snapshotRoute(snapshot: NativeSnapshot, kind: number, bytes: Uint8Array): number;
  snapshotRouteHash(snapshot: NativeSnapshot, hash: bigint): number;
  snapshotReplicas(snapshot: NativeSnapshot, kind: number, bytes: Uint8Array, n: number): number[];
  snapshotHash(snapshot: NativeSnapshot, kind: number, bytes: Uint8Array): bigint;
  snapshotGroup(snapshot: NativeSnapshot, data: Uint8Array, offsets: Uint32Array): Uint32Array;
  snapshotGroupHashes(snapshot: NativeSnapshot, hashes: BigUint64Array): Uint32Array;
  snapshotExplain(snapshot: NativeSnapshot, kind: number, bytes: Uint8Array): WhyRow;
  snapshotPartitions(snapshot: NativeSnapshot): NativePartitions;
  partitionsBuild(instances: InstanceRow[]): NativePartitions;
  partitionsIds(map: NativePartitions): number[];
  partitionsNodes(map: NativePartitions, partition: number): number[];
  partitionsOf(map: NativePartitions, node: number): number[];
  partitionsLeftOut(map: NativePartitions): { node: number; code: string; reason: string }[];
}

/** An event, as the native module gives it. */
export interface EventRow {
  kind: string;
  node: string;
  atMs: number;
  untilMs: number;
}

/** Counters and gauges, as the native module gives them. */
export interface StatsRow {
  redistributes: number;
  joins: number;
  leaves: number;
  ejections: number;
  revivals: number;
  partitionUpdates: number;
  snapUpdates: number;
  updateFailures: number;
  liveNodes: number;
  deadNodes: number;
  nodes: number;
  points: number;
  revision: bigint;
  fingerprint: bigint;
}

/** An explanation, as the native module gives it. */
export interface WhyRow {
  scheme: string;
  keyHasher: string;
  hash: bigint;
  position: bigint;
  point?: bigint;
  pointNode?: string;
  owner?: string;
  next: string[];
  ejected: string[];
  revision: bigint;
  fingerprint: bigint;
  text: string;
}

/** Makes the class of an error that the native module threw; see `src/border.rs` for what its code holds. */
export function translate(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== "string") return error;
  const bar = code.indexOf("|");
  const kind = ERRORS_BY_NUMBER.get(Number(code.slice(0, bar)));
  if (bar < 0 || kind === undefined) return new InternalError(`${code}: ${message}; please report this`, { cause: error });
  return new kind(String(message), { place: code.slice(bar + 1) });
}

function guarded(inner: (...values: unknown[]) => unknown): (...values: unknown[]) => unknown {
  return (...values) => {
    try {
      return inner(...values);
    } catch (error) {
      throw translate(error);
    }
  };
}

function load(): Native {
  const raw = require(join(__dirname, "shardway.node")) as Record<string, (...values: unknown[]) => unknown>;
  const exports = Object.entries(raw).map(([name, inner]) => [name, guarded(inner)]);
  return Object.fromEntries(exports) as Native;
}

/** The native module. */
export const native: Native = load();

/** The version of the JavaScript files. */
export const VERSION: string = (require("../package.json") as { version: string }).version;

if (native.version() !== VERSION) {
  throw new InternalError(
    `shardway: the JavaScript files are version ${VERSION}, the native library is version ${native.version()}; ` +
      "run npm run build, or install the package again",
  );
}
