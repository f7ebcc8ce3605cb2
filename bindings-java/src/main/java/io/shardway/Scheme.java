package io.shardway;

/** How keys are placed on nodes. A scheme's answers never change once it is released. */
public sealed interface Scheme {
  /** The native ring: a node's points depend on its id and weight only. */
  record RingV1() implements Scheme {}

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
