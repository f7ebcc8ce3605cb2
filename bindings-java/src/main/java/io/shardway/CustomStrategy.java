package io.shardway;

import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Requests to logical partitions, and logical partitions to instances, by functions of the user's.
 *
 * <p>Both functions are taken together from one observed state: a request never meets an old
 * function with a new map. They must be pure. An evaluation that fails keeps the last good one and
 * counts in {@link ClientStats#updateFailures()}.
 */
public final class CustomStrategy implements Strategy {
  final Function<Object, GetPartitions> partitionsAt;

  /** Null: the topology's own partitions count. */
  final Function<Object, LogicalPartition> logicalAt;

  /** What is observed; null for nothing or the cluster. */
  final State<?> state;

  final boolean observesCluster;
  final ResponseMergers responseMergers;
  final Pick pick;

  private CustomStrategy(
      Function<Object, GetPartitions> partitionsAt,
      Function<Object, LogicalPartition> logicalAt,
      State<?> state,
      boolean observesCluster,
      ResponseMergers responseMergers,
      Pick pick) {
    this.partitionsAt = partitionsAt;
    this.logicalAt = logicalAt;
    this.state = state;
    this.observesCluster = observesCluster;
    this.responseMergers = Objects.requireNonNull(responseMergers, "responses");
    this.pick = Objects.requireNonNull(pick, "pick");
  }

  /**
   * A strategy whose functions never change, over the topology's own partitions: those it declares,
   * else each instance is its own.
   *
   * @param getPartitions splits requests
   * @param responses mergers for requests to more than one partition
   * @return the strategy; it picks instances by {@link Pick#P2C}
   */
  public static CustomStrategy noResharding(
      GetPartitions getPartitions, ResponseMergers responses) {
    Objects.requireNonNull(getPartitions, "getPartitions");
    return new CustomStrategy(state -> getPartitions, null, null, false, responses, Pick.P2C);
  }

  /**
   * A strategy whose functions never change.
   *
   * @param getPartitions splits requests
   * @param logical an instance's shard id to the partitions it serves
   * @param responses mergers for requests to more than one partition
   * @return the strategy; it picks instances by {@link Pick#P2C}
   */
  public static CustomStrategy noResharding(
      GetPartitions getPartitions, LogicalPartition logical, ResponseMergers responses) {
    Objects.requireNonNull(getPartitions, "getPartitions");
    Objects.requireNonNull(logical, "logical");
    return new CustomStrategy(
        state -> getPartitions, state -> logical, null, false, responses, Pick.P2C);
  }

  /**
   * A strategy whose functions follow a state; the next request after a change sees the result.
   *
   * @param <S> the type of the state's value
   * @param state what is observed
   * @param getPartitions a value of the state to the function that splits requests
   * @param logical a value of the state to the function from shard id to partitions; null for the
   *     topology's own partitions
   * @param responses mergers for requests to more than one partition
   * @return the strategy; it picks instances by {@link Pick#P2C}
   */
  @SuppressWarnings("unchecked")
  public static <S> CustomStrategy resharding(
      State<S> state,
      Function<? super S, GetPartitions> getPartitions,
      Function<? super S, LogicalPartition> logical,
      ResponseMergers responses) {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(getPartitions, "getPartitions");
    return new CustomStrategy(
        value -> getPartitions.apply((S) value),
        logical == null ? null : value -> logical.apply((S) value),
        state,
        false,
        responses,
        Pick.P2C);
  }

  /**
   * A strategy whose functions follow the set of nodes of the topology in force.
   *
   * @param getPartitions the nodes to the function that splits requests
   * @param logical the nodes to the function from shard id to partitions; null for the topology's
   *     own partitions
   * @param responses mergers for requests to more than one partition
   * @return the strategy; it picks instances by {@link Pick#P2C}
   */
  @SuppressWarnings("unchecked")
  public static CustomStrategy clusterResharding(
      Function<Set<Node>, GetPartitions> getPartitions,
      Function<Set<Node>, LogicalPartition> logical,
      ResponseMergers responses) {
    Objects.requireNonNull(getPartitions, "getPartitions");
    return new CustomStrategy(
        nodes -> getPartitions.apply((Set<Node>) nodes),
        logical == null ? null : nodes -> logical.apply((Set<Node>) nodes),
        null,
        true,
        responses,
        Pick.P2C);
  }

  /**
   * The same strategy with another way to pick one of the instances of a partition.
   *
   * @param pick the way
   * @return a new strategy, with the same registry of mergers
   */
  public CustomStrategy withPick(Pick pick) {
    return new CustomStrategy(
        partitionsAt, logicalAt, state, observesCluster, responseMergers, pick);
  }
}
