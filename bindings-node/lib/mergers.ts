/**
 * How sub-requests become one request a node, and how answers become one result.
 *
 * A registry holds one function an endpoint. It is filled before a client is made with it, and frozen by that.
 *
 * @module
 */

import { callable, invalid, text } from "./checks.js";
import type { Key } from "./keys.js";

/** A part of a request that got no answer, or a declared exception as one: what a response merger gets. */
export interface PartFailure {
  /** What happened. */
  readonly error: unknown;
  /** The method that was called. */
  readonly endpoint: string;
  /** The id of the node that was asked; `undefined` when none was. */
  readonly node: string | undefined;
  /** The logical partition that was asked; `undefined` with a hashing strategy. */
  readonly partition: number | undefined;
  /** The keys of the part, in their order; empty with a custom strategy. */
  readonly keys: readonly Key[];
  /** The request of the part, as it was sent or would have been. */
  readonly request: unknown;
}

// Requests and answers are whatever the transport uses; only the user's functions look inside.

/** Makes one request of several that go to one node, given in the order of their keys. */
export type RequestMerger = (requests: any[]) => any;

/**
 * Makes one result of all answers, each list in the order in which their keys first appear.
 *
 * To answer with an error it throws the `error` of one of the failures, or returns an `Error`, which is thrown as it
 * is. Anything else that it throws counts as the merger's own failure.
 */
export type ResponseMerger = (successes: any[], failures: PartFailure[]) => any;

/** Functions by endpoint, frozen by the client that is made with them. */
class Registry<F> {
  readonly #byEndpoint = new Map<string, F>();
  readonly #role: string;
  #frozen = false;

  constructor(role: string) {
    this.#role = role;
  }

  /**
   * Sets the merger of an endpoint and gives back the registry, so that calls can be chained.
   * `InvalidArgumentError` when the endpoint has one already, or once a client has the registry.
   */
  add(endpoint: string, merge: F): this {
    text("endpoint", endpoint);
    callable("merge", merge);
    const name = JSON.stringify(endpoint);
    if (this.#frozen) {
      throw invalid("endpoint", `${name} comes too late; a ${this.#role} registry is frozen once a client has it`);
    }
    if (this.#byEndpoint.has(endpoint)) {
      throw invalid("endpoint", `${name} has a ${this.#role} already; one an endpoint is right`);
    }
    this.#byEndpoint.set(endpoint, merge);
    return this;
  }

  /** Gives the merger of an endpoint. */
  get(endpoint: string): F | undefined {
    return this.#byEndpoint.get(endpoint);
  }

  /** Refuses further additions. A client that is made with the registry does this. */
  freeze(): void {
    this.#frozen = true;
  }
}

/** Request mergers by endpoint. */
export class RequestMergers extends Registry<RequestMerger> {
  /** Begins empty. */
  constructor() {
    super("request merger");
  }
}

/** Response mergers by endpoint. */
export class ResponseMergers extends Registry<ResponseMerger> {
  /** Begins empty. */
  constructor() {
    super("response merger");
  }
}
