package io.shardway;

/**
 * A strategy or merger failed or is missing; what it threw is the cause. Its code is {@link
 * ErrorCode#PARTITIONING_STRATEGY}.
 */
public final class PartitioningStrategyException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public PartitioningStrategyException(String message, String place) {
    super(ErrorCode.PARTITIONING_STRATEGY, message, place, null);
  }

  /**
   * Makes the exception with what caused it.
   *
   * @param message the whole sentence
   * @param place the endpoint
   * @param cause what the user's function threw
   */
  public PartitioningStrategyException(String message, String place, Throwable cause) {
    super(ErrorCode.PARTITIONING_STRATEGY, message, place, cause);
  }
}
