package io.shardway;

import java.util.List;

/**
 * A part of a request that got no answer, or a declared exception as one: what a response merger
 * gets.
 *
 * @param error what happened
 * @param endpoint the method that was called
 * @param node the id of the node that was asked; null when none was
 * @param partition the logical partition that was asked; null with a hashing strategy
 * @param keys the keys of the part, in their order; empty with a custom strategy
 * @param request the request of the part, as it was sent or would have been
 */
public record PartFailure(
    Throwable error,
    String endpoint,
    String node,
    Integer partition,
    List<Object> keys,
    Object request) {
  /**
   * Throws the error as it is, checked or not.
   *
   * @return never; so that a merger can write {@code throw failure.raise()}
   */
  public RuntimeException raise() {
    throw Sneaky.raise(error);
  }
}
