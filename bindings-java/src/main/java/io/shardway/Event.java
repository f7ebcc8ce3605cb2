package io.shardway;

/**
 * A change of a node's state.
 *
 * @param kind what happened
 * @param node the node's id
 * @param atMs when, in ms of the caller's clock
 * @param untilMs for {@link EventKind#EJECTED} the time at which it may be probed; else as {@code
 *     atMs}
 */
public record Event(EventKind kind, String node, long atMs, long untilMs) {}
