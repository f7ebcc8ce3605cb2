package io.shardway;

/** What happened to a node. */
public enum EventKind {
  /** It was marked dead. */
  EJECTED,

  /** Its time is up; it may be probed. */
  PROBING,

  /** It answered its probe and is live. */
  REVIVED;
}
