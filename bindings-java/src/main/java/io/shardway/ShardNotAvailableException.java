package io.shardway;

/**
 * No node can own a key: none is declared with weight, or all are ejected; or the one that could
 * answer may not be sent to, or is late. Its code is {@link ErrorCode#SHARD_NOT_AVAILABLE}.
 */
public class ShardNotAvailableException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public ShardNotAvailableException(String message, String place) {
    super(ErrorCode.SHARD_NOT_AVAILABLE, message, place, null);
  }
}
