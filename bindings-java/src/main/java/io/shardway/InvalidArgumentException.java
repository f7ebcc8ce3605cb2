package io.shardway;

/**
 * An argument of a call is out of range, of the wrong form or no valid text. Nothing was changed.
 * Its code is {@link ErrorCode#INVALID_ARGUMENT}.
 */
public final class InvalidArgumentException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public InvalidArgumentException(String message, String place) {
    super(ErrorCode.INVALID_ARGUMENT, message, place, null);
  }
}
