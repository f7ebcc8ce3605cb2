package io.shardway;

/**
 * A topology, or the document of one, breaks a rule; {@link #place()} says where. The one in force
 * stays. Its code is {@link ErrorCode#INVALID_TOPOLOGY}.
 */
public final class InvalidTopologyException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public InvalidTopologyException(String message, String place) {
    super(ErrorCode.INVALID_TOPOLOGY, message, place, null);
  }
}
