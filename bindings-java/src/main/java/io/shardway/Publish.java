package io.shardway;

/** What became of a published topology. */
public enum Publish {
  /** It is in force. */
  PUBLISHED,

  /** It is the one in force already; nothing was rebuilt. */
  UNCHANGED,

  /**
   * It has no nodes, or declares partitions that no instance serves: the old one stays in force,
   * since a discovery glitch must not lose traffic.
   */
  KEPT_OLD;
}
