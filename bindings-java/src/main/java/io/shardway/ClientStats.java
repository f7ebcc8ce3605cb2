package io.shardway;

/**
 * Counters and gauges of a client, under Finagle's names.
 *
 * @param router those of the router, which other clients may share
 * @param partitionUpdates changes of the logical partitions
 * @param snapUpdates views of the logical partitions put in force, changed or not
 * @param updateFailures updates that could not be used, so that the old view was kept
 * @param nodes logical partitions with a custom strategy, else nodes
 * @param leftOut instances that serve no partition because something is wrong with them
 */
public record ClientStats(
    Stats router,
    long partitionUpdates,
    long snapUpdates,
    long updateFailures,
    long nodes,
    long leftOut) {}
