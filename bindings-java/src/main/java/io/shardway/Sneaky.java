package io.shardway;

/** Throws what a user's function threw as it is, where the compiler wants no checked exceptions. */
final class Sneaky {
  private Sneaky() {}

  static RuntimeException raise(Throwable error) {
    throw Sneaky.<RuntimeException>as(error);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E as(Throwable error) throws E {
    throw (E) error;
  }
}
