/**
 * Which instance owns this key, right now: the same answer in every language.
 *
 * <p>A {@link io.shardway.Topology} declares nodes, a {@link io.shardway.Router} routes keys by it.
 * Safe for many threads unless a class says otherwise. Hashes, positions and fingerprints are 64
 * bits without a sign in a {@code long}: print them with {@link
 * java.lang.Long#toUnsignedString(long)}.
 */
package io.shardway;
