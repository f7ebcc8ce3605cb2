package io.shardway;

import java.util.Collection;

/** The partitions that an instance serves. Must be pure. */
@FunctionalInterface
public interface LogicalPartition {
  /**
   * The partitions of an instance.
   *
   * @param shardId its shard id
   * @return the ids of the partitions it serves
   * @throws Exception what is thrown leaves out this instance only, and is logged
   */
  Collection<Integer> serves(int shardId) throws Exception;
}
