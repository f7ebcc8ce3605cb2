/**
 * The partition-aware Thrift client.
 *
 * @module
 */

import { describe, fields, invalid, text } from "../checks.js";
import { type CallOptions, type ClientOptions, type ClientStats, PartitionedClient } from "../client.js";
import { PartTimeoutError, ShardwayError } from "../errors.js";
import type { Event, Outcome } from "../router.js";
import { Router } from "../router.js";
import type { Node } from "../topology.js";
import { WriteError } from "./connection.js";
import { NodeBusyError, NodeFailedError } from "./errors.js";
import { Pool, type PoolStats } from "./pool.js";
import { type GeneratedService, WIRE_OPTIONS, type WireOptions, wireOptions } from "./wire.js";

/** Options of a Thrift client: those of a client, and how servers are spoken to. */
export interface ThriftClientOptions extends Omit<ClientOptions, "classify">, WireOptions {
  /** What an error of a call says of the node's health; see `classify`. */
  readonly classify?: (error: unknown) => Outcome;
}

/**
 * What an error of a call says about the node. No usable answer is a failure of it. An error of the caller's own
 * making (an argument that cannot be written, an aborted call, too few connections) says nothing. Everything else
 * came out of an answer, a declared exception or `TApplicationException`: a node that answers is alive.
 */
export function classify(error: unknown): Outcome {
  if (error instanceof NodeBusyError) return "ignored";
  if (error instanceof NodeFailedError || error instanceof PartTimeoutError) return "failure";
  if (error instanceof ShardwayError || (error as { name?: unknown } | null)?.name === "AbortError") return "ignored";
  return unwritten.has(error as object) ? "ignored" : "success";
}

/** Errors of arguments that could not be written. */
const unwritten = new WeakSet<object>();

/**
 * Calls a Thrift service whose instances each own a part of the keys.
 *
 * A request is the array of a method's arguments: that is what strategies and mergers get and give. Connections are
 * made when needed, several to a node, one call at a time on each; a broken one is replaced at the next call, and
 * what failed is reported to the router. Nothing is sent twice.
 *
 * `Service` is the type of the generated client, where there are types.
 */
export class ThriftClient<Service extends object = any> {
  /** The service's own methods, as `client.service.getBox(address, passcode)`; each gives a promise. */
  readonly service: Service;
  readonly #generated: GeneratedService;
  readonly #client: PartitionedClient;
  readonly #options: Required<WireOptions>;
  readonly #endpoints: ReadonlySet<string>;
  readonly #pools = new Map<string, Pool>();
  #revision = -1n;

  /**
   * Makes a client of a generated module (`thrift --gen js:node,es6`). Every node of the topology needs `host` and
   * `port`: `InvalidArgumentError` otherwise.
   */
  constructor(service: GeneratedService, router: Router, options: ThriftClientOptions = {}) {
    if (typeof service?.Client !== "function") {
      throw invalid("service", `${describe(service)}; a module that thrift --gen js:node,es6 wrote is right`);
    }
    if (!(router instanceof Router)) throw invalid("router", `${describe(router)}; a Router is right`);
    fields("options", options, [...WIRE_OPTIONS, "strategy", "classify", "clockMs", "timeoutMs", "seed", "log"]);
    const [wire, rest] = split(options);
    this.#generated = service;
    this.#options = wireOptions(wire);
    this.#endpoints = endpointsOf(service);
    for (const node of router.snapshot().nodes) addressOf(node);
    this.#client = new PartitionedClient(router, (node, endpoint, args, signal) => this.#send(node, endpoint, args, signal), {
      classify,
      ...rest,
    });
    const methods = [...this.#endpoints].map((name) => [name, (...args: unknown[]) => this.call(name, args)]);
    this.service = Object.freeze(Object.fromEntries(methods)) as Service;
  }

  /** Calls a method by its name with the array of its arguments; see `PartitionedClient.call`. */
  async call(endpoint: string, args: readonly unknown[], options: CallOptions = {}): Promise<any> {
    if (!this.#endpoints.has(text("endpoint", endpoint))) {
      throw invalid("endpoint", `the service has no method ${JSON.stringify(endpoint)}; it has ${[...this.#endpoints].join(", ")}`);
    }
    if (!Array.isArray(args)) throw invalid("args", `${describe(args)}; the array of the method's arguments is right`);
    return await this.#client.call(endpoint, args, options);
  }

  async #send(node: Node, endpoint: string, args: unknown, signal: AbortSignal): Promise<unknown> {
    if (!Array.isArray(args)) {
      throw invalid("request", `${endpoint}: a strategy or merger gave ${describe(args)}; an array of arguments is right`);
    }
    try {
      return await this.#pool(node).call(endpoint, args, signal);
    } catch (error) {
      if (!(error instanceof WriteError)) throw error;
      const { cause } = error;
      if (typeof cause === "object" && cause !== null) unwritten.add(cause);
      throw cause;
    }
  }

  #pool(node: Node): Pool {
    const { host, port } = addressOf(node);
    this.#retire();
    const key = JSON.stringify([node.id, host, port]);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(this.#generated, node.id, host, port, this.#options);
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** After a publish lets go of the pools of nodes that left or moved. */
  #retire(): void {
    const snapshot = this.#client.router.snapshot();
    if (snapshot.revision === this.#revision) return;
    this.#revision = snapshot.revision;
    const live = new Set(snapshot.nodes.map(({ id, host, port }) => JSON.stringify([id, host, port])));
    for (const [key, pool] of this.#pools) {
      if (live.has(key)) continue;
      this.#pools.delete(key);
      pool.retire();
    }
  }

  /** Lets time pass for nodes that are marked dead, and gives what changed. Calls do this in passing. */
  tick(): Event[] {
    return this.#client.tick();
  }

  /** Gives the counters of the fan-out. */
  stats(): ClientStats {
    return this.#client.stats();
  }

  /** Gives the counts of the connections, by node id. */
  poolStats(): Map<string, PoolStats> {
    return new Map([...this.#pools].map(([key, pool]) => [(JSON.parse(key) as string[])[0] as string, pool.stats()]));
  }

  /** Refuses new calls, gives up those under way and ends every connection. May be called again. */
  close(): void {
    this.#client.close();
    for (const pool of this.#pools.values()) pool.retire();
    this.#pools.clear();
  }
}

function split(options: ThriftClientOptions): [WireOptions, ClientOptions] {
  const wire = new Set<string>(WIRE_OPTIONS);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const of = (mine: boolean): object => Object.fromEntries(given.filter(([name]) => wire.has(name) === mine));
  return [of(true), of(false)];
}

function endpointsOf(service: GeneratedService): ReadonlySet<string> {
  const names = new Set<string>();
  // A service that extends another inherits its methods.
  for (let level = service.Client.prototype as object; level !== Object.prototype; level = Object.getPrototypeOf(level) as object) {
    for (const name of Object.getOwnPropertyNames(level)) if (name.startsWith("send_")) names.add(name.slice(5));
  }
  return names;
}

function addressOf(node: Node): { host: string; port: number } {
  const { id, host, port } = node;
  if (host === undefined || port === undefined) {
    throw invalid("topology", `node ${JSON.stringify(id)} has no address; host and port are right`);
  }
  return { host, port };
}
