package io.shardway;

import java.util.Objects;

/**
 * The base of the exceptions that this package throws on purpose; catch it to catch them. Its
 * message names the value that was wrong and what would be right.
 *
 * <p>Use after {@code close()} is the one other: see {@link ClosedException}.
 */
public abstract class ShardwayException extends RuntimeException implements ShardwayFault {
  private static final long serialVersionUID = 1L;

  /** The kind. */
  private final ErrorCode code;

  /** Where the fault lies. */
  private final String place;

  ShardwayException(ErrorCode code, String message, String place, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.place = Objects.requireNonNull(place, "place");
  }

  @Override
  public final ErrorCode code() {
    return code;
  }

  @Override
  public final String place() {
    return place;
  }

  /** The exception of a code; the sentence and the place come from the core. */
  static RuntimeException of(ErrorCode code, String message, String place) {
    return switch (code) {
      case INVALID_TOPOLOGY -> new InvalidTopologyException(message, place);
      case INVALID_ARGUMENT -> new InvalidArgumentException(message, place);
      case STALE_REVISION -> new StaleRevisionException(message, place);
      case REVISION_CONFLICT -> new RevisionConflictException(message, place);
      case UNKNOWN_NODE -> new UnknownNodeException(message, place);
      case NO_PARTITIONING_KEYS -> new NoPartitioningKeysException(message, place);
      case PARTITIONING_STRATEGY -> new PartitioningStrategyException(message, place);
      case NO_PARTITION -> new NoPartitionException(message, place);
      case NO_SHARD_ID -> new NoShardIdException(message, place);
      case SHARD_NOT_AVAILABLE -> new ShardNotAvailableException(message, place);
      case UNSUPPORTED -> new UnsupportedException(message, place);
      case CLOSED -> new ClosedException(message);
      case INTERNAL -> new InternalException(message, place);
    };
  }
}
