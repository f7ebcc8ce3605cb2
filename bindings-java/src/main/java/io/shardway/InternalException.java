package io.shardway;

/**
 * A defect in this library. The call had no effect and the next one works; please report it with
 * the message. Its code is {@link ErrorCode#INTERNAL}.
 */
public final class InternalException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public InternalException(String message, String place) {
    super(ErrorCode.INTERNAL, message, place, null);
  }
}
