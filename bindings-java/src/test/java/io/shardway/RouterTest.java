package io.shardway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RouterTest {
  @Test
  void aRouterAnswersByTheTopologyInForce() {
    Router router = new Router(Topology.of("a"));
    assertEquals("a", router.route("k"));
    assertEquals(Publish.PUBLISHED, router.publish(Topology.of("b")));
    assertEquals("b", router.route("k"));
    assertEquals("b", router.route(7L));
    assertEquals("b", router.routeHash(-1));
    assertEquals(Publish.UNCHANGED, router.publish(Topology.of("b")));
    Topology none = Topology.builder(Scheme.ringV1()).build();
    assertEquals(Publish.KEPT_OLD, router.publish(none));
    assertEquals(2, router.revision());
    Stats stats = router.stats();
    assertEquals(
        List.of(2L, 2L, 1L, 1L),
        List.of(stats.redistributes(), stats.joins(), stats.leaves(), stats.updateFailures()));
  }

  @Test
  void aSnapshotKeepsItsAnswers() {
    Router router = new Router(Topology.of("a", "b"));
    Snapshot before = router.snapshot();
    assertSame(before, router.snapshot());
    router.publish(Topology.of("c"));
    assertTrue(List.of("a", "b").contains(before.route("k")));
    assertEquals("c", router.snapshot().route("k"));
    assertEquals(Topology.of("a", "b"), before.topology());
    assertEquals(320, before.points());
  }

  @Test
  void revisionsAreKept() {
    TopologyBuilder seven = Topology.builder(Scheme.ringV1()).node("a").revision(7);
    Router router = new Router(seven.build());
    assertEquals(7, router.revision());
    assertThrows(
        StaleRevisionException.class,
        () -> router.publish(Topology.builder(Scheme.ringV1()).node("b").revision(6).build()));
    assertThrows(
        RevisionConflictException.class,
        () -> router.publish(Topology.builder(Scheme.ringV1()).node("b").revision(7).build()));
    assertEquals("a", router.route("k"));
  }

  @Test
  void anEjectedNodeLosesItsKeysAndGetsThemBack() {
    Router router = new Router(Topology.of("a", "b", "c"));
    String owner = router.route("k");
    assertTrue(router.eject(owner));
    assertFalse(router.eject(owner));
    assertTrue(router.snapshot().isEjected(owner));
    assertEquals(router.replicas("k", 1), List.of(router.route("k")));
    assertFalse(router.route("k").equals(owner));
    assertTrue(router.revive(owner));
    assertEquals(owner, router.route("k"));
    UnknownNodeException error =
        assertThrows(UnknownNodeException.class, () -> router.eject("nobody"));
    assertEquals("id", error.place());
    for (String id : List.of("a", "b", "c")) {
      router.eject(id);
    }
    assertThrows(ShardNotAvailableException.class, () -> router.route("k"));
    assertThrows(ShardNotAvailableException.class, () -> router.routeHash(1));
    assertThrows(ShardNotAvailableException.class, () -> router.route(1L));
    assertNull(router.explain("k").owner());
  }

  @Test
  void healthGoesFromFailuresToAProbeAndBack() {
    Topology topology =
        Topology.builder(Scheme.ringV1())
            .node("a")
            .node("b")
            .ejectFailedHost(true)
            .failureAccrual(new FailureAccrual(2, 100, 100, 50))
            .build();
    Router router = new Router(topology, 3);
    assertEquals(Admission.SEND, router.admit("a", 0));
    assertNull(router.report("a", Outcome.FAILURE, 1, 1));
    Event event = router.report("a", Outcome.FAILURE, 2, 2);
    assertEquals(new Event(EventKind.EJECTED, "a", 2, event.untilMs()), event);
    assertTrue(router.snapshot().isEjected("a"));
    assertEquals(event.untilMs(), router.nextTickMs());
    assertEquals(List.of(), router.tick(event.untilMs() - 1));
    List<Event> events = router.tick(event.untilMs());
    assertEquals(
        List.of(new Event(EventKind.PROBING, "a", event.untilMs(), event.untilMs())), events);
    assertEquals(Admission.PROBE, router.admit("a", event.untilMs()));
    assertEquals(Admission.FAIL_FAST, router.admit("a", event.untilMs()));
    Event back = router.report("a", Outcome.SUCCESS, event.untilMs(), event.untilMs() + 1);
    assertEquals(EventKind.REVIVED, back.kind());
    assertEquals(-1, router.nextTickMs());
    assertThrows(InvalidArgumentException.class, () -> router.tick(-1));
    assertEquals(1, router.stats().revivals());
  }

  @Test
  void groupsHoldTheCallersOwnObjectsInOrder() {
    Router router = new Router(Topology.of("a", "b", "c"));
    List<Object> keys = List.of("one", 2L, "three", "one", new byte[] {4});
    Map<String, List<Object>> groups = router.group(keys);
    int found = 0;
    for (Map.Entry<String, List<Object>> group : groups.entrySet()) {
      int last = -1;
      for (Object key : group.getValue()) {
        assertEquals(group.getKey(), router.route(key));
        assertTrue(last <= keys.lastIndexOf(key));
        last = keys.indexOf(key);
        found++;
      }
    }
    assertEquals(keys.size(), found);
    assertEquals(router.route("one"), groups.keySet().iterator().next());
    assertEquals(Map.of(), router.group(List.of()));
  }

  @Test
  void packedBatchesAreReadInEveryForm() {
    Router router = new Router(Topology.of("a", "b", "c"));
    byte[] data = "xonetwothree".getBytes(StandardCharsets.UTF_8);
    int[] offsets = {1, 4, 7, 12};
    Groups expected = router.groups(List.of("one", "two", "three"));
    same(expected, router.groupPacked(data, offsets));
    ByteBuffer direct = ByteBuffer.allocateDirect(data.length + 2).put(0, data).position(0);
    IntBuffer places = ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder()).asIntBuffer();
    places.put(1, offsets).position(1).limit(5);
    same(expected, router.groupPacked(direct.limit(data.length), places));
    same(expected, router.groupPacked(ByteBuffer.wrap(data), IntBuffer.wrap(offsets)));
    // From the position on: the batch without its first byte.
    ByteBuffer later = direct.duplicate().position(1);
    places.put(1, new int[] {0, 3, 6, 11});
    same(expected, router.groupPacked(later, places));
    assertEquals(1, later.position());
    IntBuffer swapped =
        ByteBuffer.allocateDirect(16)
            .order(
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
                    ? ByteOrder.LITTLE_ENDIAN
                    : ByteOrder.BIG_ENDIAN)
            .asIntBuffer();
    assertThrows(InvalidArgumentException.class, () -> router.groupPacked(direct, swapped));
    InvalidArgumentException error =
        assertThrows(
            InvalidArgumentException.class, () -> router.groupPacked(data, new int[] {0, 3, 2}));
    assertEquals("offsets[2]", error.place());
    assertThrows(InvalidArgumentException.class, () -> router.groupPacked(data, new int[] {0, -1}));
    assertThrows(InvalidArgumentException.class, () -> router.groupPacked(data, new int[0]));
    ByteBuffer odd = ByteBuffer.allocateDirect(16).position(1).slice();
    IntBuffer between = odd.order(ByteOrder.nativeOrder()).asIntBuffer();
    assertThrows(InvalidArgumentException.class, () -> router.groupPacked(direct, between));
  }

  private static void same(Groups expected, Groups found) {
    assertEquals(expected.size(), found.size());
    for (int group = 0; group < expected.size(); group++) {
      assertEquals(expected.node(group), found.node(group));
      assertArrayEquals(expected.indices(group), found.indices(group));
    }
  }

  @Test
  void replicasAreDistinctAndBounded() {
    Router router = new Router(Topology.of("a", "b", "c"));
    assertEquals(3, router.replicas("k", 100).size());
    assertEquals(router.route("k"), router.replicas("k", 2).get(0));
    assertEquals(List.of(), router.replicas("k", 0));
    assertThrows(InvalidArgumentException.class, () -> router.replicas("k", -1));
  }

  @Test
  void anExplanationIsTextAndJson() {
    Explanation told = new Router(Topology.of("a", "b")).explain("k");
    assertTrue(told.toString().startsWith("owner       " + told.owner()), told.toString());
    assertTrue(told.json().contains("\"owner\":\"" + told.owner() + "\""), told.json());
    assertEquals("ring-v1", told.scheme());
    assertEquals("xxh3-64", told.keyHasher());
    assertEquals(1, told.next().size());
  }
}
