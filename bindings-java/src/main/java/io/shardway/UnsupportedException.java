package io.shardway;

/** The combination that was asked for is not defined. Its code is {@link ErrorCode#UNSUPPORTED}. */
public final class UnsupportedException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public UnsupportedException(String message, String place) {
    super(ErrorCode.UNSUPPORTED, message, place, null);
  }
}
