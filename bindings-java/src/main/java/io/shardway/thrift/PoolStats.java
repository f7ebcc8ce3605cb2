package io.shardway.thrift;

/**
 * The connections to one node.
 *
 * @param open open now
 * @param idle of these idle
 * @param opened opened since the node joined
 */
public record PoolStats(int open, int idle, long opened) {}
