/**
 * The little of npm `thrift` that is used here, with types. Private to the package.
 *
 * @module
 */

import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { fields, integer, invalid } from "../checks.js";

/** A connection of npm `thrift`. */
export interface RawConnection extends EventEmitter {
  connected: boolean;
  connection: Socket;
  destroy(): void;
}

/** A generated client: its methods by name, and the calls under way by sequence number. */
export interface GeneratedClient {
  _reqs: Record<number, unknown>;
  seqid(): number;
  [method: string]: unknown;
}

/** A generated service module, as `thrift --gen js:node,es6` writes it. */
export interface GeneratedService {
  readonly Client: new (...wiring: any[]) => object;
}

interface Library {
  createConnection(host: string, port: number, options: object): RawConnection;
  createClient(service: GeneratedService, connection: RawConnection): GeneratedClient;
  TFramedTransport: unknown;
  TBufferedTransport: unknown;
  TBinaryProtocol: unknown;
  TCompactProtocol: unknown;
}

/** The library, which is not needed without `shardway/thrift`. */
export const library = require("thrift") as Library;

/** How servers are spoken to. */
export interface WireOptions {
  /** `framed` by default; the servers decide. */
  readonly transport?: "framed" | "buffered";
  /** `binary` by default; the servers decide. */
  readonly protocol?: "binary" | "compact";
  /** The time to connect in ms, up to a day; 1,000 by default. */
  readonly connectTimeoutMs?: number;
  /**
   * The time for one call to one node in ms, up to a day, connecting included; 5,000 by default. The wait for a free
   * connection is bounded by the same time, before it begins.
   */
  readonly callTimeoutMs?: number;
  /** Connections to one node at once, 1 to 10,000; 8 by default. Each carries one call at a time. */
  readonly maxConnections?: number;
  /** How long an unused connection is kept in ms, 0 to a day; 60,000 by default. */
  readonly idleMs?: number;
}

/** The names of the options. */
export const WIRE_OPTIONS = [
  "transport",
  "protocol",
  "connectTimeoutMs",
  "callTimeoutMs",
  "maxConnections",
  "idleMs",
] as const;

const DAY_MS = 86_400_000;

/** Checks the options and fills in what is not given. */
export function wireOptions(options: WireOptions): Required<WireOptions> {
  fields("options", options, WIRE_OPTIONS);
  const { transport = "framed", protocol = "binary" } = options;
  const { connectTimeoutMs = 1_000, callTimeoutMs = 5_000, maxConnections = 8, idleMs = 60_000 } = options;
  if (transport !== "framed" && transport !== "buffered") {
    throw invalid("transport", `${String(transport)}; "framed" or "buffered" is right`);
  }
  if (protocol !== "binary" && protocol !== "compact") {
    throw invalid("protocol", `${String(protocol)}; "binary" or "compact" is right`);
  }
  integer("connectTimeoutMs", connectTimeoutMs, 1, DAY_MS);
  integer("callTimeoutMs", callTimeoutMs, 1, DAY_MS);
  integer("maxConnections", maxConnections, 1, 10_000);
  integer("idleMs", idleMs, 0, DAY_MS);
  return { transport, protocol, connectTimeoutMs, callTimeoutMs, maxConnections, idleMs };
}

/** Begins a connection. */
export function dial(host: string, port: number, options: Required<WireOptions>): RawConnection {
  const transport = options.transport === "framed" ? library.TFramedTransport : library.TBufferedTransport;
  const protocol = options.protocol === "binary" ? library.TBinaryProtocol : library.TCompactProtocol;
  // It never connects again by itself: the pool makes a new one, so that a failure is seen and reported.
  return library.createConnection(host, port, { transport, protocol, max_attempts: 0 });
}
