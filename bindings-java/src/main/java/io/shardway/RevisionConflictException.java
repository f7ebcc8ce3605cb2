package io.shardway;

/**
 * A topology has the revision of the one in force and other content; the newer one needs a higher
 * revision. Its code is {@link ErrorCode#REVISION_CONFLICT}.
 */
public final class RevisionConflictException extends ShardwayException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place where in the input the fault lies; empty when it is about no single place
   */
  public RevisionConflictException(String message, String place) {
    super(ErrorCode.REVISION_CONFLICT, message, place, null);
  }
}
