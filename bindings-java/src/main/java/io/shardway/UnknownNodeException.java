package io.shardway;

/**
 * A node id that the topology in force does not know. Its code is {@link ErrorCode#UNKNOWN_NODE}.
 */
public final class UnknownNodeException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public UnknownNodeException(String message, String place) {
    super(ErrorCode.UNKNOWN_NODE, message, place, null);
  }
}
