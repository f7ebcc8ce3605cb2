package io.shardway.thrift;

import io.shardway.ShardNotAvailableException;

/**
 * A node gave no usable answer. The exceptions that a service declares, and Thrift's {@code
 * TApplicationException}, are answers and arrive as they are.
 */
public final class NodeFailedException extends ShardNotAvailableException {
  private static final long serialVersionUID = 1L;

  /** What happened. */
  public enum Reason {
    /** No connection could be made: nobody listens, the name is unknown, or it took too long. */
    CONNECT,
    /** The answer did not come in time. The server may still do, or have done, what was asked. */
    TIMEOUT,
    /**
     * The connection broke before the answer was complete. The server may have done what was asked.
     */
    LOST,
    /** What came is no answer of this service: not Thrift, another protocol, or over the bound. */
    GARBAGE,
    /**
     * Every connection stayed in use by this client's own calls until the time was up; nothing was
     * sent. It says nothing about the node.
     */
    BUSY
  }

  /** What happened. */
  private final Reason reason;

  /** The node that was asked. */
  private final String node;

  /**
   * Makes the exception.
   *
   * @param reason what happened
   * @param node the id of the node that was asked
   * @param endpoint the method that was called
   * @param message more, as text
   * @param cause what was thrown; null for none
   */
  public NodeFailedException(
      Reason reason, String node, String endpoint, String message, Throwable cause) {
    super("node \"" + node + "\", " + endpoint + ": " + message, endpoint);
    this.reason = reason;
    this.node = node;
    if (cause != null) {
      initCause(cause);
    }
  }

  /**
   * What happened.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * The node that was asked.
   *
   * @return its id
   */
  public String node() {
    return node;
  }
}
