package io.shardway;

import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What an operator declares: nodes, scheme, partitions, policies. Checked once, immutable, safe for
 * many threads. Two topologies are equal when their fingerprints and revisions are.
 *
 * <p>It holds memory outside the Java heap, which goes when nothing can reach it.
 */
public final class Topology {
  final long handle;
  private final Facts facts;
  private volatile List<Node> nodes;

  private record Facts(
      long fingerprint,
      Long revision,
      String scheme,
      String keyHasher,
      int numReps,
      int weightUnit,
      boolean ejectFailedHost,
      FailureAccrual failureAccrual,
      Map<Integer, List<Integer>> partitions) {}

  /** Takes a handle over. */
  Topology(long handle) {
    this.handle = handle;
    Native.CLEANER.register(this, () -> Native.topologyFree(handle));
    this.facts = facts(new WireReader(Native.topologyFacts(handle)));
  }

  private static Facts facts(WireReader wire) {
    return new Facts(
        wire.int64(),
        wire.optional(wire::int64),
        wire.text(),
        wire.text(),
        wire.int32(),
        wire.int32(),
        wire.flag(),
        new FailureAccrual(wire.int64(), wire.int64(), wire.int64(), wire.int64()),
        wire.optional(() -> partitions(wire)));
  }

  private static Map<Integer, List<Integer>> partitions(WireReader wire) {
    Map<Integer, List<Integer>> partitions = new LinkedHashMap<>();
    int count = wire.int32();
    for (int place = 0; place < count; place++) {
      int shardId = wire.int32();
      partitions.put(shardId, wire.list(wire::int32));
    }
    return Collections.unmodifiableMap(partitions);
  }

  /**
   * Reads a topology document.
   *
   * @param text the JSON, at most 64 MiB; unknown or repeated fields, null and wrong types are
   *     refused
   * @return the topology
   * @throws InvalidTopologyException when the document breaks a rule; its place says where
   */
  public static Topology fromJson(String text) {
    int at = Keys.loneSurrogate(text);
    if (at >= 0) {
      throw new InvalidTopologyException(
          "text: a lone surrogate at index " + at + " has no UTF-8; well-formed text is right",
          "text");
    }
    return fromJson(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Reads a topology document.
   *
   * @param text the JSON in UTF-8, at most 64 MiB
   * @return the topology
   * @throws InvalidTopologyException when the document breaks a rule; its place says where
   */
  public static Topology fromJson(byte[] text) {
    return new Topology(Native.topologyFromJson(Objects.requireNonNull(text, "text")));
  }

  /**
   * Starts a declaration in code.
   *
   * @param scheme how keys are placed
   * @return an empty declaration
   */
  public static TopologyBuilder builder(Scheme scheme) {
    return new TopologyBuilder(scheme);
  }

  /**
   * A topology of the native ring with nodes that are nothing but their ids.
   *
   * @param ids the ids
   * @return the topology
   * @throws InvalidTopologyException when an id is repeated, empty or too long
   */
  public static Topology of(String... ids) {
    return builder(Scheme.ringV1()).nodes(Arrays.stream(ids).map(Node::of).toList()).build();
  }

  /**
   * The document, with every default written out. Reading it back gives an equal topology.
   *
   * @return the JSON
   */
  public String toJson() {
    byte[] text = Native.topologyToJson(handle);
    Reference.reachabilityFence(this);
    return new String(text, StandardCharsets.UTF_8);
  }

  /**
   * The nodes, in the order in which they were declared.
   *
   * @return the nodes; an immutable list
   */
  public List<Node> nodes() {
    List<Node> known = nodes;
    if (known == null) {
      WireReader wire = new WireReader(Native.topologyNodes(handle));
      Reference.reachabilityFence(this);
      known = wire.list(wire::node);
      nodes = known;
    }
    return known;
  }

  /**
   * A digest of everything declared except the revision: the same for equal declarations on every
   * machine.
   *
   * @return 64 bits without a sign; see {@link Long#toUnsignedString(long)}
   */
  public long fingerprint() {
    return facts.fingerprint;
  }

  /**
   * The revision that was declared, 1 to {@link Long#MAX_VALUE}.
   *
   * @return the revision, if any
   */
  public OptionalLong revision() {
    return facts.revision == null ? OptionalLong.empty() : OptionalLong.of(facts.revision);
  }

  /**
   * The name of the scheme, for instance {@code ring-v1}.
   *
   * @return the name
   */
  public String scheme() {
    return facts.scheme;
  }

  /**
   * The name of the key hasher, the scheme's default where none was declared.
   *
   * @return the name
   */
  public String keyHasher() {
    return facts.keyHasher;
  }

  /**
   * Points per unit of weight.
   *
   * @return 1 to 65,536
   */
  public int numReps() {
    return facts.numReps;
  }

  /**
   * The weight that gets {@link #numReps()} points.
   *
   * @return 1 to 1,000,000
   */
  public int weightUnit() {
    return facts.weightUnit;
  }

  /**
   * Whether a node that failure accrual marks dead loses its keys until it is back.
   *
   * @return whether it does
   */
  public boolean ejectFailedHost() {
    return facts.ejectFailedHost;
  }

  /**
   * When a node counts as dead, and for how long.
   *
   * @return the policy
   */
  public FailureAccrual failureAccrual() {
    return facts.failureAccrual;
  }

  /**
   * The declared logical partitions, from shard id to partition ids.
   *
   * @return the partitions; empty when each instance is its own
   */
  public Optional<Map<Integer, List<Integer>>> partitions() {
    return Optional.ofNullable(facts.partitions);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Topology that
        && facts.fingerprint == that.facts.fingerprint
        && Objects.equals(facts.revision, that.facts.revision);
  }

  @Override
  public int hashCode() {
    return Objects.hash(facts.fingerprint, facts.revision);
  }

  @Override
  public String toString() {
    String revision = facts.revision == null ? "" : "revision " + facts.revision + ", ";
    return String.format(
        "<Topology %s, %d nodes, %sfingerprint %016x>",
        facts.scheme, nodes().size(), revision, facts.fingerprint);
  }
}
