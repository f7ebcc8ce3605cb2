package io.shardway;

import java.util.List;

/** Nothing was sent: every node that could answer is marked dead, or its one probe is under way. */
public final class NodeUnavailableException extends ShardNotAvailableException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> nodes;

  /**
   * Makes the exception.
   *
   * @param message the whole sentence
   * @param place the endpoint
   * @param nodes the ids of the nodes that were considered
   */
  public NodeUnavailableException(String message, String place, List<String> nodes) {
    super(message, place);
    this.nodes = List.copyOf(nodes);
  }

  /**
   * The nodes that were considered.
   *
   * @return their ids; none after the exception was serialised
   */
  public List<String> nodes() {
    return nodes == null ? List.of() : nodes;
  }
}
