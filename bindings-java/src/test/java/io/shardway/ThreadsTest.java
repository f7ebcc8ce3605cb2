package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class ThreadsTest {
  private static final int THREADS = 4;

  private static void together(List<Callable<Void>> tasks) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> done : pool.invokeAll(tasks)) {
        done.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void everyAnswerIsThatOfATopologyThatWasInForce() throws Exception {
    Topology small = Topology.of("a", "b");
    Topology large = Topology.of("a", "b", "c", "d");
    Map<String, List<String>> right = new HashMap<>();
    for (int number = 0; number < 200; number++) {
      String key = "key-" + number;
      right.put(key, List.of(new Router(small).route(key), new Router(large).route(key)));
    }
    Router router = new Router(small);
    AtomicBoolean done = new AtomicBoolean();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      tasks.add(
          () -> {
            while (!done.get()) {
              for (Map.Entry<String, List<String>> one : right.entrySet()) {
                String owner = router.route(one.getKey());
                assertTrue(one.getValue().contains(owner), owner);
              }
              Snapshot snapshot = router.snapshot();
              int which = snapshot.nodes().size() == 2 ? 0 : 1;
              snapshot
                  .group(List.copyOf(right.keySet()))
                  .forEach(
                      (node, keys) ->
                          keys.forEach(key -> assertEquals(right.get(key).get(which), node)));
            }
            return null;
          });
    }
    tasks.add(
        () -> {
          try {
            for (int time = 0; time < 500; time++) {
              router.publish(time % 2 == 0 ? large : small);
            }
          } finally {
            done.set(true);
          }
          return null;
        });
    together(tasks);
    assertEquals(501, router.stats().snapUpdates());
  }

  @Test
  void closingWhileOthersRouteIsSafe() throws Exception {
    for (int round = 0; round < 200; round++) {
      Router router = new Router(Topology.of("a", "b", "c"));
      CountDownLatch started = new CountDownLatch(THREADS);
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        tasks.add(
            () -> {
              started.countDown();
              ClosedException closed =
                  assertThrows(
                      ClosedException.class,
                      () -> {
                        while (true) {
                          assertTrue("abc".contains(router.route("k")));
                          router.group(List.of("x", "y"));
                          router.report("a", Outcome.SUCCESS, 0, 0);
                        }
                      });
              assertEquals(ErrorCode.CLOSED, closed.code());
              return null;
            });
      }
      tasks.add(
          () -> {
            started.await();
            router.close();
            router.close();
            return null;
          });
      together(tasks);
    }
  }

  @Test
  void everyMethodOfAClosedRouterIsAnIllegalState() {
    Router router = new Router(Topology.of("a"));
    Snapshot kept = router.snapshot();
    router.close();
    List<Runnable> calls =
        List.of(
            () -> router.route("k"),
            () -> router.route(1L),
            () -> router.route(1),
            () -> router.route((Object) "k"),
            () -> router.routeHash(1),
            () -> router.replicas("k", 1),
            () -> router.group(List.of()),
            () -> router.groups(List.of()),
            () -> router.groupHashes(new long[0]),
            router::snapshot,
            () -> router.explain("k"),
            () -> router.publish(Topology.of("b")),
            () -> router.eject("a"),
            () -> router.revive("a"),
            () -> router.report("a", Outcome.SUCCESS, 0, 0),
            () -> router.admit("a", 0),
            () -> router.tick(0),
            router::nextTickMs,
            router::stats,
            router::topology,
            router::revision);
    for (Runnable call : calls) {
      assertThrows(IllegalStateException.class, call::run);
    }
    assertEquals("<Router closed>", router.toString());
    assertEquals("a", kept.route("k"), "a snapshot outlives its router");
  }

  @Test
  void whatIsForgottenIsFreed() throws Exception {
    List<WeakReference<Object>> forgotten = new ArrayList<>();
    for (int time = 0; time < 50; time++) {
      Router router = new Router(Topology.of("a", "b"));
      forgotten.add(new WeakReference<>(router));
      forgotten.add(new WeakReference<>(router.snapshot()));
      forgotten.add(new WeakReference<>(router.topology()));
    }
    for (int time = 0;
        time < 100 && forgotten.stream().anyMatch(one -> one.get() != null);
        time++) {
      System.gc();
      Thread.sleep(10);
    }
    assertTrue(forgotten.stream().allMatch(one -> one.get() == null));
  }

  @Test
  void memoryDoesNotGrowWithRoutersThatComeAndGo() throws Exception {
    long before = residentKiB();
    for (int time = 0; time < 300; time++) {
      TopologyBuilder builder = Topology.builder(Scheme.ringV1());
      for (int node = 0; node < 50; node++) {
        builder.node("node-" + node);
      }
      new Router(builder.build()).route("k");
      if (time % 20 == 0) {
        System.gc();
        Thread.sleep(5);
      }
    }
    System.gc();
    Thread.sleep(50);
    // Kept, 300 rings of 8,000 points would take more than 60 MiB.
    assertTrue(residentKiB() - before < 50_000, () -> "grew from " + before + " KiB");
  }

  private static long residentKiB() throws Exception {
    for (String line :
        java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError("no VmRSS");
  }
}
