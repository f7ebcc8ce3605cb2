package io.shardway.thrift;

/**
 * How the connections to each node are made and kept; the builder of the client says what they
 * mean.
 */
record PoolOptions(
    boolean framed,
    Protocol protocol,
    int connectTimeoutMs,
    int callTimeoutMs,
    int maxConnections,
    int idleMs,
    int maxAnswerBytes) {}
