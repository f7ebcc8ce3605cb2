package io.shardway;

/**
 * No instance serves the partition that was asked for. Its code is {@link ErrorCode#NO_PARTITION}.
 */
public final class NoPartitionException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public NoPartitionException(String message, String place) {
    super(ErrorCode.NO_PARTITION, message, place, null);
  }
}
