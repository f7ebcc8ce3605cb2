package io.shardway;

import java.util.List;

/**
 * What one node, or one of several equivalent ones, is asked.
 *
 * @param error set when the part cannot be sent
 */
record Part(
    String endpoint,
    Object request,
    List<Node> candidates,
    Pick pick,
    List<Object> keys,
    Integer partition,
    ShardwayException error) {
  /** The node's id if there is only one that may be asked, else null. */
  String onlyNode() {
    return candidates.size() == 1 ? candidates.get(0).id() : null;
  }
}
