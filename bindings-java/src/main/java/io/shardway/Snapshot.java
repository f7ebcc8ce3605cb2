package io.shardway;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One consistent view of the ring. Who holds it sees no change. Immutable, safe for many threads;
 * lookups take no lock.
 *
 * <p>It holds memory outside the Java heap, which goes when nothing can reach it.
 */
public final class Snapshot {
  final long handle;
  final long revision;

  /** Nodes, shared by the snapshots of one topology. */
  private final Table table;

  private final long fingerprint;
  private final long points;
  private final BitSet ejected = new BitSet();
  private volatile Topology topology;

  private record Table(List<Node> nodes, String[] ids, Map<String, Integer> indices) {
    static Table of(List<Node> nodes) {
      String[] ids = new String[nodes.size()];
      Map<String, Integer> indices = new HashMap<>(nodes.size() * 2);
      for (int index = 0; index < ids.length; index++) {
        ids[index] = nodes.get(index).id();
        indices.put(ids[index], index);
      }
      return new Table(nodes, ids, indices);
    }
  }

  /** Takes a handle over; {@code before} is an earlier snapshot of the router, or null. */
  Snapshot(long handle, Snapshot before) {
    this.handle = handle;
    Native.CLEANER.register(this, () -> Native.snapshotFree(handle));
    WireReader facts = new WireReader(Native.snapshotFacts(handle));
    this.revision = facts.int64();
    this.fingerprint = facts.int64();
    this.points = facts.int64();
    int dead = facts.int32();
    for (int place = 0; place < dead; place++) {
      ejected.set(facts.int32());
    }
    boolean same =
        before != null && before.revision == revision && before.fingerprint == fingerprint;
    if (same) {
      this.table = before.table;
    } else {
      WireReader wire = new WireReader(Native.snapshotNodes(handle));
      this.table = Table.of(wire.list(wire::node));
    }
  }

  /** The id of an index that the library answered with. */
  String id(int index) {
    return table.ids[index];
  }

  String route(Keys.Crossing key) {
    int index = Native.snapshotRoute(handle, key.kind(), key.bytes(), key.number());
    Reference.reachabilityFence(this);
    return table.ids[index];
  }

  /**
   * The id of the node that owns a key; see {@link Router#route(Object)} for what is a key.
   *
   * @param key the key
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   * @throws InvalidArgumentException when the key is no key
   */
  public String route(Object key) {
    return route(Keys.of(key, "key"));
  }

  /**
   * The id of the node that owns a key whose hash the caller computed.
   *
   * @param hash 64 bits without a sign
   * @return the node's id
   * @throws ShardNotAvailableException when no node can own a key
   */
  public String routeHash(long hash) {
    int index = Native.snapshotRouteHash(handle, hash);
    Reference.reachabilityFence(this);
    return table.ids[index];
  }

  /**
   * The hash of a key, as the topology's scheme and key hasher define it.
   *
   * @param key the key
   * @return 64 bits without a sign
   * @throws InvalidArgumentException when the key is no key
   */
  public long hash(Object key) {
    Keys.Crossing crossing = Keys.of(key, "key");
    long hash = Native.snapshotHash(handle, crossing.kind(), crossing.bytes(), crossing.number());
    Reference.reachabilityFence(this);
    return hash;
  }

  /**
   * The ids of the first distinct nodes for a key, the owner first. Ejected nodes are passed over.
   *
   * @param key the key
   * @param n how many, from 0 on; fewer come when fewer nodes can own keys
   * @return the ids
   * @throws ShardNotAvailableException when no node can own a key
   * @throws InvalidArgumentException when the key is no key, or {@code n} is negative
   */
  public List<String> replicas(Object key, int n) {
    if (n < 0) {
      throw new InvalidArgumentException("n: " + n + "; a count from 0 on is right", "n");
    }
    Keys.Crossing crossing = Keys.of(key, "key");
    int[] indices =
        Native.snapshotReplicas(handle, crossing.kind(), crossing.bytes(), crossing.number(), n);
    Reference.reachabilityFence(this);
    return names(indices);
  }

  /**
   * Keys by owner: the caller's own objects, repeats included, each list in the order given; nodes
   * in the order in which their first key appears.
   *
   * @param <K> the type of the keys
   * @param keys the keys
   * @return lists of keys by node id; the map iterates in the order told
   * @throws ShardNotAvailableException when there are keys and no node can own one
   * @throws InvalidArgumentException when a key is no key; the place names it, as in {@code
   *     keys[17]}
   */
  public <K> Map<String, List<K>> group(List<K> keys) {
    List<K> mine = new ArrayList<>(keys);
    Groups groups = groups(mine);
    Map<String, List<K>> answer = new LinkedHashMap<>();
    for (int group = 0; group < groups.size(); group++) {
      int[] indices = groups.indices(group);
      List<K> owned = new ArrayList<>(indices.length);
      for (int index : indices) {
        owned.add(mine.get(index));
      }
      answer.put(groups.node(group), owned);
    }
    return answer;
  }

  /**
   * Groups keys, and gives their numbers instead of the keys.
   *
   * @param keys the keys
   * @return the groups
   * @throws ShardNotAvailableException when there are keys and no node can own one
   * @throws InvalidArgumentException when a key is no key; the place names it
   */
  public Groups groups(List<?> keys) {
    Keys.Packed packed = Keys.pack(keys.toArray());
    int[] answer = Native.group(handle, packed.kinds(), packed.data(), packed.offsets());
    Reference.reachabilityFence(this);
    return new Groups(this, answer);
  }

  /**
   * Groups the keys of a packed batch: key {@code i} is {@code data[offsets[i]..offsets[i + 1]]}.
   *
   * @param data the keys' bytes, one after the other
   * @param offsets one more than keys, never falling, as unsigned ints
   * @return the groups
   * @throws InvalidArgumentException when the offsets fall or leave the data; the place names the
   *     first wrong one
   * @throws ShardNotAvailableException when there are keys and no node can own one
   */
  public Groups groupPacked(byte[] data, int[] offsets) {
    Objects.requireNonNull(data, "data");
    Objects.requireNonNull(offsets, "offsets");
    int[] answer = Native.group(handle, null, data, offsets);
    Reference.reachabilityFence(this);
    return new Groups(this, answer);
  }

  /**
   * Groups the keys of a packed batch in buffers, from their positions to their limits, which stay
   * as they are. Direct buffers are read where they are, so nobody may write to them until this
   * returns; others are copied first.
   *
   * @param data the keys' bytes, one after the other
   * @param offsets one more than keys, never falling, as unsigned ints; counted from the position
   *     of {@code data}. A direct one has the byte order of the machine
   * @return the groups
   * @throws InvalidArgumentException when the offsets fall or leave the data, or a buffer has the
   *     wrong byte order
   * @throws ShardNotAvailableException when there are keys and no node can own one
   */
  public Groups groupPacked(ByteBuffer data, IntBuffer offsets) {
    if (!data.isDirect() || !offsets.isDirect()) {
      int[] copied = new int[offsets.remaining()];
      offsets.duplicate().get(copied);
      return groupPacked(Keys.bytes(data), copied);
    }
    if (offsets.order() != ByteOrder.nativeOrder()) {
      throw new InvalidArgumentException(
          "offsets: a direct buffer of order "
              + offsets.order()
              + "; "
              + ByteOrder.nativeOrder()
              + ", the order of this machine, is right",
          "offsets");
    }
    int[] answer =
        Native.groupDirect(
            handle,
            data,
            data.position(),
            data.remaining(),
            offsets,
            offsets.position(),
            offsets.remaining());
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(data);
    Reference.reachabilityFence(offsets);
    return new Groups(this, answer);
  }

  /**
   * Groups keys whose hashes the caller has.
   *
   * @param hashes 64 bits without a sign each
   * @return the groups
   * @throws ShardNotAvailableException when there are hashes and no node can own a key
   */
  public Groups groupHashes(long[] hashes) {
    int[] answer = Native.groupHashes(handle, Objects.requireNonNull(hashes, "hashes"));
    Reference.reachabilityFence(this);
    return new Groups(this, answer);
  }

  /**
   * Why a key is where it is. For people and tests; it allocates.
   *
   * @param key the key
   * @return the steps
   * @throws InvalidArgumentException when the key is no key
   */
  public Explanation explain(Object key) {
    Keys.Crossing crossing = Keys.of(key, "key");
    byte[] answer =
        Native.snapshotExplain(handle, crossing.kind(), crossing.bytes(), crossing.number());
    Reference.reachabilityFence(this);
    return new WireReader(answer).explanation();
  }

  /**
   * The nodes, in the order of the topology.
   *
   * @return an immutable list
   */
  public List<Node> nodes() {
    return table.nodes;
  }

  /**
   * The node with an id.
   *
   * @param id the id
   * @return the node
   * @throws UnknownNodeException when there is none
   */
  public Node node(String id) {
    return table.nodes.get(index(id));
  }

  /**
   * Whether a node is ejected, by hand or by failure accrual.
   *
   * @param id the node's id
   * @return whether it is
   * @throws UnknownNodeException when there is none
   */
  public boolean isEjected(String id) {
    return ejected.get(index(id));
  }

  private int index(String id) {
    Integer index = table.indices.get(Objects.requireNonNull(id, "id"));
    if (index == null) {
      throw new UnknownNodeException(
          "id: no node \"" + id + "\" in this snapshot; use the id of one of its nodes", "id");
    }
    return index;
  }

  /**
   * The revision in force: the document's, or the router's own count where the document has none.
   *
   * @return from 1 on
   */
  public long revision() {
    return revision;
  }

  /**
   * The fingerprint of the topology.
   *
   * @return 64 bits without a sign
   */
  public long fingerprint() {
    return fingerprint;
  }

  /**
   * The points on the ring.
   *
   * @return the number
   */
  public long points() {
    return points;
  }

  /**
   * The topology this was made from.
   *
   * @return the topology
   */
  public Topology topology() {
    Topology known = topology;
    if (known == null) {
      known = new Topology(Native.snapshotTopology(handle));
      Reference.reachabilityFence(this);
      topology = known;
    }
    return known;
  }

  /**
   * The ids of the logical partitions that the topology declares.
   *
   * @return the ids, ascending
   */
  public List<Integer> partitionIds() {
    return partitionFacts().ids();
  }

  /**
   * The ids of the nodes that serve a partition.
   *
   * @param partition the partition
   * @return the ids, in the order of the nodes
   * @throws NoPartitionException when no node serves it
   */
  public List<String> partitionNodes(int partition) {
    int[] indices = Native.snapshotPartitionNodes(handle, partition);
    Reference.reachabilityFence(this);
    return names(indices);
  }

  /**
   * The partitions that a node serves.
   *
   * @param id the node's id
   * @return their ids, ascending; none for a node that was left out
   * @throws UnknownNodeException when there is no such node
   */
  public List<Integer> partitionsOf(String id) {
    int[] partitions = Native.snapshotPartitionsOf(handle, index(id));
    Reference.reachabilityFence(this);
    return Arrays.stream(partitions).boxed().toList();
  }

  /**
   * The nodes that serve no partition because something is wrong with them.
   *
   * @return who, and why
   */
  public List<LeftOut> leftOut() {
    return partitionFacts().leftOut();
  }

  private PartitionMap.Facts partitionFacts() {
    byte[] facts = Native.snapshotPartitionFacts(handle);
    Reference.reachabilityFence(this);
    return PartitionMap.Facts.of(facts, this::id);
  }

  private List<String> names(int[] indices) {
    String[] names = new String[indices.length];
    for (int place = 0; place < names.length; place++) {
      names[place] = table.ids[indices[place]];
    }
    return List.of(names);
  }

  @Override
  public String toString() {
    return String.format(
        "<Snapshot revision %d, %d nodes, %d ejected, fingerprint %016x>",
        revision, table.ids.length, ejected.cardinality(), fingerprint);
  }
}
