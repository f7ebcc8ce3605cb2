package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Rows of the reference table about hashing: "hashing service", "partitioning", "strategy". */
final class HashingClientTest {
  private final Fleet fleet = new Fleet();
  private final AtomicLong clock = new AtomicLong();

  private PartitionedClient client(Router router, Strategy strategy) {
    return PartitionedClient.builder(router, fleet).strategy(strategy).clock(clock::get).build();
  }

  private static Topology ejecting(int count) {
    TopologyBuilder builder =
        Topology.builder(Scheme.ringV1())
            .ejectFailedHost(true)
            .failureAccrual(new FailureAccrual(1, 1_000, 1_000, 500));
    for (int node = 0; node < count; node++) {
      builder.node("s" + node);
    }
    return builder.build();
  }

  @Test
  void noStrategyOneServerGetsAll() {
    try (PartitionedClient client = client(new Router(Fleet.nodes(3)), null)) {
      List<String> answer = client.call("get", List.of("one", "two", "three"));
      assertEquals(3, answer.size());
      assertTrue(answer.stream().allMatch(text -> text.endsWith("/3")), answer::toString);
      for (int time = 0; time < 5; time++) {
        client.call("get", List.of("x"));
      }
      assertEquals(3, fleet.sent.stream().map(Fleet.Sent::node).distinct().count(), "in turn");
    }
  }

  @Test
  void groupingMergesOnlyWhereItMust() {
    Router router = new Router(Fleet.nodes(5));
    try (PartitionedClient client = client(router, Fleet.hashing())) {
      List<String> single = List.of("one");
      client.call("get", single);
      assertSame(single, fleet.sent.get(0).request(), "the original request, untouched");
      fleet.sent.clear();
      List<String> two = Fleet.twoOwners(router);
      List<String> request = List.of(two.get(0), two.get(1), two.get(0));
      List<String> answer = client.call("get", request);
      assertEquals(
          List.of(
              two.get(0) + "@" + router.route(two.get(0)) + "/1",
              two.get(1) + "@" + router.route(two.get(1)) + "/1"),
          answer,
          "in the order in which the keys first appear");
      List<String> many = new ArrayList<>();
      for (int number = 0; number < 100; number++) {
        many.add("key-" + number);
      }
      answer = client.call("get", many);
      assertEquals(100, answer.size());
      Map<String, Integer> sizes = new HashMap<>();
      many.forEach(key -> sizes.merge(router.route(key), 1, Integer::sum));
      for (String text : answer) {
        String key = text.substring(0, text.indexOf('@'));
        String owner = router.route(key);
        assertEquals(key + "@" + owner + "/" + sizes.get(owner), text);
      }
    }
  }

  @Test
  void endpointNotSpecifiedHasNoPartitioningKeys() {
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), Fleet.hashing())) {
      NoPartitioningKeysException error =
          assertThrows(NoPartitioningKeysException.class, () -> client.call("put", List.of("a")));
      assertTrue(error.getMessage().contains("put"), error.getMessage());
      assertEquals("put", error.place());
      assertThrows(NoPartitioningKeysException.class, () -> client.call("get", List.of()));
      assertTrue(fleet.sent.isEmpty());
    }
    GetKeys nullKey = (endpoint, request) -> Collections.singletonMap(null, request);
    HashingStrategy strategy =
        HashingStrategy.of(nullKey, new RequestMergers(), new ResponseMergers());
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      assertThrows(NoPartitioningKeysException.class, () -> client.call("get", List.of()));
    }
  }

  @Test
  void functionThatThrowsIsAStrategyErrorWithItsCause() {
    IllegalStateException cause = new IllegalStateException("on purpose");
    GetKeys throwing =
        (endpoint, request) -> {
          throw cause;
        };
    HashingStrategy strategy =
        HashingStrategy.of(throwing, new RequestMergers(), new ResponseMergers());
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("get", List.of("a")));
      assertSame(cause, error.getCause());
    }
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), Fleet.hashing())) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("get", 5));
      assertTrue(error.getMessage().contains("java.lang.Integer"), error.getMessage());
      assertThrows(
          PartitioningStrategyException.class, () -> client.call("get", List.of("\ud800")));
    }
  }

  @Test
  void theFunctionIsAskedOncePerRequest() {
    AtomicInteger asked = new AtomicInteger();
    GetKeys counting =
        (endpoint, request) -> {
          asked.incrementAndGet();
          return Map.of("k", request);
        };
    HashingStrategy strategy =
        HashingStrategy.of(counting, new RequestMergers(), new ResponseMergers());
    try (PartitionedClient client = client(new Router(Fleet.nodes(2)), strategy)) {
      client.call("get", List.of("a"));
      client.callAsync("get", List.of("a")).join();
      assertEquals(2, asked.get());
    }
  }

  @Test
  void missingMergersAreNamedAndNothingIsSent() {
    Router router = new Router(Fleet.nodes(2));
    GetKeys keys = (endpoint, request) -> Map.of("k", request);
    List<String> two = Fleet.twoOwners(router);
    GetKeys split = (endpoint, request) -> Map.of(two.get(0), "x", two.get(1), "y");
    HashingStrategy noResponse =
        HashingStrategy.of(split, new RequestMergers(), new ResponseMergers());
    try (PartitionedClient client = client(router, noResponse)) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("get", "q"));
      assertTrue(error.getMessage().contains("response merger"), error.getMessage());
      assertTrue(error.getMessage().startsWith("get: "), error.getMessage());
    }
    List<String> many = new ArrayList<>();
    for (int number = 0; number < 50; number++) {
      many.add("key-" + number);
    }
    GetKeys all = (endpoint, request) -> Fleet.byText(many);
    HashingStrategy noRequest =
        HashingStrategy.of(all, new RequestMergers(), Fleet.responses("get"));
    try (PartitionedClient client = client(router, noRequest)) {
      PartitioningStrategyException error =
          assertThrows(PartitioningStrategyException.class, () -> client.call("get", "q"));
      assertTrue(error.getMessage().contains("request merger"), error.getMessage());
    }
    assertTrue(fleet.sent.isEmpty());
    HashingStrategy none = HashingStrategy.of(keys, new RequestMergers(), new ResponseMergers());
    try (PartitionedClient client = client(router, none)) {
      assertEquals(1, client.<List<String>>call("get", "q").size(), "one part needs none");
    }
  }

  @Test
  void registriesHoldSeveralEndpointsAndFreeze() {
    RequestMergers requests = new RequestMergers();
    ResponseMergers responses = new ResponseMergers();
    assertSame(requests, requests.<List<String>>add("get", Fleet::concat));
    assertSame(responses, responses.add("get", Fleet::answers).add("put", Fleet::answers));
    assertThrows(
        InvalidArgumentException.class, () -> responses.add("put", Fleet::answers), "twice");
    GetKeys keys = (endpoint, request) -> Map.of("k", request);
    HashingStrategy strategy = HashingStrategy.of(keys, requests, responses);
    client(new Router(Fleet.nodes(1)), strategy).close();
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> responses.add("late", Fleet::answers));
    assertEquals("endpoint", error.place());
    assertThrows(
        InvalidArgumentException.class, () -> requests.<List<String>>add("late", Fleet::concat));
  }

  @Test
  void add2NodesTo3ThenDrop1() {
    Router router = new Router(Fleet.nodes(3));
    assertEquals(1, router.stats().redistributes());
    router.publish(Fleet.nodes(5));
    assertEquals(2, router.stats().redistributes());
    Map<String, String> before = owners(router);
    router.publish(Fleet.nodes(4));
    assertEquals(List.of(3L, 1L), List.of(router.stats().redistributes(), router.stats().leaves()));
    owners(router)
        .forEach(
            (key, owner) ->
                assertTrue(before.get(key).equals(owner) || before.get(key).equals("s4"), key));
  }

  private static Map<String, String> owners(Router router) {
    Map<String, String> owners = new HashMap<>();
    for (int number = 0; number < 500; number++) {
      owners.put("key-" + number, router.route("key-" + number));
    }
    return owners;
  }

  @Test
  void aHostDiesItsKeysGoElsewhereAllOthersStay() {
    Router router = new Router(ejecting(5));
    Map<String, String> before = owners(router);
    fleet.failing.add("s2");
    try (PartitionedClient client = client(router, Fleet.hashing())) {
      String key =
          before.keySet().stream()
              .filter(one -> before.get(one).equals("s2"))
              .findAny()
              .orElseThrow();
      assertThrows(Fleet.Down.class, () -> client.call("get", List.of(key)));
      assertEquals(
          List.of(1L, 2L), List.of(router.stats().ejections(), router.stats().redistributes()));
      assertEquals(
          List.of(4L, 1L), List.of(router.stats().liveNodes(), router.stats().deadNodes()));
      owners(router)
          .forEach(
              (one, owner) -> {
                if (before.get(one).equals("s2")) {
                  assertNotEquals("s2", owner);
                } else {
                  assertEquals(before.get(one), owner);
                }
              });
      fleet.failing.clear();
      clock.addAndGet(2_000);
      assertEquals(EventKind.PROBING, client.tick().get(0).kind());
      assertEquals(List.of(key + "@s2/1"), client.call("get", List.of(key)), "back on its host");
      assertEquals(1, client.stats().router().revivals());
    }
  }

  @Test
  void revival1HostShardNotAvailableUntilTheTimeIsUp() {
    Router router = new Router(ejecting(1));
    try (PartitionedClient client = client(router, Fleet.hashing())) {
      fleet.failing.add("s0");
      assertThrows(Fleet.Down.class, () -> client.call("get", List.of("k")));
      fleet.failing.clear();
      assertThrows(ShardNotAvailableException.class, () -> client.call("get", List.of("k")));
      clock.addAndGet(1_000);
      assertEquals(List.of("k@s0/1"), client.call("get", List.of("k")));
    }
  }

  @Test
  void withoutEjectionADeadNodeFailsFastAndOwnershipStays() {
    Topology topology =
        Topology.builder(Scheme.ringV1())
            .node("s0")
            .failureAccrual(new FailureAccrual(1, 1_000, 1_000, 500))
            .build();
    Router router = new Router(topology);
    try (PartitionedClient client = client(router, Fleet.hashing())) {
      fleet.failing.add("s0");
      assertThrows(Fleet.Down.class, () -> client.call("get", List.of("k")));
      fleet.failing.clear();
      NodeUnavailableException error =
          assertThrows(NodeUnavailableException.class, () -> client.call("get", List.of("k")));
      assertEquals(List.of("s0"), error.nodes());
      assertTrue(error.getMessage().contains("s0"), error.getMessage());
      assertEquals("s0", router.route("k"));
      assertEquals(1, fleet.sent.size());
    }
  }

  @Test
  void batchWithFailingHostsTheMergerSeesTheFailures() {
    Router router = new Router(Fleet.nodes(3));
    List<String> two = Fleet.twoOwners(router);
    String bad = router.route(two.get(1));
    fleet.failing.add(bad);
    List<PartFailure> seen = new ArrayList<>();
    HashingStrategy strategy =
        HashingStrategy.<List<String>, List<String>>forEndpoint(
            "get",
            listClass(),
            Fleet::byText,
            Fleet::concat,
            (successes, failures) -> {
              seen.addAll(failures);
              return Fleet.answers(successes, failures);
            });
    try (PartitionedClient client = client(router, strategy)) {
      List<String> answer = client.call("get", two);
      assertEquals(List.of(two.get(0) + "@" + router.route(two.get(0)) + "/1"), answer);
      assertEquals(1, seen.size());
      PartFailure failure = seen.get(0);
      assertInstanceOf(Fleet.Down.class, failure.error());
      assertEquals(List.of(bad, "get"), List.of(failure.node(), failure.endpoint()));
      assertEquals(List.of(two.get(1)), failure.keys());
      assertEquals(List.of(two.get(1)), failure.request());
      fleet.failing.addAll(List.of("s0", "s1", "s2"));
      assertThrows(Fleet.Down.class, () -> client.call("get", two), "the first failure, as it is");
      fleet.failing.clear();
      List<String> whole = client.call("put", two);
      assertEquals(2, whole.size());
      assertTrue(whole.get(0).endsWith("/2"), "another endpoint is not split");
    }
  }

  @SuppressWarnings("unchecked")
  private static Class<List<String>> listClass() {
    return (Class<List<String>>) (Class<?>) List.class;
  }

  @Test
  void aMergersOwnFailureIsAStrategyError() {
    Router router = new Router(Fleet.nodes(3));
    IllegalStateException cause = new IllegalStateException("merger");
    HashingStrategy strategy =
        HashingStrategy.<List<String>, List<String>>forEndpoint(
            "get",
            listClass(),
            Fleet::byText,
            Fleet::concat,
            (successes, failures) -> {
              throw cause;
            });
    try (PartitionedClient client = client(router, strategy)) {
      PartitioningStrategyException error =
          assertThrows(
              PartitioningStrategyException.class,
              () -> client.call("get", Fleet.twoOwners(router)));
      assertSame(cause, error.getCause());
    }
  }

  @Test
  void batchWithSlowHostsWaitsForAllAndNoLonger() {
    Router router = new Router(Fleet.nodes(3));
    List<String> two = Fleet.twoOwners(router);
    fleet.slowMs.put(router.route(two.get(0)), 200L);
    fleet.slowMs.put(router.route(two.get(1)), 200L);
    try (PartitionedClient client = client(router, Fleet.hashing())) {
      long begin = System.nanoTime();
      List<String> answer = client.call("get", two);
      long tookMs = (System.nanoTime() - begin) / 1_000_000;
      assertEquals(2, answer.size());
      assertTrue(tookMs >= 190 && tookMs < 390, "at once, not one after the other: " + tookMs);
      fleet.slowMs.remove(router.route(two.get(1)));
      begin = System.nanoTime();
      client.call("get", List.of(two.get(1)));
      assertTrue((System.nanoTime() - begin) / 1_000_000 < 150, "waits for its own part only");
    }
  }

  @Test
  void aLatePartIsAFailureAtTheDeadline() {
    Router router = new Router(Fleet.nodes(3));
    List<String> two = Fleet.twoOwners(router);
    String slow = router.route(two.get(1));
    fleet.slowMs.put(slow, 400L);
    try (PartitionedClient client = client(router, Fleet.hashing())) {
      List<String> answer = client.call("get", two, Duration.ofMillis(100));
      assertEquals(1, answer.size());
      PartTimeoutException error =
          assertThrows(
              PartTimeoutException.class,
              () -> client.call("get", List.of(two.get(1)), Duration.ofMillis(50)));
      assertEquals(ErrorCode.SHARD_NOT_AVAILABLE, error.code());
      assertFalse(client.callAsync("get", two, Duration.ofMillis(50)).isCompletedExceptionally());
      assertThrows(
          InvalidArgumentException.class, () -> client.call("get", two, Duration.ofDays(2)));
    }
  }
}
