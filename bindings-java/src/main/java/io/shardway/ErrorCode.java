package io.shardway;

/** The kind of an error: the same numbers and names in every language. */
public enum ErrorCode {
  /** A topology, or the document of one, breaks a rule. */
  INVALID_TOPOLOGY(10, "InvalidTopology"),

  /** An argument of a call is out of range, of the wrong form or no valid text. */
  INVALID_ARGUMENT(11, "InvalidArgument"),

  /** A topology is older than the one in force. */
  STALE_REVISION(20, "StaleRevision"),

  /** A topology has the revision of the one in force and other content. */
  REVISION_CONFLICT(21, "RevisionConflict"),

  /** A node id that the topology in force does not know. */
  UNKNOWN_NODE(30, "UnknownNode"),

  /** A request gave no key to route by. Raised by the host layer. */
  NO_PARTITIONING_KEYS(40, "NoPartitioningKeys"),

  /** A strategy or merger of the user failed or is missing. Raised by the host layer. */
  PARTITIONING_STRATEGY(41, "PartitioningStrategy"),

  /** No instance serves the partition that was asked for. */
  NO_PARTITION(50, "NoPartition"),

  /** An instance has no shard id, so it cannot serve a logical partition. */
  NO_SHARD_ID(51, "NoShardId"),

  /** No node is there to own a key. */
  SHARD_NOT_AVAILABLE(60, "ShardNotAvailable"),

  /** The combination asked for is not defined. */
  UNSUPPORTED(70, "Unsupported"),

  /** The handle was closed before the call. Raised by the host layer. */
  CLOSED(80, "Closed"),

  /** A defect in this library. */
  INTERNAL(90, "Internal");

  private final int number;
  private final String label;

  ErrorCode(int number, String label) {
    this.number = number;
    this.label = label;
  }

  /**
   * The number, which never changes.
   *
   * @return the number that the C interface uses too
   */
  public int number() {
    return number;
  }

  /**
   * The name that every language uses, for instance {@code InvalidTopology}.
   *
   * @return the name
   */
  public String label() {
    return label;
  }

  /**
   * The code of a number.
   *
   * @param number the number
   * @return the code
   * @throws InternalException when no code has the number
   */
  public static ErrorCode of(int number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    throw new InternalException("number: no error has the code " + number, "number");
  }
}
