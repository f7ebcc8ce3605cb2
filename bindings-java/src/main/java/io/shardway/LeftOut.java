package io.shardway;

/**
 * An instance that serves no partition because something is wrong with it.
 *
 * @param node its id
 * @param code {@link ErrorCode#NO_SHARD_ID} or {@link ErrorCode#PARTITIONING_STRATEGY}
 * @param reason a sentence for the log
 */
public record LeftOut(String node, ErrorCode code, String reason) {}
