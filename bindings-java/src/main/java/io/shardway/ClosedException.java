package io.shardway;

/** The object was closed before the call; make a new one. Its code is {@link ErrorCode#CLOSED}. */
public final class ClosedException extends IllegalStateException implements ShardwayFault {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   */
  public ClosedException(String message) {
    super(message);
  }

  @Override
  public ErrorCode code() {
    return ErrorCode.CLOSED;
  }

  @Override
  public String place() {
    return "";
  }
}
