package io.shardway;

/**
 * Counters of a router since it was made, and gauges of now.
 *
 * @param redistributes times the ring in force changed: by a publish, an ejection or a revival; the
 *     first one counts
 * @param joins nodes that joined, the first ones included
 * @param leaves nodes that left
 * @param ejections nodes that lost their keys, by hand or by failure accrual
 * @param revivals nodes that got their keys back
 * @param partitionUpdates publishes that changed the logical partitions
 * @param snapUpdates publishes that were put in force, the first one included
 * @param updateFailures publishes that were refused so that the old topology was kept
 * @param liveNodes nodes that are not ejected now
 * @param deadNodes nodes that are ejected now
 * @param nodes nodes of the topology in force
 * @param points points on the ring in force
 * @param revision the revision in force
 * @param fingerprint the fingerprint of the topology in force: 64 bits without a sign
 */
public record Stats(
    long redistributes,
    long joins,
    long leaves,
    long ejections,
    long revivals,
    long partitionUpdates,
    long snapUpdates,
    long updateFailures,
    long liveNodes,
    long deadNodes,
    long nodes,
    long points,
    long revision,
    long fingerprint) {
  static Stats of(long[] fields) {
    return new Stats(
        fields[0],
        fields[1],
        fields[2],
        fields[3],
        fields[4],
        fields[5],
        fields[6],
        fields[7],
        fields[8],
        fields[9],
        fields[10],
        fields[11],
        fields[12],
        fields[13]);
  }
}
