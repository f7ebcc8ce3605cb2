package io.shardway;

/** How one of several equivalent instances is chosen. */
public enum Pick {
  /** Of two drawn at random the one with fewer requests of this client under way. */
  P2C,

  /** One after the other. */
  ROUND_ROBIN
}
