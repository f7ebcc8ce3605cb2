package io.shardway;

/** Whether a request may go to a node. */
public enum Admission {
  /** Send it. */
  SEND,

  /** Send it; it is the one probe, so its outcome must be reported. */
  PROBE,

  /** Do not send it: the node is dead, or its probe is under way. */
  FAIL_FAST;
}
