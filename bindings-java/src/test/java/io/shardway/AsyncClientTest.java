package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Futures, cancelling, closing, threads: what is ours rather than Finagle's. */
final class AsyncClientTest {
  private final Router router = new Router(Fleet.nodes(3));
  private final Map<String, CompletableFuture<Object>> open = new ConcurrentHashMap<>();
  private final Transport.Async transport =
      (node, endpoint, request) -> open.computeIfAbsent(node.id(), id -> new CompletableFuture<>());

  @Test
  void partsGoOutAtOnceAndMergeInTheOrderOfTheirKeys() throws Exception {
    List<String> two = Fleet.twoOwners(router);
    try (PartitionedClient client =
        PartitionedClient.asyncBuilder(router, transport).strategy(Fleet.hashing()).build()) {
      CompletableFuture<List<String>> answer = client.callAsync("get", two);
      assertEquals(2, open.size());
      open.get(router.route(two.get(1))).complete(List.of("second"));
      assertFalse(answer.isDone(), "the merge waits for all");
      open.get(router.route(two.get(0))).complete(List.of("first"));
      assertEquals(List.of("first", "second"), answer.get(5, TimeUnit.SECONDS));
    }
  }

  @Test
  void anErrorOfTheTransportIsTheResultsAsItIs() {
    try (PartitionedClient client =
        PartitionedClient.asyncBuilder(router, transport).strategy(Fleet.hashing()).build()) {
      CompletableFuture<List<String>> answer = client.callAsync("get", List.of("k"));
      Fleet.Down down = new Fleet.Down("it");
      open.values().iterator().next().completeExceptionally(new CompletionException(down));
      ExecutionException error = assertThrows(ExecutionException.class, answer::get);
      assertEquals(down, error.getCause());
    }
  }

  @Test
  void cancellingTheResultCancelsThePartsAndIsNoFailureOfTheirNodes() {
    Topology strict =
        Topology.builder(Scheme.ringV1())
            .nodes(Fleet.nodes(3).nodes())
            .failureAccrual(new FailureAccrual(1, 1_000, 1_000, 500))
            .build();
    Router careful = new Router(strict);
    try (PartitionedClient client =
        PartitionedClient.asyncBuilder(careful, transport).strategy(Fleet.hashing()).build()) {
      CompletableFuture<List<String>> answer = client.callAsync("get", Fleet.twoOwners(careful));
      assertTrue(answer.cancel(true));
      assertTrue(open.values().stream().allMatch(CompletableFuture::isCancelled));
      assertEquals(-1, careful.nextTickMs(), "nobody was marked dead");
    }
  }

  @Test
  void closingCancelsWhatIsUnderWay() {
    PartitionedClient client =
        PartitionedClient.asyncBuilder(router, transport).strategy(Fleet.hashing()).build();
    CompletableFuture<List<String>> answer = client.callAsync("get", List.of("k"));
    client.close();
    client.close();
    CompletionException error = assertThrows(CompletionException.class, answer::join);
    assertInstanceOf(ClosedException.class, error.getCause());
    assertTrue(open.values().stream().allMatch(CompletableFuture::isCancelled));
    assertThrows(IllegalStateException.class, () -> client.call("get", List.of("k")));
    ExecutionException late =
        assertThrows(ExecutionException.class, () -> client.callAsync("get", List.of("k")).get());
    assertInstanceOf(ClosedException.class, late.getCause());
  }

  @Test
  void aLateEndStillCountsForTheNodesHealth() throws Exception {
    Topology strict =
        Topology.builder(Scheme.ringV1())
            .node("s0")
            .failureAccrual(new FailureAccrual(1, 1_000, 1_000, 500))
            .build();
    Router careful = new Router(strict);
    try (PartitionedClient client =
        PartitionedClient.asyncBuilder(careful, transport)
            .strategy(Fleet.hashing())
            .timeout(Duration.ofMillis(30))
            .build()) {
      PartTimeoutException error =
          assertThrows(PartTimeoutException.class, () -> client.call("get", List.of("k")));
      assertTrue(error.getMessage().contains("it was sent"), error.getMessage());
      assertEquals(-1, careful.nextTickMs());
      open.get("s0").completeExceptionally(new Fleet.Down("s0"));
      assertTrue(careful.nextTickMs() > 0, "marked dead by its late failure");
    }
  }

  @Test
  void classifySaysWhatAnErrorMeans() {
    Router strict =
        new Router(
            Topology.builder(Scheme.ringV1())
                .node("s0")
                .failureAccrual(new FailureAccrual(1, 1_000, 1_000, 500))
                .build());
    Fleet fleet = new Fleet();
    fleet.failing.add("s0");
    try (PartitionedClient client =
        PartitionedClient.builder(strict, fleet).classify(error -> Outcome.SUCCESS).build()) {
      assertThrows(Fleet.Down.class, () -> client.call("get", List.of("k")));
      assertEquals(-1, strict.nextTickMs(), "a declared exception is an answer");
    }
    try (PartitionedClient client =
        PartitionedClient.builder(strict, fleet)
            .classify(
                error -> {
                  throw new IllegalStateException("broken");
                })
            .build()) {
      assertThrows(Fleet.Down.class, () -> client.call("get", List.of("k")));
      assertTrue(strict.nextTickMs() > 0, "what cannot be told counts as a failure");
    }
    assertEquals(
        List.of(Outcome.IGNORED, Outcome.IGNORED, Outcome.IGNORED, Outcome.FAILURE),
        List.of(
            Sender.classifyByDefault(new CancellationException()),
            Sender.classifyByDefault(new InterruptedException()),
            Sender.classifyByDefault(new StackOverflowError()),
            Sender.classifyByDefault(new Fleet.Down("it"))));
  }

  @Test
  void callsThatCallAgainCannotWaitForEachOther() throws Exception {
    List<String> two = Fleet.twoOwners(router);
    PartitionedClient[] client = new PartitionedClient[1];
    AtomicInteger depth = new AtomicInteger();
    Transport nesting =
        (node, endpoint, request) -> {
          if (depth.incrementAndGet() < 8) {
            return client[0].call("get", two);
          }
          return List.of("leaf");
        };
    client[0] =
        PartitionedClient.builder(router, nesting).strategy(Fleet.hashing()).maxWorkers(1).build();
    CompletableFuture<List<String>> answer =
        CompletableFuture.supplyAsync(() -> client[0].call("get", two));
    assertTrue(answer.get(20, TimeUnit.SECONDS).size() >= 2);
    client[0].close();
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    try (PartitionedClient client =
        PartitionedClient.asyncBuilder(router, transport).strategy(Fleet.hashing()).build()) {
      CountDownLatch interrupted = new CountDownLatch(1);
      Thread caller =
          new Thread(
              () -> {
                assertThrows(CancellationException.class, () -> client.call("get", List.of("k")));
                if (Thread.currentThread().isInterrupted()) {
                  interrupted.countDown();
                }
              });
      caller.start();
      while (open.isEmpty()) {
        Thread.sleep(1);
      }
      caller.interrupt();
      assertTrue(interrupted.await(5, TimeUnit.SECONDS));
    }
  }

  @Test
  void manyThreadsMayCallWhileTopologiesChange() throws Exception {
    Fleet fleet = new Fleet();
    List<String> keys = new ArrayList<>();
    for (int number = 0; number < 30; number++) {
      keys.add("key-" + number);
    }
    Router changing = new Router(Fleet.nodes(3));
    try (PartitionedClient client =
        PartitionedClient.builder(changing, fleet).strategy(Fleet.hashing()).build()) {
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        callers.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int time = 0; time < 200; time++) {
                    assertEquals(30, client.<List<String>>call("get", keys).size());
                  }
                }));
      }
      for (int time = 0; time < 100; time++) {
        changing.publish(Fleet.nodes(2 + time % 3));
      }
      CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    PartitionedClient.Builder builder = PartitionedClient.builder(router, new Fleet());
    assertThrows(InvalidArgumentException.class, () -> builder.maxWorkers(0));
    assertThrows(InvalidArgumentException.class, () -> builder.maxWorkers(4_097));
    assertThrows(InvalidArgumentException.class, () -> builder.timeout(Duration.ZERO));
    assertThrows(NullPointerException.class, () -> builder.classify(null));
    assertThrows(NullPointerException.class, () -> PartitionedClient.builder(null, new Fleet()));
  }
}
