/**
 * How a request is split: by keys on the ring, or by logical partitions of the user's own.
 *
 * A strategy is a description. It is given to a client, which does the splitting; one strategy may serve several
 * clients. The user's functions must be pure: same input, same answer.
 *
 * @module
 */

import { callable, describe, fields, invalid, text } from "./checks.js";
import { PartitioningStrategyError } from "./errors.js";
import type { Key } from "./keys.js";
import { type RequestMerger, RequestMergers, type ResponseMerger, ResponseMergers } from "./mergers.js";
import { State } from "./state.js";
import type { Node } from "./topology.js";

/** Sub-requests by hash key: a `Map`, or an object for keys that are text. Nothing or no entry: no key. */
export type ByKey = ReadonlyMap<Key | null | undefined, unknown> | Readonly<Record<string, unknown>> | null | undefined;

/** Sub-requests by partition id: a `Map`, or an object whose names are integers. Nothing: no case. */
export type ByPartition = ReadonlyMap<number, unknown> | Readonly<Record<number, unknown>> | null | undefined;

/** An endpoint and its request to sub-requests by key. */
export type GetKeys = (endpoint: string, request: any) => ByKey;

/** An endpoint and its request to sub-requests by partition id, at once or later. */
export type GetPartitions = (endpoint: string, request: any) => ByPartition | PromiseLike<ByPartition>;

/** The shard id of an instance to the partition, or the partitions, that it serves. */
export type LogicalPartition = (shardId: number) => number | Iterable<number>;

/** How an instance of a partition is chosen: of two drawn at random the one with less under way, or in turn. */
export type Pick = "p2c" | "round_robin";

/** Mergers of a hashing strategy. */
export interface HashingOptions {
  /** For sub-requests whose keys one node owns. */
  readonly requestMergers?: RequestMergers;
  /** For requests that went to more than one node. */
  readonly responseMergers?: ResponseMergers;
}

/** A strategy for one endpoint: what both kinds take. */
export interface EndpointOptions {
  /** Says whether a request is of the right type; one that is not is a `PartitioningStrategyError`. */
  readonly isRequest?: (request: unknown) => boolean;
  /** For requests that went to more than one node or partition. */
  readonly responseMerger?: ResponseMerger;
}

/** What all custom strategies take. */
export interface CustomOptions {
  /** For requests to more than one partition. */
  readonly responseMergers?: ResponseMergers;
  /** How an instance of a partition is chosen; `p2c` by default. */
  readonly pick?: Pick;
}

/** Makes one strategy function of one function an endpoint; an endpoint without one gives `undefined`. */
export function perEndpoint<R>(cases: Readonly<Record<string, (request: any) => R>>): (endpoint: string, request: any) => R | undefined {
  for (const [endpoint, split] of Object.entries(cases)) callable(`cases.${endpoint}`, split);
  const table = new Map(Object.entries(cases));
  return (endpoint, request) => table.get(endpoint)?.(request);
}

/** The base of all strategies; not made itself. */
export abstract class Strategy {
  /** The one endpoint that it is bound to. @internal */
  _only: string | undefined;

  /** Gives the strategy that splits requests of an endpoint; `undefined` when they are not split. @internal */
  _for(endpoint: string): Strategy | undefined {
    return this._only === undefined || this._only === endpoint ? this : undefined;
  }

  /** The strategies that split, this one or those inside it. @internal */
  _parts(): Iterable<Strategy> {
    return [this];
  }

  /** Refuses further mergers. A client that is made with the strategy does this. */
  abstract freeze(): void;
}

/** Keys to nodes by the ring of the router; each node is a partition. */
export class HashingStrategy extends Strategy {
  /** The user's function. */
  readonly getKeys: GetKeys;
  /** By endpoint. */
  readonly requestMergers: RequestMergers;
  /** By endpoint. */
  readonly responseMergers: ResponseMergers;

  /** Describes the strategy. */
  constructor(getKeys: GetKeys, options: HashingOptions = {}) {
    super();
    callable("getKeys", getKeys);
    fields("options", options, ["requestMergers", "responseMergers"]);
    this.getKeys = getKeys;
    this.requestMergers = options.requestMergers ?? new RequestMergers();
    this.responseMergers = options.responseMergers ?? new ResponseMergers();
  }

  /** Makes a strategy of one function an endpoint. An endpoint without one has no key. */
  static perEndpoint(cases: Readonly<Record<string, (request: any) => ByKey>>, options: HashingOptions = {}): HashingStrategy {
    return new HashingStrategy(perEndpoint(cases), options);
  }

  /** Makes a strategy for one endpoint; requests of all others are not split. */
  static forEndpoint(
    endpoint: string,
    getKeys: (request: any) => ByKey,
    options: EndpointOptions & { readonly requestMerger?: RequestMerger } = {},
  ): HashingStrategy {
    fields("options", options, ["isRequest", "requestMerger", "responseMerger"]);
    callable("getKeys", getKeys);
    const split = typed(endpoint, getKeys, options);
    const requestMergers = new RequestMergers();
    if (options.requestMerger !== undefined) requestMergers.add(endpoint, options.requestMerger);
    const strategy = new HashingStrategy(split, { requestMergers, responseMergers: responses(endpoint, options) });
    strategy._only = endpoint;
    return strategy;
  }

  override freeze(): void {
    this.requestMergers.freeze();
    this.responseMergers.freeze();
  }
}

/** What a custom strategy observes. */
type Observed = { readonly kind: "nothing" } | { readonly kind: "state"; readonly state: State<any> } | { readonly kind: "cluster" };

/** Requests to logical partitions by functions of the user's own; made by its static methods. */
export class CustomStrategy extends Strategy {
  /** By endpoint. */
  readonly responseMergers: ResponseMergers;
  /** How an instance of a partition is chosen. */
  readonly pick: Pick;

  private constructor(
    /** @internal */ readonly _observed: Observed,
    /** @internal */ readonly _partitionsAt: (value: any) => GetPartitions,
    /** @internal */ readonly _logicalAt: ((value: any) => LogicalPartition) | undefined,
    options: CustomOptions,
  ) {
    super();
    this.responseMergers = options.responseMergers ?? new ResponseMergers();
    this.pick = options.pick ?? "p2c";
    if (this.pick !== "p2c" && this.pick !== "round_robin") {
      throw invalid("pick", `${describe(this.pick)}; "p2c" or "round_robin" is right`);
    }
  }

  /**
   * Makes a strategy whose functions never change. Without `logicalPartition` the topology's `partitions` hold, and
   * without those each instance is its own partition.
   */
  static noResharding(
    getPartitions: GetPartitions,
    options: CustomOptions & { readonly logicalPartition?: LogicalPartition } = {},
  ): CustomStrategy {
    fields("options", options, ["logicalPartition", "responseMergers", "pick"]);
    callable("getPartitions", getPartitions);
    const { logicalPartition } = options;
    if (logicalPartition !== undefined) callable("logicalPartition", logicalPartition);
    const logicalAt = logicalPartition && (() => logicalPartition);
    return new CustomStrategy({ kind: "nothing" }, () => getPartitions, logicalAt, options);
  }

  /** Makes a strategy whose functions are made anew of each value of a state. */
  static resharding<T>(
    getPartitions: (state: T) => GetPartitions,
    options: CustomOptions & { readonly state: State<T>; readonly logicalPartition?: (state: T) => LogicalPartition },
  ): CustomStrategy {
    fields("options", options, ["state", "logicalPartition", "responseMergers", "pick"]);
    callable("getPartitions", getPartitions);
    if (options.logicalPartition !== undefined) callable("logicalPartition", options.logicalPartition);
    if (!(options.state instanceof State)) throw invalid("state", `${describe(options.state)}; a State is right`);
    return new CustomStrategy({ kind: "state", state: options.state }, getPartitions, options.logicalPartition, options);
  }

  /** Makes a strategy whose functions follow the nodes of the topology in force. */
  static clusterResharding(
    getPartitions: (nodes: ReadonlySet<Node>) => GetPartitions,
    options: CustomOptions & { readonly logicalPartition?: (nodes: ReadonlySet<Node>) => LogicalPartition } = {},
  ): CustomStrategy {
    fields("options", options, ["logicalPartition", "responseMergers", "pick"]);
    callable("getPartitions", getPartitions);
    if (options.logicalPartition !== undefined) callable("logicalPartition", options.logicalPartition);
    return new CustomStrategy({ kind: "cluster" }, getPartitions, options.logicalPartition, options);
  }

  /** Makes a strategy for one endpoint whose functions never change; requests of all others are not split. */
  static forEndpoint(
    endpoint: string,
    getPartitions: (request: any) => ByPartition | PromiseLike<ByPartition>,
    options: EndpointOptions & { readonly logicalPartition?: LogicalPartition; readonly pick?: Pick } = {},
  ): CustomStrategy {
    const { isRequest, responseMerger, ...rest } = options;
    callable("getPartitions", getPartitions);
    const split = typed(endpoint, getPartitions, isRequest === undefined ? {} : { isRequest });
    const merger = responses(endpoint, responseMerger === undefined ? {} : { responseMerger });
    const strategy = CustomStrategy.noResharding(split, { ...rest, responseMergers: merger });
    strategy._only = endpoint;
    return strategy;
  }

  override freeze(): void {
    this.responseMergers.freeze();
  }
}

/** A strategy of its own for each endpoint; requests of an endpoint without one are not split. */
export class MethodStrategies extends Strategy {
  readonly #strategies: ReadonlyMap<string, Strategy>;

  /** Describes the strategies, by method name. */
  constructor(strategies: Readonly<Record<string, HashingStrategy | CustomStrategy>>) {
    super();
    for (const [endpoint, strategy] of Object.entries(strategies)) {
      if (!(strategy instanceof HashingStrategy || strategy instanceof CustomStrategy)) {
        throw invalid(`strategies.${endpoint}`, `${describe(strategy)}; a HashingStrategy or CustomStrategy is right`);
      }
    }
    this.#strategies = new Map(Object.entries(strategies));
  }

  /** @internal */
  override _for(endpoint: string): Strategy | undefined {
    return this.#strategies.get(endpoint)?._for(endpoint);
  }

  /** @internal */
  override _parts(): Iterable<Strategy> {
    return new Set(this.#strategies.values());
  }

  override freeze(): void {
    for (const strategy of this.#strategies.values()) strategy.freeze();
  }
}

function typed<R>(endpoint: string, split: (request: any) => R, options: EndpointOptions): (method: string, request: any) => R {
  if (text("endpoint", endpoint) === "") throw invalid("endpoint", "empty; the name of a method is right");
  const { isRequest } = options;
  if (isRequest !== undefined) callable("isRequest", isRequest);
  return (method, request) => {
    if (isRequest !== undefined && !isRequest(request)) {
      const message = `${method}: a request of the wrong type: ${describe(request)}`;
      throw new PartitioningStrategyError(message, { place: method });
    }
    return split(request);
  };
}

function responses(endpoint: string, options: EndpointOptions): ResponseMergers {
  const mergers = new ResponseMergers();
  if (options.responseMerger !== undefined) mergers.add(endpoint, options.responseMerger);
  return mergers;
}
