package io.shardway;

import java.util.List;

/**
 * The steps from a key to its owner. {@code hash}, {@code position}, {@code point} and {@code
 * fingerprint} are 64 bits without a sign: print them with {@link Long#toUnsignedString(long)}.
 *
 * @param scheme the scheme's name
 * @param keyHasher the key hasher's name
 * @param hash the hash of the key
 * @param position the position on the ring that the hash leads to
 * @param point the point that takes the position; null on an empty ring
 * @param pointNode the node that has the point; it differs from the owner when it is ejected. Null
 *     on an empty ring
 * @param owner the owner; null when no node can own a key
 * @param next the next distinct owners, in the order in which they would take over; at most three
 * @param ejected the ejected nodes
 * @param revision the revision in force
 * @param fingerprint the topology's fingerprint
 * @param text all this as text for people; also what {@link #toString()} gives
 * @param json all this as one JSON object
 */
public record Explanation(
    String scheme,
    String keyHasher,
    long hash,
    long position,
    Long point,
    String pointNode,
    String owner,
    List<String> next,
    List<String> ejected,
    long revision,
    long fingerprint,
    String text,
    String json) {
  @Override
  public String toString() {
    return text;
  }
}
