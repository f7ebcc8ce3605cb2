/**
 * The errors of shardway: one taxonomy, the same codes as in every other language.
 *
 * @module
 */

/** The names of the kinds, the same in every language. */
export type ErrorCodeName =
  | "InvalidTopology"
  | "InvalidArgument"
  | "StaleRevision"
  | "RevisionConflict"
  | "UnknownNode"
  | "NoPartitioningKeys"
  | "PartitioningStrategy"
  | "NoPartition"
  | "NoShardId"
  | "ShardNotAvailable"
  | "Unsupported"
  | "Closed"
  | "Internal";

/** What an error may be made with besides its message. */
export interface ErrorDetails {
  /** Where in the input the fault lies, for instance `nodes[3].weight`. */
  readonly place?: string;
  /** What led to it. */
  readonly cause?: unknown;
}

/**
 * The base of every error this package throws on purpose. It is never thrown itself: its subclasses are.
 */
export abstract class ShardwayError extends Error {
  /** The name of the kind, the same in every language. */
  abstract readonly code: ErrorCodeName;
  /** The number of the kind, the same one that the C ABI returns. */
  abstract readonly number: number;
  /** Where in the input the fault lies, for instance `nodes[3].weight`; empty when it is about no single place. */
  readonly place: string;

  /** Makes the error of a sentence that names the value and what would be right. */
  constructor(message = "", details: ErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = new.target.name;
    this.place = details.place ?? "";
  }
}

/** A topology, or the document of one, breaks a rule; `place` says where. The one in force stays. */
export class InvalidTopologyError extends ShardwayError {
  override readonly code = "InvalidTopology" as const;
  override readonly number = 10;
}

/** An argument is of the wrong type, out of range or not valid text. Nothing was changed. */
export class InvalidArgumentError extends ShardwayError {
  override readonly code = "InvalidArgument" as const;
  override readonly number = 11;
}

/** A topology is older than the one in force; drop it. */
export class StaleRevisionError extends ShardwayError {
  override readonly code = "StaleRevision" as const;
  override readonly number = 20;
}

/** A topology has the revision of the one in force and other content; the newer one needs a higher one. */
export class RevisionConflictError extends ShardwayError {
  override readonly code = "RevisionConflict" as const;
  override readonly number = 21;
}

/** A node id that the topology in force does not know. */
export class UnknownNodeError extends ShardwayError {
  override readonly code = "UnknownNode" as const;
  override readonly number = 30;
}

/** A request gave no key to route by: its endpoint has no case in the strategy, or the case gave none. */
export class NoPartitioningKeysError extends ShardwayError {
  override readonly code = "NoPartitioningKeys" as const;
  override readonly number = 40;
}

/** A strategy or merger failed or is missing; what it threw, if it did, is `cause`. */
export class PartitioningStrategyError extends ShardwayError {
  override readonly code = "PartitioningStrategy" as const;
  override readonly number = 41;
}

/** No instance serves the partition that was asked for. */
export class NoPartitionError extends ShardwayError {
  override readonly code = "NoPartition" as const;
  override readonly number = 50;
}

/** An instance has no shard id, so it cannot serve a logical partition. */
export class NoShardIdError extends ShardwayError {
  override readonly code = "NoShardId" as const;
  override readonly number = 51;
}

/** No node can own a key, or the one asked gave no usable answer; its subclasses say which. */
export class ShardNotAvailableError extends ShardwayError {
  override readonly code = "ShardNotAvailable" as const;
  override readonly number = 60;
}

/** The combination that was asked for is not defined. */
export class UnsupportedError extends ShardwayError {
  override readonly code = "Unsupported" as const;
  override readonly number = 70;
}

/** The object was closed before the call, or before its answer came; make a new one. */
export class ClosedError extends ShardwayError {
  override readonly code = "Closed" as const;
  override readonly number = 80;
}

/** A defect in this library. The call had no effect, the next one works; please report it. */
export class InternalError extends ShardwayError {
  override readonly code = "Internal" as const;
  override readonly number = 90;
}

/** Nothing was sent: every node that could answer is marked dead, or its one probe is under way. */
export class NodeUnavailableError extends ShardNotAvailableError {
  /** The ids of the nodes that were considered. */
  readonly nodes: readonly string[];

  /** Makes the error of a sentence and the ids of the nodes that were considered. */
  constructor(message = "", nodes: readonly string[] = []) {
    super(message);
    this.nodes = nodes;
  }
}

/** A part had no answer when the time of the request was up. Its node may still do what was asked. */
export class PartTimeoutError extends ShardNotAvailableError {}

/** The class of each code, by number. A code has exactly one class here; its subclasses share it. */
export const ERRORS_BY_NUMBER: ReadonlyMap<number, new (message?: string, details?: ErrorDetails) => ShardwayError> =
  new Map(
    [
      InvalidTopologyError,
      InvalidArgumentError,
      StaleRevisionError,
      RevisionConflictError,
      UnknownNodeError,
      NoPartitioningKeysError,
      PartitioningStrategyError,
      NoPartitionError,
      NoShardIdError,
      ShardNotAvailableError,
      UnsupportedError,
      ClosedError,
      InternalError,
    ].map((kind) => [new kind().number, kind]),
  );
