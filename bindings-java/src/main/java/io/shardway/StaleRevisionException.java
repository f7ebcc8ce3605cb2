package io.shardway;

/**
 * A topology is older than the one in force; drop it. Its code is {@link ErrorCode#STALE_REVISION}.
 */
public final class StaleRevisionException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public StaleRevisionException(String message, String place) {
    super(ErrorCode.STALE_REVISION, message, place, null);
  }
}
