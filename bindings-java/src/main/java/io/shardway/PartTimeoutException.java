package io.shardway;

/**
 * A part had no answer when the time of the request was up. Its node may still do what was asked.
 */
public final class PartTimeoutException extends ShardNotAvailableException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place the endpoint
   */
  public PartTimeoutException(String message, String place) {
    super(message, place);
  }
}
