package io.shardway;

import java.util.List;

/**
 * Makes one request of several that go to one node.
 *
 * @param <Q> the type of the requests
 */
@FunctionalInterface
public interface RequestMerger<Q> {
  /**
   * Merges. Called on the thread of the call, by any number of them at once.
   *
   * @param requests at least two, in the order of their keys; an immutable list
   * @return the merged request
   * @throws Exception what is thrown becomes a {@link PartitioningStrategyException}
   */
  Q merge(List<Q> requests) throws Exception;
}
