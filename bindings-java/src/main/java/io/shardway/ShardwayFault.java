package io.shardway;

/**
 * What every exception of this package carries. All of them are {@link ShardwayException}s, except
 * {@link ClosedException}, which is an {@link IllegalStateException} as Java's own are.
 */
public interface ShardwayFault {
  /**
   * The kind of the error.
   *
   * @return the code, the same in every language
   */
  ErrorCode code();

  /**
   * Where in the input the fault lies, for instance {@code nodes[3].weight} or {@code keys[17]}.
   *
   * @return the place; empty when the fault is about no single place
   */
  String place();
}
