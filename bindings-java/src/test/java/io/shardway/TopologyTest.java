package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class TopologyTest {
  @Test
  void theBuilderSaysAllThatTheDocumentSays() {
    Node full = new Node("a \"\\\n\u0001é🦀", "10.0.0.1", 9090, 3, -1, "z1");
    Topology built =
        Topology.builder(Scheme.ringV1())
            .node(full)
            .node(Node.of("b").withWeight(0).withShardId(4).inZone("z2").at("h", 1))
            .keyHasher("murmur3")
            .numReps(7)
            .weightUnit(2)
            .revision(9)
            .ejectFailedHost(true)
            .failureAccrual(new FailureAccrual(1, 2, 3, 4))
            .partition(-1, List.of(5, 6))
            .build();
    assertEquals(built, Topology.fromJson(built.toJson()));
    assertEquals(List.of(full, new Node("b", "h", 1, 0, 4, "z2")), built.nodes());
    assertEquals(OptionalLong.of(9), built.revision());
    assertEquals("murmur3", built.keyHasher());
    assertEquals(List.of(7, 2), List.of(built.numReps(), built.weightUnit()));
    assertTrue(built.ejectFailedHost());
    assertEquals(new FailureAccrual(1, 2, 3, 4), built.failureAccrual());
    assertEquals(Optional.of(Map.of(-1, List.of(5, 6))), built.partitions());
  }

  @Test
  void defaultsAreTheCores() {
    Topology topology = Topology.of("a");
    assertEquals("ring-v1", topology.scheme());
    assertEquals("xxh3-64", topology.keyHasher());
    assertEquals(List.of(160, 1), List.of(topology.numReps(), topology.weightUnit()));
    assertEquals(FailureAccrual.DEFAULT, topology.failureAccrual());
    assertEquals(Optional.empty(), topology.partitions());
    assertEquals(OptionalLong.empty(), topology.revision());
    assertEquals("finagle", Topology.builder(Scheme.finagle()).build().scheme());
  }

  @Test
  void equalDeclarationsAreEqual() {
    assertEquals(Topology.of("a", "b"), Topology.of("b", "a"));
    assertEquals(Topology.of("a", "b").hashCode(), Topology.of("b", "a").hashCode());
    assertNotEquals(Topology.of("a"), Topology.of("b"));
  }

  @Test
  void whatIsWrongIsNamedByPlace() {
    place("nodes[1].id", Topology.builder(Scheme.ringV1()).node("a").node("a"));
    place("nodes[0].id", Topology.builder(Scheme.ringV1()).node("\ud800"));
    place("nodes[0].weight", Topology.builder(Scheme.ringV1()).node(Node.of("a").withWeight(-1)));
    place("nodes[0].port", Topology.builder(Scheme.ringV1()).node(Node.of("a").at("h", 65_536)));
    place("key_hasher", Topology.builder(Scheme.ringV1()).keyHasher("md5"));
    place("revision", Topology.builder(Scheme.ringV1()).revision(0));
    place("partitions[0].serves", Topology.builder(Scheme.ringV1()).partition(1, List.of(2, 2)));
    assertThrows(InvalidTopologyException.class, () -> Topology.fromJson("{\"a\ud800\":1}"));
    byte[] noText = {'"', (byte) 0xff};
    InvalidTopologyException error =
        assertThrows(InvalidTopologyException.class, () -> Topology.fromJson(noText));
    assertEquals("text", error.place());
    assertThrows(NullPointerException.class, () -> Topology.fromJson((byte[]) null));
  }

  private static void place(String place, TopologyBuilder builder) {
    InvalidTopologyException error = assertThrows(InvalidTopologyException.class, builder::build);
    assertEquals(place, error.place(), error.getMessage());
  }

  @Test
  void partitionsOfASnapshotGoBothWays() {
    Topology topology =
        Topology.builder(Scheme.ringV1())
            .node(Node.of("a").withShardId(0))
            .node(Node.of("b").withShardId(1))
            .node("c")
            .partition(0, List.of(0, 1))
            .partition(1, List.of(1, 2))
            .build();
    Snapshot snapshot = new Router(topology).snapshot();
    assertEquals(List.of(0, 1, 2), snapshot.partitionIds());
    assertEquals(List.of("a", "b"), snapshot.partitionNodes(1));
    assertEquals(List.of(1, 2), snapshot.partitionsOf("b"));
    assertEquals(List.of(), snapshot.partitionsOf("c"));
    assertEquals(ErrorCode.NO_SHARD_ID, snapshot.leftOut().get(0).code());
    NoPartitionException error =
        assertThrows(NoPartitionException.class, () -> snapshot.partitionNodes(7));
    assertTrue(error.getMessage().startsWith("No partition: 7 found"), error.getMessage());
    assertThrows(UnknownNodeException.class, () -> snapshot.partitionsOf("nobody"));
  }

  @Test
  void aPartitionMapLeavesOutWhatIsWrong() {
    PartitionMap map =
        new PartitionMap(
            List.of(
                new Instance("a", 0, new Instance.Own()),
                new Instance("b", 1, new Instance.Listed(List.of(0, -5, 0))),
                new Instance("c", null, new Instance.Own()),
                new Instance("d", 3, new Instance.Failed("on purpose"))));
    assertEquals(List.of(-5, 0), map.ids());
    assertEquals(2, map.size());
    assertEquals(List.of("a", "b"), map.nodes(0));
    assertEquals(List.of(-5, 0), map.partitionsOf("b"));
    assertEquals(List.of("c", "d"), map.leftOut().stream().map(LeftOut::node).toList());
    assertEquals(ErrorCode.PARTITIONING_STRATEGY, map.leftOut().get(1).code());
    assertTrue(map.leftOut().get(1).reason().contains("on purpose"));
    assertThrows(NoPartitionException.class, () -> map.nodes(9));
    assertThrows(UnknownNodeException.class, () -> map.partitionsOf("x"));
    Instance twice = new Instance("a", 0, new Instance.Own());
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> new PartitionMap(List.of(twice, twice)));
    assertEquals("instances[1].id", error.place());
  }

  @Test
  void everyNativeScheme() {
    for (Scheme scheme :
        new Scheme[] {
          Scheme.slotsV1(),
          Scheme.ringV1(),
          Scheme.rendezvousV1(),
          Scheme.profile("libmemcached-ketama-weighted"),
          Scheme.profile("nginx-consistent"),
          new Scheme.SlotsV1(256, 1.05)
        }) {
      Topology topology = Topology.builder(scheme).node("a").node("b").build();
      assertEquals(topology, Topology.fromJson(topology.toJson()));
      assertEquals(2, new Router(topology).replicas("key", 3).size());
    }
    InvalidTopologyException error =
        assertThrows(
            InvalidTopologyException.class,
            () -> Topology.builder(new Scheme.SlotsV1(100, null)).node("a").build());
    assertEquals("scheme.slots", error.place());
  }
}
