package io.shardway.thrift;

/** How messages are written; as the servers speak. */
public enum Protocol {
  /** Thrift's binary protocol, strict. */
  BINARY,

  /** Thrift's compact protocol. */
  COMPACT
}
