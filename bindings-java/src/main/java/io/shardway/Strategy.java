package io.shardway;

/**
 * How a request is split. A description: a client does the splitting, and one strategy may serve
 * several clients and any number of threads.
 */
public sealed interface Strategy permits HashingStrategy, CustomStrategy, MethodStrategies {}
