/**
 * The fan-out client: scatter, send, gather.
 *
 * @module
 */

import { callable, describe, fields, integer, invalid, text, timeout } from "./checks.js";
import { ClosedError, PartitioningStrategyError, PartTimeoutError } from "./errors.js";
import { type Answer, gather } from "./gather.js";
import { type Event, Router, type Stats } from "./router.js";
import { type Part, type Plan, Scatter } from "./scatter.js";
import { type Classify, defaultClassify, Sender, type Ticket } from "./sender.js";
import { Strategy } from "./strategy.js";
import type { Node } from "./topology.js";

/**
 * Sends one part to one node and gives its answer. What it rejects with counts as the failure of its part. `signal`
 * is aborted when nobody waits any more: the caller aborted, the time is up, or the client was closed.
 */
export type Send = (node: Node, endpoint: string, request: any, signal: AbortSignal) => unknown;

/** Options of a client. */
export interface ClientOptions {
  /** How requests are split. Without one each goes whole to the nodes in turn. */
  readonly strategy?: Strategy;
  /** What an error of `send` says of the node's health; see `defaultClassify`. */
  readonly classify?: Classify;
  /** The time in ms of a clock that never goes back; by default that of the process. */
  readonly clockMs?: () => number;
  /** For each request that is not given its own, in ms, above 0 and up to a day; no bound by default. */
  readonly timeoutMs?: number;
  /** Of the draws among equivalent instances, 0 to 2^32 - 1; 0 by default. */
  readonly seed?: number;
  /** Takes a line when a node's state changes, or something was wrong that no caller is told; ignored by default. */
  readonly log?: (message: string, error?: unknown) => void;
}

/** Options of one call. */
export interface CallOptions {
  /** The time for the whole request in ms, above 0 and up to a day; that of the client by default. */
  readonly timeoutMs?: number;
  /** Gives the request up: the call rejects with its reason, and the parts say nothing of their nodes' health. */
  readonly signal?: AbortSignal;
}

/** Counters and gauges of a client, under Finagle's names. */
export interface ClientStats {
  /** Those of the router, which other clients may share. */
  readonly router: Stats;
  /** Changes of the logical partitions. */
  readonly partitionUpdates: number;
  /** Views of the logical partitions put in force, changed or not. */
  readonly snapUpdates: number;
  /** Updates that could not be used, so that the old view was kept. */
  readonly updateFailures: number;
  /** Logical partitions with a custom strategy, else nodes. */
  readonly nodes: number;
  /** Instances that serve no partition because something is wrong with them. */
  readonly leftOut: number;
}

const OPTIONS = ["strategy", "classify", "clockMs", "timeoutMs", "seed", "log"];

/** Splits requests by a strategy, sends the parts at once, merges the answers. */
export class PartitionedClient {
  /** The router. */
  readonly router: Router;
  readonly #send: Send;
  readonly #scatter: Scatter;
  readonly #sender: Sender;
  readonly #timeoutMs: number | undefined;
  readonly #closing = new AbortController();
  readonly #calls = new Set<(error: unknown) => void>();

  /** Makes a client. Nothing is sent yet. The strategy's mergers are frozen. Several clients may share a router. */
  constructor(router: Router, send: Send, options: ClientOptions = {}) {
    if (!(router instanceof Router)) throw invalid("router", `${describe(router)}; a Router is right`);
    callable("send", send);
    fields("options", options, OPTIONS);
    const { strategy, classify = defaultClassify, clockMs = () => performance.now(), seed = 0, log = () => undefined } = options;
    if (strategy !== undefined && !(strategy instanceof Strategy)) {
      throw invalid("strategy", `${describe(strategy)}; a HashingStrategy, CustomStrategy or MethodStrategies is right`);
    }
    callable("classify", classify);
    callable("clockMs", clockMs);
    callable("log", log);
    integer("seed", seed, 0, 2 ** 32 - 1);
    this.#timeoutMs = options.timeoutMs === undefined ? undefined : timeout("timeoutMs", options.timeoutMs);
    this.router = router;
    this.#send = send;
    this.#scatter = new Scatter(router, strategy, log);
    this.#sender = new Sender(router, classify, clockMs, seed, log);
  }

  /**
   * Sends a request and gives its result.
   *
   * Rejects with `NoPartitioningKeysError`, `PartitioningStrategyError` or `ShardNotAvailableError` when nothing was
   * sent; with the error of the part when there was only one; with what the response merger throws of the failures;
   * with the signal's reason; with `ClosedError`.
   */
  async call(endpoint: string, request: unknown, options: CallOptions = {}): Promise<any> {
    if (text("endpoint", endpoint) === "") throw invalid("endpoint", "empty; the name of a method is right");
    fields("options", options, ["timeoutMs", "signal"]);
    const { signal } = options;
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      throw invalid("signal", `${describe(signal)}; an AbortSignal is right`);
    }
    const timeoutMs = options.timeoutMs === undefined ? this.#timeoutMs : timeout("timeoutMs", options.timeoutMs);
    if (this.#closing.signal.aborted) throw new ClosedError("the client was closed; make a new one");
    signal?.throwIfAborted();
    this.#sender.tickIfDue();
    return await this.#run(endpoint, request, timeoutMs, signal);
  }

  #run(endpoint: string, request: unknown, timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fanOut = new FanOut(this.#sender, this.#send);
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#calls.delete(giveUp);
        finish();
      };
      const giveUp = (error: unknown): void => {
        fanOut.abandon(error);
        settle(() => reject(error));
      };
      const onAbort = (): void => giveUp(signal?.reason);
      const late = (): void => {
        if (!fanOut.expire(endpoint)) giveUp(strategyLate(endpoint));
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#calls.add(giveUp);
      this.#answers(fanOut, endpoint, request).then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  async #answers(fanOut: FanOut, endpoint: string, request: unknown): Promise<unknown> {
    const made = this.#scatter.plan(endpoint, request);
    const plan = made instanceof Promise ? await made : made;
    return gather(plan, await fanOut.run(plan));
  }

  /** Lets time pass for nodes that are marked dead, and gives what changed. Calls do this in passing. */
  tick(): Event[] {
    return this.#sender.tick();
  }

  /** Gives counters and gauges. */
  stats(): ClientStats {
    const router = this.router.stats();
    const custom = this.#scatter.stats();
    if (custom !== undefined) return { router, ...custom };
    const { partitionUpdates, snapUpdates, updateFailures, nodes } = router;
    const leftOut = this.router.snapshot().partitions.leftOut.length;
    return { router, partitionUpdates, snapUpdates, updateFailures, nodes, leftOut };
  }

  /** Refuses new calls and gives up those under way, which reject with a `ClosedError`. May be called again. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#scatter.close();
    for (const giveUp of [...this.#calls]) giveUp(new ClosedError("the client was closed before the answer came"));
  }
}

/** The time was up while the strategy's own answer was awaited. */
function strategyLate(endpoint: string): PartitioningStrategyError {
  const cause = new PartTimeoutError(`${endpoint}: the strategy gave no answer in time; nothing was sent`);
  return new PartitioningStrategyError(cause.message, { place: endpoint, cause });
}

/** The parts of one request under way. */
class FanOut {
  readonly #sender: Sender;
  readonly #send: Send;
  readonly #abort = new AbortController();
  readonly #pending = new Set<Sending>();
  #givenUp = false;

  constructor(sender: Sender, send: Send) {
    this.#sender = sender;
    this.#send = send;
  }

  /** Sends all parts at once and gives their answers in the order of the plan. */
  run(plan: Plan): Promise<Answer[]> {
    if (this.#givenUp) return new Promise(() => undefined); // nobody waits, and nothing is sent
    return Promise.all(plan.parts.map((part) => this.#one(part)));
  }

  #one(part: Part): Promise<Answer> {
    let ticket: Ticket;
    try {
      ticket = this.#sender.admit(part);
    } catch (error) {
      return Promise.resolve({ ok: false, node: part.candidates.length === 1 ? part.candidates[0]?.id : undefined, error });
    }
    const node = ticket.node.id;
    return new Promise((resolve) => {
      const sending: Sending = { ticket, fail: (error) => done({ ok: false, node, error }) };
      const done = (answer: Answer): void => {
        this.#pending.delete(sending);
        resolve(answer);
      };
      this.#pending.add(sending);
      // A transport may fail before it gives a promise.
      new Promise((answer) => answer(this.#send(ticket.node, part.endpoint, part.request, this.#abort.signal))).then(
        (value) => {
          this.#sender.succeeded(ticket);
          done({ ok: true, node, value });
        },
        (error: unknown) => {
          this.#sender.failed(ticket, error);
          sending.fail(error);
        },
      );
    });
  }

  /** The time is up: what was not answered counts as a failure. `false` when nothing was sent yet. */
  expire(endpoint: string): boolean {
    if (this.#pending.size === 0) return false;
    const late = new PartTimeoutError(`${endpoint}: no answer in time; it was sent`);
    for (const sending of [...this.#pending]) {
      const error = new PartTimeoutError(`${endpoint}: no answer in time from node ${sending.ticket.node.id}; it was sent`);
      this.#sender.failed(sending.ticket, error);
      sending.fail(error);
    }
    this.#abort.abort(late);
    return true;
  }

  /** Nobody waits any more: the parts say nothing of their nodes' health. */
  abandon(reason: unknown): void {
    this.#givenUp = true;
    for (const { ticket } of this.#pending) this.#sender.dropped(ticket);
    this.#pending.clear();
    this.#abort.abort(reason);
  }
}

/** One part under way. */
interface Sending {
  readonly ticket: Ticket;
  readonly fail: (error: unknown) => void;
}
