/**
 * What a call to a Thrift server can fail with, beyond the exceptions that the service declares. Those, and
 * `TApplicationException` of the Thrift library, are answers, and arrive as they are.
 *
 * @module
 */

import { ShardNotAvailableError } from "../errors.js";

/** A node gave no usable answer; never thrown itself, its subclasses are. `cause` is what happened. */
export abstract class NodeFailedError extends ShardNotAvailableError {
  /** The id of the node that was asked. */
  readonly node: string;
  /** The name of the method that was called. */
  readonly endpoint: string;

  /** Makes the error of what happened; the text begins with node and endpoint. */
  constructor(message = "", node = "", endpoint = "", cause?: unknown) {
    super(node === "" ? message : `node ${JSON.stringify(node)}, ${endpoint}: ${message}`, { cause });
    this.node = node;
    this.endpoint = endpoint;
  }
}

/** No connection could be made: nobody listens, the name is unknown, or it took longer than allowed. */
export class ConnectError extends NodeFailedError {}

/** The answer did not come in time. The server may still do, or have done, what was asked. */
export class CallTimeoutError extends NodeFailedError {}

/** The connection broke before the answer was complete. The server may have done what was asked. */
export class ConnectionLostError extends NodeFailedError {}

/** What came is no answer of this service: not Thrift, another protocol, or another method. */
export class GarbageAnswerError extends NodeFailedError {}

/**
 * Every connection to the node stayed in use by this client's own calls until the time was up; nothing was sent. It
 * says nothing about the node, so it is not held against its health.
 */
export class NodeBusyError extends NodeFailedError {}
