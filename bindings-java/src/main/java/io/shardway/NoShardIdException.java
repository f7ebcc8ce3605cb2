package io.shardway;

/**
 * An instance has no shard id, so it cannot serve a logical partition. Its code is {@link
 * ErrorCode#NO_SHARD_ID}.
 */
public final class NoShardIdException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public NoShardIdException(String message, String place) {
    super(ErrorCode.NO_SHARD_ID, message, place, null);
  }
}
