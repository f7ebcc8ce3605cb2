/**
 * The connections to one node. Private to the package.
 *
 * @module
 */

import { Connection, WriteError } from "./connection.js";
import { CallTimeoutError, NodeBusyError } from "./errors.js";
import type { GeneratedService, WireOptions } from "./wire.js";

/** Counts of a pool. */
export interface PoolStats {
  /** Connections made since the pool was. */
  readonly opened: number;
  /** Connections open now, connecting ones included. */
  readonly open: number;
  /** Those of them that carry no call. */
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** A call on its way. */
interface Call {
  connection: Connection | undefined;
  wait: ((connection: Connection) => void) | undefined;
  over: boolean;
}

/** Connections to one node, made when needed, kept for a while, each carrying one call at a time. */
export class Pool {
  readonly #service: GeneratedService;
  readonly #node: string;
  readonly #host: string;
  readonly #port: number;
  readonly #options: Required<WireOptions>;
  readonly #open = new Set<Connection>();
  readonly #idle = new Map<Connection, NodeJS.Timeout>();
  readonly #waiting: Call[] = [];
  #opened = 0;
  #retired = false;

  constructor(service: GeneratedService, node: string, host: string, port: number, options: Required<WireOptions>) {
    this.#service = service;
    this.#node = node;
    this.#host = host;
    this.#port = port;
    this.#options = options;
  }

  /** Calls a method of the service; gives up when `signal` aborts or the time is up. */
  call(endpoint: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call: Call = { connection: undefined, wait: undefined, over: false };
      const finish = (clean: boolean, settle: () => void): void => {
        if (call.over) return;
        call.over = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#release(call, clean);
        settle();
      };
      const ms = this.#options.callTimeoutMs;
      const late = (): void => {
        const error =
          call.connection === undefined
            ? new NodeBusyError(`all ${this.#options.maxConnections} connections stayed in use for ${ms} ms`, this.#node, endpoint)
            : new CallTimeoutError(`no answer within ${ms} ms`, this.#node, endpoint);
        finish(false, () => reject(error));
      };
      const onAbort = (): void => finish(false, () => reject(signal.reason));
      let timer = setTimeout(late, ms);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) return onAbort();
      this.#acquire(call, (connection) => {
        // The wait was this client's own doing: the node gets its full time.
        clearTimeout(timer);
        timer = setTimeout(late, ms);
        connection.call(this.#node, endpoint, args).then(
          (value) => finish(true, () => resolve(value)),
          // Also an answer, if the connection is still there: a declared exception. But after half a request it is
          // of no use: the library would send that half with the next one.
          (error: unknown) => finish(!connection.ended && !(error instanceof WriteError), () => reject(error)),
        );
      });
    });
  }

  #acquire(call: Call, use: (connection: Connection) => void): void {
    const [free] = this.#idle.keys();
    if (free !== undefined) {
      clearTimeout(this.#idle.get(free));
      this.#idle.delete(free);
      free.hold(true);
      call.connection = free;
      use(free);
    } else if (this.#open.size < this.#options.maxConnections) {
      call.connection = this.#connect();
      use(call.connection);
    } else {
      call.wait = (connection) => {
        call.connection = connection;
        call.wait = undefined;
        use(connection);
      };
      this.#waiting.push(call);
    }
  }

  #connect(): Connection {
    const connection = new Connection(this.#service, this.#host, this.#port, this.#options);
    this.#opened += 1;
    this.#open.add(connection);
    connection.onEnd = () => {
      this.#open.delete(connection);
      clearTimeout(this.#idle.get(connection));
      this.#idle.delete(connection);
      this.#next(() => this.#connect());
    };
    return connection;
  }

  /** Gives a call's connection to the next one, keeps it, or ends it where an answer may still come on it. */
  #release(call: Call, clean: boolean): void {
    const { connection } = call;
    if (connection === undefined) {
      const at = this.#waiting.indexOf(call);
      if (at >= 0) this.#waiting.splice(at, 1);
    } else if (!clean) {
      connection.end();
    } else if (!this.#next(() => connection)) {
      this.#keep(connection);
    }
  }

  #next(give: () => Connection): boolean {
    if (this.#waiting.length === 0 || this.#open.size > this.#options.maxConnections) return false;
    const wait = this.#waiting.shift()?.wait;
    if (wait !== undefined) wait(give());
    return wait !== undefined;
  }

  #keep(connection: Connection): void {
    if (this.#retired || this.#options.idleMs === 0) return connection.end();
    connection.hold(false);
    this.#idle.set(connection, setTimeout(() => connection.end(), this.#options.idleMs).unref());
  }

  /** Ends what is idle now, and each busy connection when its call has ended. */
  retire(): void {
    this.#retired = true;
    for (const connection of [...this.#idle.keys()]) connection.end();
  }

  /** Gives counts. */
  stats(): PoolStats {
    return { opened: this.#opened, open: this.#open.size, idle: this.#idle.size, waiting: this.#waiting.length };
  }
}
