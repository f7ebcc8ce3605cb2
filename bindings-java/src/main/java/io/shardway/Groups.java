package io.shardway;

import java.util.Arrays;
import java.util.Objects;

/**
 * The keys of a batch by owner: groups in the order in which their first key appears, key numbers
 * ascending inside a group. Immutable, safe for many threads.
 */
public final class Groups {
  private final Snapshot snapshot;

  /** The number of groups, their nodes, their offsets, the key numbers: one after the other. */
  private final int[] packed;

  private final int size;

  Groups(Snapshot snapshot, int[] packed) {
    this.snapshot = snapshot;
    this.packed = packed;
    this.size = packed[0];
  }

  /**
   * The snapshot that answered.
   *
   * @return the snapshot
   */
  public Snapshot snapshot() {
    return snapshot;
  }

  /**
   * The number of groups; 0 for an empty batch only.
   *
   * @return the number
   */
  public int size() {
    return size;
  }

  /**
   * The number of keys in all groups.
   *
   * @return the number
   */
  public int keys() {
    return packed.length - 2 - 2 * size;
  }

  /**
   * The id of the node of a group.
   *
   * @param group 0 to {@link #size()} - 1
   * @return the id
   * @throws IndexOutOfBoundsException when there is no such group
   */
  public String node(int group) {
    Objects.checkIndex(group, size);
    return snapshot.id(packed[1 + group]);
  }

  /**
   * The numbers of the keys of a group, which count from 0 in the order of the batch.
   *
   * @param group 0 to {@link #size()} - 1
   * @return the numbers, as unsigned ints; the array is the caller's
   * @throws IndexOutOfBoundsException when there is no such group
   */
  public int[] indices(int group) {
    Objects.checkIndex(group, size);
    int offsets = 1 + size;
    int indices = offsets + size + 1;
    int from = indices + packed[offsets + group];
    return Arrays.copyOfRange(packed, from, indices + packed[offsets + group + 1]);
  }
}
