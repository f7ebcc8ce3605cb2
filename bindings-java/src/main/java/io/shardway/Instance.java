package io.shardway;

import java.util.List;
import java.util.Objects;

/**
 * An instance as a partition mapping sees it.
 *
 * @param id the node's id
 * @param shardId its shard id from service discovery; null when it has none
 * @param serves what the mapping gave for it
 */
public record Instance(String id, Integer shardId, Serves serves) {
  /**
   * Makes an instance.
   *
   * @param id as the component
   * @param shardId as the component
   * @param serves as the component
   */
  public Instance {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(serves, "serves");
  }

  /** What an instance serves. */
  public sealed interface Serves {}

  /** It is its own partition, numbered by its shard id. */
  public record Own() implements Serves {}

  /**
   * It serves these partitions.
   *
   * @param partitions their ids; repeats count once
   */
  public record Listed(List<Integer> partitions) implements Serves {
    /**
     * Makes the list.
     *
     * @param partitions as the component
     */
    public Listed {
      partitions = List.copyOf(partitions);
    }
  }

  /**
   * The mapping failed for it.
   *
   * @param reason a sentence
   */
  public record Failed(String reason) implements Serves {
    /**
     * Makes the failure.
     *
     * @param reason as the component
     */
    public Failed {
      Objects.requireNonNull(reason, "reason");
    }
  }
}
