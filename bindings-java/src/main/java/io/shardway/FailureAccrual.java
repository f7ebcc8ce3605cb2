package io.shardway;

/**
 * When a node counts as dead, and for how long. Ranges are checked by the topology that takes it.
 *
 * @param consecutiveFailures failures in a row that mark a node dead, from 1 on
 * @param backoffMinMs the shortest time a node stays dead, in ms, from 1 on
 * @param backoffMaxMs the longest time a node stays dead, in ms, at least the shortest; up to 365
 *     days
 * @param probeTimeoutMs how long an unreported probe keeps others from being sent, in ms, from 1 on
 */
public record FailureAccrual(
    long consecutiveFailures, long backoffMinMs, long backoffMaxMs, long probeTimeoutMs) {
  /** What counts where a topology says nothing: 5 failures, 5 s to 300 s, probes of 5 s. */
  public static final FailureAccrual DEFAULT = new FailureAccrual(5, 5_000, 300_000, 5_000);
}
