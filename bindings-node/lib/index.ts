/**
 * Which instance owns this key, right now: the same answer in every language.
 *
 * @packageDocumentation
 */

export type { CallOptions, ClientOptions, ClientStats, Send } from "./client.js";
export { PartitionedClient } from "./client.js";
export type { ErrorCodeName, ErrorDetails } from "./errors.js";
export {
  ClosedError,
  ERRORS_BY_NUMBER,
  InternalError,
  InvalidArgumentError,
  InvalidTopologyError,
  NodeUnavailableError,
  NoPartitionError,
  NoPartitioningKeysError,
  NoShardIdError,
  PartitioningStrategyError,
  PartTimeoutError,
  RevisionConflictError,
  ShardNotAvailableError,
  ShardwayError,
  StaleRevisionError,
  UnknownNodeError,
  UnsupportedError,
} from "./errors.js";
export type { Key } from "./keys.js";
export { I32 } from "./keys.js";
export type { PartFailure, RequestMerger, ResponseMerger } from "./mergers.js";
export { RequestMergers, ResponseMergers } from "./mergers.js";
export { VERSION } from "./native.js";
export type { Instance, LeftOut } from "./partitions.js";
export { PartitionMap } from "./partitions.js";
export type { Admission, Event, Outcome, Publish, RouterOptions, Stats } from "./router.js";
export { Router } from "./router.js";
export type { Classify } from "./sender.js";
export { defaultClassify } from "./sender.js";
export type { Explanation } from "./snapshot.js";
export { Snapshot } from "./snapshot.js";
export { State } from "./state.js";
export type {
  ByKey,
  ByPartition,
  CustomOptions,
  EndpointOptions,
  GetKeys,
  GetPartitions,
  HashingOptions,
  LogicalPartition,
  Pick,
} from "./strategy.js";
export { CustomStrategy, HashingStrategy, MethodStrategies, perEndpoint, Strategy } from "./strategy.js";
export type { FailureAccrual, Node, Scheme, TopologyOptions } from "./topology.js";
export { Topology } from "./topology.js";
