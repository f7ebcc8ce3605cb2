/**
 * The partition-aware Thrift client, over npm `thrift`.
 *
 * @packageDocumentation
 */

export type { ThriftClientOptions } from "./client.js";
export { classify, ThriftClient } from "./client.js";
export {
  CallTimeoutError,
  ConnectError,
  ConnectionLostError,
  GarbageAnswerError,
  NodeBusyError,
  NodeFailedError,
} from "./errors.js";
export type { PoolStats } from "./pool.js";
export type { GeneratedService, WireOptions } from "./wire.js";
