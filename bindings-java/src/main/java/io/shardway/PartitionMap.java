package io.shardway;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * Logical partitions to instances and back. Immutable, safe for many threads.
 *
 * <p>What is wrong with an instance leaves out that instance only; {@link #leftOut()} says why.
 */
public final class PartitionMap {
  private final long handle;
  private final String[] ids;
  private final Map<String, Integer> indices = new HashMap<>();
  private final Facts facts;

  record Facts(List<Integer> ids, List<LeftOut> leftOut) {
    static Facts of(byte[] content, IntFunction<String> name) {
      WireReader wire = new WireReader(content);
      return new Facts(
          wire.list(wire::int32),
          wire.list(
              () ->
                  new LeftOut(name.apply(wire.int32()), ErrorCode.of(wire.int32()), wire.text())));
    }
  }

  /**
   * Makes the map of instances.
   *
   * @param instances the instances, each id once
   * @throws InvalidArgumentException when an id comes twice; the place names the second
   */
  public PartitionMap(List<Instance> instances) {
    List<Instance> mine = List.copyOf(instances);
    this.ids = new String[mine.size()];
    for (int place = 0; place < ids.length; place++) {
      ids[place] = mine.get(place).id();
      Integer first = indices.putIfAbsent(ids[place], place);
      if (first != null) {
        String where = "instances[" + place + "].id";
        throw new InvalidArgumentException(
            where + ": the id of instances[" + first + "]; each id once is right", where);
      }
    }
    long made = Native.partitionsNew(pack(mine));
    this.handle = made;
    Native.CLEANER.register(this, () -> Native.partitionsFree(made));
    this.facts = Facts.of(Native.partitionsFacts(made), index -> ids[index]);
  }

  private static byte[] pack(List<Instance> instances) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(content);
    try {
      for (Instance instance : instances) {
        out.writeBoolean(instance.shardId() != null);
        if (instance.shardId() != null) {
          out.writeInt(instance.shardId());
        }
        if (instance.serves() instanceof Instance.Listed listed) {
          out.writeByte(1);
          out.writeInt(listed.partitions().size());
          for (int partition : listed.partitions()) {
            out.writeInt(partition);
          }
        } else if (instance.serves() instanceof Instance.Failed failed) {
          byte[] reason = failed.reason().getBytes(StandardCharsets.UTF_8);
          out.writeByte(2);
          out.writeInt(reason.length);
          out.write(reason);
        } else {
          out.writeByte(0);
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return content.toByteArray();
  }

  /**
   * The ids of all partitions.
   *
   * @return the ids, ascending
   */
  public List<Integer> ids() {
    return facts.ids;
  }

  /**
   * The number of partitions.
   *
   * @return the number
   */
  public int size() {
    return facts.ids.size();
  }

  /**
   * The ids of the nodes that serve a partition.
   *
   * @param partition the partition
   * @return the ids, in the order of the instances
   * @throws NoPartitionException when none serves it
   */
  public List<String> nodes(int partition) {
    int[] found = Native.partitionsNodes(handle, partition);
    Reference.reachabilityFence(this);
    return Arrays.stream(found).mapToObj(index -> ids[index]).toList();
  }

  /**
   * The partitions that a node serves.
   *
   * @param id the node's id
   * @return their ids, ascending; none for an instance that was left out
   * @throws UnknownNodeException when no instance has the id
   */
  public List<Integer> partitionsOf(String id) {
    Integer index = indices.get(Objects.requireNonNull(id, "id"));
    if (index == null) {
      throw new UnknownNodeException(
          "id: no instance \"" + id + "\" in this map; use the id of a given instance", "id");
    }
    int[] found = Native.partitionsOf(handle, index);
    Reference.reachabilityFence(this);
    return Arrays.stream(found).boxed().toList();
  }

  /**
   * The instances that serve no partition because something is wrong with them.
   *
   * @return who, and why
   */
  public List<LeftOut> leftOut() {
    return facts.leftOut;
  }

  @Override
  public String toString() {
    return String.format(
        "<PartitionMap %d partitions, %d instances, %d left out>",
        size(), ids.length, leftOut().size());
  }
}
