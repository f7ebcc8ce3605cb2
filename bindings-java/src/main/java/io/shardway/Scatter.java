package io.shardway;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * From a request to its parts: which node gets what. No sending here. For any number of threads.
 */
final class Scatter {
  /** The parts of a request, in the order in which their keys first appear, and who merges. */
  record Plan(String endpoint, List<Part> parts, ResponseMerger<?> merger) {}

  private final Router router;
  private final Strategy strategy;
  private final Map<CustomStrategy, SchemaKeeper> keepers = new IdentityHashMap<>();
  private final List<Runnable> unwatch = new ArrayList<>();

  Scatter(Router router, Strategy strategy) {
    this.router = router;
    this.strategy = strategy;
    if (strategy instanceof MethodStrategies each) {
      each.byEndpoint.values().forEach(this::adopt);
    } else if (strategy != null) {
      adopt(strategy);
    }
    observe();
  }

  private void adopt(Strategy one) {
    if (one instanceof HashingStrategy hashing) {
      hashing.requestMergers.freeze();
      hashing.responseMergers.freeze();
    } else if (one instanceof CustomStrategy custom && !keepers.containsKey(custom)) {
      custom.responseMergers.freeze();
      keepers.put(custom, new SchemaKeeper(custom));
      if (custom.state != null) {
        // Weakly: a state outlives the clients that watch it.
        WeakReference<Scatter> self = new WeakReference<>(this);
        unwatch.add(
            custom.state.watch(
                () -> {
                  Scatter alive = self.get();
                  if (alive != null) {
                    alive.observe();
                  }
                }));
      }
    }
  }

  /**
   * Renews the views at once: counters then follow a change, and the next request finds it done.
   */
  private void observe() {
    if (keepers.isEmpty()) {
      return;
    }
    Snapshot snapshot = router.snapshot();
    for (SchemaKeeper keeper : keepers.values()) {
      try {
        keeper.current(snapshot);
      } catch (Exception error) {
        // There is no view at all yet: the first request that needs one says why.
        continue;
      }
    }
  }

  private Strategy strategyOf(String endpoint) {
    Strategy one =
        strategy instanceof MethodStrategies each ? each.byEndpoint.get(endpoint) : strategy;
    boolean elsewhere =
        one instanceof HashingStrategy hashing
            && hashing.only != null
            && !hashing.only.equals(endpoint);
    return elsewhere ? null : one;
  }

  /** The plan of a request; it fails with what the caller is to get. Nothing was sent then. */
  CompletableFuture<Plan> plan(String endpoint, Object request) {
    Strategy one = strategyOf(endpoint);
    try {
      Snapshot snapshot = router.snapshot();
      if (one instanceof HashingStrategy hashing) {
        return CompletableFuture.completedFuture(byKeys(hashing, snapshot, endpoint, request));
      } else if (one instanceof CustomStrategy custom) {
        return byPartitions(custom, snapshot, endpoint, request);
      }
      return CompletableFuture.completedFuture(
          new Plan(endpoint, List.of(whole(snapshot, endpoint, request)), null));
    } catch (RuntimeException error) {
      return CompletableFuture.failedFuture(error);
    }
  }

  private static Part whole(Snapshot snapshot, String endpoint, Object request) {
    List<Node> live =
        snapshot.nodes().stream()
            .filter(node -> node.weight() > 0 && !snapshot.isEjected(node.id()))
            .toList();
    List<Node> candidates = live.isEmpty() ? snapshot.nodes() : live;
    return new Part(endpoint, request, candidates, Pick.ROUND_ROBIN, List.of(), null, null);
  }

  private static Plan byKeys(
      HashingStrategy strategy, Snapshot snapshot, String endpoint, Object request) {
    Map<?, ?> table;
    try {
      table = strategy.getKeys.keys(endpoint, request);
    } catch (Exception error) {
      throw strategyFailed(endpoint, error);
    }
    if (table == null) {
      throw noKeys(endpoint, "the hashing strategy has no case for it");
    }
    List<Object> keys = new ArrayList<>(table.keySet());
    if (keys.isEmpty()) {
      throw noKeys(endpoint, "the hashing strategy gave no key");
    }
    if (keys.contains(null)) {
      throw noKeys(endpoint, "the hashing strategy gave null as a key");
    }
    Groups groups;
    try {
      groups = snapshot.groups(keys);
    } catch (InvalidArgumentException error) {
      throw strategyFailed(endpoint, error);
    }
    List<Part> parts = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      List<Object> owned = new ArrayList<>();
      for (int index : groups.indices(group)) {
        owned.add(keys.get(index));
      }
      Object part = request;
      if (groups.size() > 1) {
        part =
            owned.size() == 1 ? table.get(owned.get(0)) : merge(strategy, endpoint, table, owned);
      }
      List<Node> owner = List.of(snapshot.node(groups.node(group)));
      parts.add(
          new Part(
              endpoint,
              part,
              owner,
              Pick.ROUND_ROBIN,
              Collections.unmodifiableList(owned),
              null,
              null));
    }
    return checked(endpoint, parts, strategy.responseMergers);
  }

  @SuppressWarnings("unchecked")
  private static Object merge(
      HashingStrategy strategy, String endpoint, Map<?, ?> table, List<Object> keys) {
    RequestMerger<Object> merger = (RequestMerger<Object>) strategy.requestMergers.get(endpoint);
    if (merger == null) {
      throw missing("request merger", endpoint);
    }
    List<Object> requests = new ArrayList<>(keys.size());
    keys.forEach(key -> requests.add(table.get(key)));
    try {
      return merger.merge(Collections.unmodifiableList(requests));
    } catch (Exception error) {
      throw mergerFailed("request merger", endpoint, error);
    }
  }

  private CompletableFuture<Plan> byPartitions(
      CustomStrategy strategy, Snapshot snapshot, String endpoint, Object request) {
    SchemaKeeper.Schema schema;
    CompletionStage<? extends Map<Integer, ?>> answer;
    try {
      schema = keepers.get(strategy).current(snapshot);
      answer = schema.split().partitionsLater(endpoint, request);
    } catch (Exception error) {
      throw strategyFailed(endpoint, error);
    }
    if (answer == null) {
      throw noCase(endpoint);
    }
    CompletableFuture<Plan> plan = new CompletableFuture<>();
    answer.whenComplete(
        (table, error) -> {
          try {
            if (error != null) {
              throw strategyFailed(endpoint, Answers.plain(error));
            }
            plan.complete(planOf(strategy, schema, endpoint, table));
          } catch (RuntimeException failed) {
            plan.completeExceptionally(failed);
          }
        });
    return plan;
  }

  private static Plan planOf(
      CustomStrategy strategy, SchemaKeeper.Schema schema, String endpoint, Map<Integer, ?> table) {
    if (table == null) {
      throw noCase(endpoint);
    }
    if (table.isEmpty()) {
      throw new PartitioningStrategyException(
          endpoint + ": the custom strategy gave no partition; at least one is right", endpoint);
    }
    List<Part> parts = new ArrayList<>();
    for (Map.Entry<?, ?> one : table.entrySet()) {
      if (!(one.getKey() instanceof Integer partition)) {
        throw new PartitioningStrategyException(
            endpoint + ": " + one.getKey() + " is no partition id; an Integer is right", endpoint);
      }
      List<Node> nodes = List.of();
      NoPartitionException error = null;
      try {
        nodes = schema.map().nodes(partition).stream().map(schema.nodes()::get).toList();
      } catch (NoPartitionException none) {
        error = none;
      }
      parts.add(
          new Part(endpoint, one.getValue(), nodes, strategy.pick, List.of(), partition, error));
    }
    return checked(endpoint, parts, strategy.responseMergers);
  }

  private static Plan checked(String endpoint, List<Part> parts, ResponseMergers mergers) {
    ResponseMerger<?> merger = mergers.get(endpoint);
    if (parts.size() > 1 && merger == null) {
      throw missing("response merger", endpoint);
    }
    return new Plan(endpoint, List.copyOf(parts), merger);
  }

  /** What becomes of an error of the user's strategy function; the cause is kept. */
  private static PartitioningStrategyException strategyFailed(String endpoint, Throwable error) {
    if (error instanceof PartitioningStrategyException known && known.place().equals(endpoint)) {
      return known;
    }
    return new PartitioningStrategyException(
        endpoint + ": the partitioning strategy failed: " + error, endpoint, error);
  }

  static PartitioningStrategyException mergerFailed(String role, String endpoint, Throwable error) {
    return new PartitioningStrategyException(
        endpoint + ": the " + role + " failed: " + error, endpoint, error);
  }

  private static PartitioningStrategyException missing(String role, String endpoint) {
    return new PartitioningStrategyException(
        endpoint
            + ": it needs a "
            + role
            + " and has none; add one to the strategy. Nothing was sent",
        endpoint);
  }

  private static PartitioningStrategyException noCase(String endpoint) {
    return new PartitioningStrategyException(
        endpoint + ": the custom strategy has no case for it; check that it is defined", endpoint);
  }

  private static NoPartitioningKeysException noKeys(String endpoint, String why) {
    return new NoPartitioningKeysException(endpoint + ": no partitioning keys: " + why, endpoint);
  }

  /** Counters and gauges, for the topology in force. */
  ClientStats stats() {
    Stats ofRouter = router.stats();
    if (keepers.isEmpty()) {
      return new ClientStats(
          ofRouter,
          ofRouter.partitionUpdates(),
          ofRouter.snapUpdates(),
          ofRouter.updateFailures(),
          ofRouter.nodes(),
          router.snapshot().leftOut().size());
    }
    observe();
    long[] sums = new long[5];
    for (SchemaKeeper keeper : keepers.values()) {
      ClientStats one = keeper.stats();
      sums[0] += one.partitionUpdates();
      sums[1] += one.snapUpdates();
      sums[2] += one.updateFailures();
      sums[3] += one.nodes();
      sums[4] += one.leftOut();
    }
    return new ClientStats(ofRouter, sums[0], sums[1], sums[2], sums[3], sums[4]);
  }

  /** Stops watching states. May be called again. */
  synchronized void close() {
    unwatch.forEach(Runnable::run);
    unwatch.clear();
  }
}
