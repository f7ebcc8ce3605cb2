package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class PropertiesTest {
  private static Router ring(int nodes) {
    TopologyBuilder builder = Topology.builder(Scheme.ringV1()).numReps(20);
    for (int node = 0; node < nodes; node++) {
      builder.node("node-" + node);
    }
    return new Router(builder.build());
  }

  @Property(tries = 300)
  void aStringRoutesAsItsUtf8OrIsRefused(@ForAll String text) {
    Router router = ring(5);
    if (Keys.loneSurrogate(text) < 0) {
      assertEquals(router.route(text.getBytes(StandardCharsets.UTF_8)), router.route(text));
    } else {
      try {
        router.route(text);
      } catch (InvalidArgumentException error) {
        assertEquals("key", error.place());
        return;
      }
      throw new AssertionError("a lone surrogate was taken");
    }
  }

  @Property(tries = 200)
  void groupsAreTheMapOfRoute(
      @ForAll @Size(max = 50) List<byte[]> keys, @ForAll @IntRange(min = 1, max = 9) int nodes) {
    Router router = ring(nodes);
    Map<String, List<byte[]>> expected = new HashMap<>();
    for (byte[] key : keys) {
      expected.computeIfAbsent(router.route(key), node -> new ArrayList<>()).add(key);
    }
    assertEquals(expected, router.group(keys));
  }

  @Property(tries = 100)
  void aNodeThatLeavesMovesItsOwnKeysOnly(
      @ForAll @Size(max = 50) List<Long> keys, @ForAll @IntRange(min = 2, max = 9) int nodes) {
    Router before = ring(nodes);
    Router after = ring(nodes - 1);
    String gone = "node-" + (nodes - 1);
    for (Long key : keys) {
      if (before.route((Object) key).equals(gone)) {
        assertFalse(after.route((Object) key).equals(gone));
      } else {
        assertEquals(before.route((Object) key), after.route((Object) key));
      }
    }
  }

  @Property(tries = 200)
  void aNodeComesBackFromADocumentAsItWas(
      @ForAll @IntRange(min = 0, max = 1_000) int weight,
      @ForAll Integer shardId,
      @ForAll @IntRange(min = 1, max = 65_535) int port) {
    Node node = new Node("n", "h", port, weight, shardId, "z");
    Topology topology = Topology.builder(Scheme.ringV1()).node(node).build();
    assertEquals(List.of(node), Topology.fromJson(topology.toJson()).nodes());
  }
}
