package io.shardway;

/** How keys are placed on nodes. A scheme's answers never change once it is released. */
public sealed interface Scheme {
  /**
   * Slots that nodes own by weighted rendezvous: a lookup is one hash and one read. The best choice
   * for a new topology.
   *
   * @param slots the number of slots, a power of two from 256 to 1,048,576
   * @param balance the most slots of a node as a factor of its exact share, 1.01 to 2 with at most
   *     three decimal places; null for no cap
   */
  record SlotsV1(int slots, Double balance) implements Scheme {}

  /** The native ring: a node's points depend on its id and weight only. */
  record RingV1() implements Scheme {}

  /**
   * Weighted rendezvous of every key with every node: exact shares, and a cost that grows with
   * them.
   */
  record RendezvousV1() implements Scheme {}

  /**
   * Finagle's consistent-hashing ring, bit for bit.
   *
   * @param oldLibmemcached point counts in single precision, as old versions of libmemcached had
   *     them
   * @param thriftKeys whether keys are hashed by their JVM {@code hashCode()}, as Finagle's Thrift
   *     client does: a {@code String}'s text, {@code Long}, {@code Integer} and {@code Boolean}
   */
  record Finagle(boolean oldLibmemcached, boolean thriftKeys) implements Scheme {}

  /**
   * The ring of another system, bit for bit; docs/profiles.md lists them.
   *
   * @param name its name, for instance {@code libmemcached-ketama-weighted}
   */
  record Profile(String name) implements Scheme {}

  /**
   * The ring of another system.
   *
   * @param name its name, for instance {@code twemproxy-ketama}
   * @return the scheme; a name that is not known is refused by {@link TopologyBuilder#build}
   */
  static Scheme profile(String name) {
    return new Profile(name);
  }

  /**
   * 65,536 slots without a cap.
   *
   * @return the scheme
   */
  static Scheme slotsV1() {
    return new SlotsV1(65_536, null);
  }

  /**
   * Weighted rendezvous.
   *
   * @return the scheme
   */
  static Scheme rendezvousV1() {
    return new RendezvousV1();
  }

  /**
   * The native ring.
   *
   * @return the scheme
   */
  static Scheme ringV1() {
    return new RingV1();
  }

  /**
   * Finagle's ring, with neither of its options.
   *
   * @return the scheme
   */
  static Scheme finagle() {
    return new Finagle(false, false);
  }
}
