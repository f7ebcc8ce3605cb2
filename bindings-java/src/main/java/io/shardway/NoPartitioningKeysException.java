package io.shardway;

/**
 * A request gave no key to route by: its endpoint has no case in the strategy, or the case gave
 * none. Its code is {@link ErrorCode#NO_PARTITIONING_KEYS}.
 */
public final class NoPartitioningKeysException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public NoPartitioningKeysException(String message, String place) {
    super(ErrorCode.NO_PARTITIONING_KEYS, message, place, null);
  }
}
