package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Rows of the reference table about custom strategies: "end to end", "per endpoint", "node
 * manager".
 */
final class CustomClientTest {
  private final Fleet fleet = new Fleet();

  private PartitionedClient client(Router router, Strategy strategy) {
    return PartitionedClient.builder(router, fleet).strategy(strategy).build();
  }

  private static GetPartitions to(Integer... partitions) {
    return (endpoint, request) -> {
      if (!endpoint.equals("get")) {
        return null;
      }
      Map<Integer, Object> parts = new LinkedHashMap<>();
      List.of(partitions).forEach(partition -> parts.put(partition, request));
      return parts;
    };
  }

  private static CustomStrategy fixed(GetPartitions partitions, LogicalPartition logical) {
    return CustomStrategy.noResharding(partitions, logical, Fleet.responses("get"));
  }

  private List<String> asked() {
    return fleet.sent.stream().map(Fleet.Sent::node).toList();
  }

  @Test
  void customEachShardAPartition() {
    Map<String, Integer> shards = Map.of("zero", 0, "one", 1, "two", 0);
    GetPartitions.Case<List<String>> split =
        request ->
            request.stream()
                .collect(
                    Collectors.groupingBy(shards::get, LinkedHashMap::new, Collectors.toList()));
    CustomStrategy strategy =
        CustomStrategy.noResharding(
            GetPartitions.perEndpoint(Map.of("get", split)), Fleet.responses("get"));
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      List<String> answer = client.call("get", List.of("zero", "one", "two"));
      assertEquals(List.of("zero@s0/2", "two@s0/2", "one@s1/1"), answer);
    }
  }

  @Test
  void customSameRequestToFivePartitions() {
    CustomStrategy strategy =
        CustomStrategy.noResharding(to(0, 1, 2, 3, 4), Fleet.responses("get"));
    try (PartitionedClient client = client(new Router(Fleet.nodes(5)), strategy)) {
      List<String> answer = client.call("get", List.of("a", "b", "c"));
      assertEquals(15, answer.size());
      assertTrue(answer.stream().allMatch(text -> text.endsWith("/3")));
      assertEquals(5, answer.stream().filter(text -> text.startsWith("a@")).count());
    }
  }

  @Test
  void customLogicalPartitions() {
    LogicalPartition logical =
        shard -> shard < 2 ? List.of(0) : shard < 4 ? List.of(1) : List.of(2);
    GetPartitions split =
        (endpoint, request) -> {
          Map<Integer, List<String>> parts = new LinkedHashMap<>();
          parts.put(0, List.of("four"));
          parts.put(1, List.of("three", "two"));
          parts.put(2, List.of("one", "zero"));
          return parts;
        };
    try (PartitionedClient client = client(new Router(Fleet.nodes(5)), fixed(split, logical))) {
      List<String> answer = client.call("get", "all");
      assertTrue(answer.get(0).matches("four@s[01]/1"), answer::toString);
      assertTrue(answer.get(1).matches("three@s[23]/2"), answer::toString);
      assertEquals(List.of("one@s4/2", "zero@s4/2"), answer.subList(3, 5));
      assertEquals(3, client.stats().nodes());
    }
  }

  @Test
  void customFunctionThrowsOrIsNotSet() {
    IllegalStateException cause = new IllegalStateException("on purpose");
    GetPartitions throwing =
        (endpoint, request) -> {
          throw cause;
        };
    Router router = new Router(Fleet.nodes(2));
    try (PartitionedClient client =
        client(router, CustomStrategy.noResharding(throwing, Fleet.responses("get")))) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("get", "x"));
      assertSame(cause, error.getCause());
    }
    try (PartitionedClient client =
        client(router, CustomStrategy.noResharding(to(0), Fleet.responses("get")))) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("put", "x"));
      assertTrue(error.getMessage().contains("check that it is defined"), error.getMessage());
    }
  }

  @Test
  void customUnknownLogicalPartition() {
    List<PartFailure> seen = new ArrayList<>();
    ResponseMergers mergers =
        new ResponseMergers()
            .<List<String>>add(
                "get",
                (successes, failures) -> {
                  seen.addAll(failures);
                  return Fleet.answers(successes, failures);
                });
    Router router = new Router(Fleet.nodes(2));
    try (PartitionedClient client = client(router, CustomStrategy.noResharding(to(9), mergers))) {
      NoPartitionException error =
          assertThrows(NoPartitionException.class, () -> client.call("get", "x"));
      assertTrue(error.getMessage().startsWith("No partition: 9 found"), error.getMessage());
    }
    ResponseMergers again =
        new ResponseMergers()
            .<List<String>>add(
                "get",
                (successes, failures) -> {
                  seen.addAll(failures);
                  return Fleet.answers(successes, failures);
                });
    try (PartitionedClient client = client(router, CustomStrategy.noResharding(to(0, 9), again))) {
      assertEquals(List.of("x@s0/1"), client.call("get", "x"));
      assertInstanceOf(NoPartitionException.class, seen.get(0).error());
      assertEquals(9, seen.get(0).partition());
      assertEquals(null, seen.get(0).node());
    }
  }

  @Test
  void anAsynchronousFunctionIsAwaited() {
    CompletableFuture<Map<Integer, Object>> later = new CompletableFuture<>();
    CustomStrategy strategy =
        CustomStrategy.noResharding(
            GetPartitions.later((endpoint, request) -> later), Fleet.responses("get"));
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      CompletableFuture<List<String>> answer = client.callAsync("get", "q");
      assertTrue(fleet.sent.isEmpty() && !answer.isDone());
      later.complete(Map.of(1, "x"));
      assertEquals(List.of("x@s1/1"), answer.join());
      assertEquals(List.of("x@s1/1"), client.call("get", "q"));
    }
    CustomStrategy failing =
        CustomStrategy.noResharding(
            GetPartitions.later(
                (endpoint, request) -> CompletableFuture.failedFuture(new Fleet.Down("it"))),
            Fleet.responses("get"));
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), failing)) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("get", "q"));
      assertInstanceOf(Fleet.Down.class, error.getCause());
    }
    CustomStrategy never =
        CustomStrategy.noResharding(
            GetPartitions.later((endpoint, request) -> new CompletableFuture<>()),
            Fleet.responses("get"));
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), never)) {
      assertThrows(
          PartitioningStrategyException.class,
          () -> client.call("get", "q", java.time.Duration.ofMillis(30)));
    }
  }

  @Test
  void perEndpointHashingCustomErroredNone() {
    Map<String, Strategy> each = new LinkedHashMap<>();
    each.put("get", Fleet.hashing());
    each.put("custom", CustomStrategy.noResharding((e, r) -> Map.of(1, r), new ResponseMergers()));
    each.put(
        "errored",
        CustomStrategy.noResharding(
            (e, r) -> {
              throw new IllegalStateException("on purpose");
            },
            new ResponseMergers()));
    Router router = new Router(Fleet.nodes(3));
    try (PartitionedClient client = client(router, new MethodStrategies(each))) {
      List<String> two = Fleet.twoOwners(router);
      assertTrue(client.<List<String>>call("get", two).get(0).endsWith("/1"));
      assertEquals(List.of("x@s1/1"), client.call("custom", "x"));
      assertThrows(PartitioningStrategyException.class, () -> client.call("errored", "x"));
      List<String> whole = client.call("none", two);
      assertTrue(whole.get(0).endsWith("/2"), "not split");
    }
    MethodStrategies inner = new MethodStrategies(Map.of());
    assertThrows(InvalidArgumentException.class, () -> new MethodStrategies(Map.of("get", inner)));
  }

  @Test
  void stateChanges0To1() {
    State<Integer> state = new State<>(0);
    CustomStrategy strategy =
        CustomStrategy.resharding(
            state,
            which -> (endpoint, request) -> Map.of(which, request),
            null,
            new ResponseMergers());
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      client.call("get", "x");
      state.update(1);
      client.call("get", "x");
      assertEquals(List.of("s0", "s1"), asked());
      assertEquals(2, client.stats().snapUpdates());
      assertEquals(1, client.stats().partitionUpdates(), "the map is the same");
    }
    state.update(2); // nobody watches any more
  }

  @Test
  void aFailingStateKeepsTheLastGoodView() {
    State<Integer> state = new State<>(0);
    CustomStrategy strategy =
        CustomStrategy.resharding(
            state,
            which -> {
              if (which < 0) {
                throw new IllegalStateException("on purpose");
              }
              return (endpoint, request) -> Map.of(which, request);
            },
            which -> shard -> which == 5 ? List.of() : List.of(shard),
            new ResponseMergers());
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      client.call("get", "x");
      state.update(-1);
      client.call("get", "x");
      assertEquals(1, client.stats().updateFailures());
      state.update(5);
      client.call("get", "x");
      assertEquals(2, client.stats().updateFailures(), "an empty map");
      state.update(1);
      client.call("get", "x");
      assertEquals(List.of("s0", "s0", "s0", "s1"), asked());
    }
  }

  @Test
  void clusterGrows2To5WithAnotherMapping() {
    CustomStrategy strategy =
        CustomStrategy.clusterResharding(
            nodes -> (endpoint, request) -> Map.of(1, request),
            nodes ->
                nodes.size() == 2 ? shard -> List.of(shard) : shard -> List.of(shard < 2 ? 0 : 1),
            new ResponseMergers());
    Router router = new Router(Fleet.nodes(2));
    try (PartitionedClient client = client(router, strategy)) {
      client.call("get", "x");
      assertEquals(List.of("s1"), asked());
      router.publish(Fleet.nodes(5));
      fleet.sent.clear();
      for (int time = 0; time < 60; time++) {
        client.call("get", "x");
      }
      assertEquals(Set.of("s2", "s3", "s4"), new TreeSet<>(asked()));
    }
  }

  @Test
  void nodeManagerAddAndRemoveAPartition() {
    CustomStrategy strategy =
        CustomStrategy.noResharding(
            (endpoint, request) -> Map.of((Integer) request, request), new ResponseMergers());
    Router router = new Router(Fleet.nodes(5));
    try (PartitionedClient client = client(router, strategy)) {
      assertEquals(5, client.stats().nodes());
      assertThrows(NoPartitionException.class, () -> client.call("get", 5));
      router.publish(Fleet.nodes(6));
      assertEquals(List.of("5@s5/1"), client.call("get", 5));
      assertEquals(6, client.stats().nodes());
      router.publish(Fleet.nodes(5));
      assertThrows(NoPartitionException.class, () -> client.call("get", 5));
      router.publish(Topology.builder(Scheme.ringV1()).build());
      assertEquals(List.of("4@s4/1"), client.call("get", 4), "the old map is kept");
      assertEquals(1, client.stats().router().updateFailures());
    }
  }

  @Test
  void nodeManagerMappingThrowsForSomeShards() {
    LogicalPartition logical =
        shard -> {
          if (shard == 1) {
            throw new IllegalStateException("on purpose");
          }
          return List.of(shard);
        };
    TopologyBuilder topology = Topology.builder(Scheme.ringV1()).node("bare");
    topology.nodes(Fleet.nodes(3).nodes());
    try (PartitionedClient client =
        client(new Router(topology.build()), fixed(to(0, 2), logical))) {
      assertEquals(List.of("x@s0/1", "x@s2/1"), client.call("get", "x"));
      assertEquals(List.of(2L, 2L), List.of(client.stats().nodes(), client.stats().leftOut()));
    }
  }

  @Test
  void nodeManagerWeightChangeRebuilds() {
    List<Integer> evaluated = new ArrayList<>();
    CustomStrategy strategy =
        CustomStrategy.clusterResharding(
            nodes -> {
              evaluated.add(nodes.stream().mapToInt(Node::weight).sum());
              return (endpoint, request) -> Map.of(0, request);
            },
            null,
            new ResponseMergers());
    Router router = new Router(Fleet.nodes(1));
    try (PartitionedClient client = client(router, strategy)) {
      Node heavy = Node.of("s0").withShardId(0).withWeight(7);
      router.publish(Topology.builder(Scheme.ringV1()).node(heavy).build());
      client.call("get", "x");
      assertEquals(List.of(1, 7), evaluated);
    }
  }

  @Test
  void nodeManagerEmptyServerSetAtTheStart() {
    Router router = new Router(Topology.builder(Scheme.ringV1()).build());
    try (PartitionedClient client =
        client(router, CustomStrategy.noResharding(to(0), new ResponseMergers()))) {
      assertThrows(NoPartitionException.class, () -> client.call("get", "x"));
      router.publish(Fleet.nodes(1));
      assertEquals(List.of("x@s0/1"), client.call("get", "x"));
    }
  }

  @Test
  void declaredPartitionsOfTheTopologyCount() {
    Topology topology =
        Topology.builder(Scheme.ringV1())
            .nodes(Fleet.nodes(3).nodes())
            .partition(0, List.of(7))
            .partition(1, List.of(7, 8))
            .build();
    try (PartitionedClient client =
        client(
            new Router(topology),
            CustomStrategy.noResharding(to(7, 8), Fleet.responses("get"))
                .withPick(Pick.ROUND_ROBIN))) {
      client.call("get", "x");
      client.call("get", "x");
      assertEquals(2, client.stats().nodes());
      assertEquals(1, client.stats().leftOut());
      assertEquals(Set.of("s0", "s1"), new TreeSet<>(asked()));
    }
  }

  @Test
  void statesTellTheirWatchersInOrder() {
    State<Integer> state = new State<>(0);
    List<Integer> seen = new ArrayList<>();
    Runnable stop =
        state.watch(
            () -> {
              seen.add(state.value());
              if (state.value() == 1) {
                state.update(2);
              }
              if (state.value() == 3) {
                throw new IllegalStateException("a watcher");
              }
            });
    List<Integer> second = new ArrayList<>();
    state.watch(() -> second.add(state.value()));
    state.update(1);
    assertEquals(List.of(1, 2), seen);
    assertThrows(IllegalStateException.class, () -> state.update(3));
    assertEquals(3, second.get(second.size() - 1), "the others are told all the same");
    stop.run();
    stop.run();
    state.update(4);
    assertEquals(List.of(1, 2, 3), seen);
    assertEquals(4, state.version());
  }
}
