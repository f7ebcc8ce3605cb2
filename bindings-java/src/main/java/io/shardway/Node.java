package io.shardway;

import java.util.Objects;

/**
 * One instance that answers requests. A value: immutable, comparable by content, safe for many
 * threads. Ranges are checked by the topology that takes the node, which can name its place.
 *
 * @param id the stable name, 1 to 1,024 bytes of UTF-8, unique in a topology; placement follows the
 *     id, never the address
 * @param host host name or address, for the transport; null when there is none. The finagle profile
 *     builds its label from it
 * @param port TCP port, 1 to 65,535; null when there is none
 * @param weight share of the keys relative to other nodes, 0 to 1,000,000,000; 0 keeps the node
 *     known and gives it no key
 * @param shardId the shard id that service discovery gives the instance, for logical partitions;
 *     null when there is none
 * @param zone failure domain; null when there is none
 */
public record Node(String id, String host, Integer port, int weight, Integer shardId, String zone) {
  /**
   * Makes a node.
   *
   * @param id as the component
   * @param host as the component
   * @param port as the component
   * @param weight as the component
   * @param shardId as the component
   * @param zone as the component
   */
  public Node {
    Objects.requireNonNull(id, "id");
  }

  /**
   * A node of weight 1 that is nothing but its id.
   *
   * @param id the stable name
   * @return the node
   */
  public static Node of(String id) {
    return new Node(id, null, null, 1, null, null);
  }

  /**
   * The same node at an address.
   *
   * @param host host name or address
   * @param port TCP port
   * @return a new node
   */
  public Node at(String host, int port) {
    return new Node(id, host, port, weight, shardId, zone);
  }

  /**
   * The same node with another weight.
   *
   * @param weight 0 to 1,000,000,000
   * @return a new node
   */
  public Node withWeight(int weight) {
    return new Node(id, host, port, weight, shardId, zone);
  }

  /**
   * The same node with a shard id.
   *
   * @param shardId any number of 32 bits
   * @return a new node
   */
  public Node withShardId(int shardId) {
    return new Node(id, host, port, weight, shardId, zone);
  }

  /**
   * The same node in a zone.
   *
   * @param zone the failure domain
   * @return a new node
   */
  public Node inZone(String zone) {
    return new Node(id, host, port, weight, shardId, zone);
  }
}
