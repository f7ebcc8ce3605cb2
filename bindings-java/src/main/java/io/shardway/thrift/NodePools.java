package io.shardway.thrift;

import io.shardway.ClosedException;
import io.shardway.InvalidTopologyException;
import io.shardway.Node;
import io.shardway.Router;
import io.shardway.Snapshot;
import io.shardway.Topology;
import java.lang.reflect.Constructor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A pool of connections for every node of the topology in force, and none for nodes that have left.
 * It follows the router: a topology that anyone has published there counts from the next call on.
 * For any number of threads.
 */
final class NodePools {
  private final Router router;
  private final Constructor<?> clients;
  private final PoolOptions options;
  private volatile Map<String, NodePool> pools = Map.of();
  private volatile long revision;
  private volatile boolean closed;

  NodePools(Router router, Constructor<?> clients, PoolOptions options) {
    checkAddresses(router.topology());
    this.router = router;
    this.clients = clients;
    this.options = options;
    follow();
  }

  /** Refuses a topology with a node that could not be called. */
  static void checkAddresses(Topology topology) {
    int place = 0;
    for (Node node : topology.nodes()) {
      address(node, "nodes[" + place + "].");
      place++;
    }
  }

  private static InetSocketAddress address(Node node, String place) {
    if (node.host() == null || node.port() == null) {
      String field = place + (node.host() == null ? "host" : "port");
      throw new InvalidTopologyException(
          field
              + ": node \""
              + node.id()
              + "\" has none; a Thrift client connects to host and port of each node",
          field);
    }
    return InetSocketAddress.createUnresolved(node.host(), node.port());
  }

  /** The pool of a node, also of one that left or moved after the request took its snapshot. */
  NodePool pool(Node node) {
    if (router.revision() != revision) {
      follow();
    }
    if (closed) {
      throw new ClosedException("the client was closed; make a new one");
    }
    InetSocketAddress address = address(node, "");
    NodePool found = pools.get(node.id());
    if (found != null && found.address.equals(address)) {
      return found;
    }
    NodePool late = new NodePool(node.id(), address, clients, options);
    late.retire();
    return late;
  }

  /** Opens pools for nodes that joined or moved, closes those of nodes that left or moved. */
  void follow() {
    List<NodePool> gone = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      Snapshot snapshot = router.snapshot();
      Map<String, NodePool> next = new HashMap<>();
      for (Node node : snapshot.nodes()) {
        if (node.host() == null || node.port() == null) {
          continue; // published past this client's own check; a call to it says so
        }
        InetSocketAddress address = address(node, "");
        NodePool known = pools.get(node.id());
        boolean stays = known != null && known.address.equals(address);
        next.put(node.id(), stays ? known : new NodePool(node.id(), address, clients, options));
      }
      pools.forEach(
          (id, pool) -> {
            if (next.get(id) != pool) {
              gone.add(pool);
            }
          });
      pools = next;
      revision = snapshot.revision();
    }
    gone.forEach(NodePool::retire);
  }

  Map<String, PoolStats> stats() {
    Map<String, PoolStats> stats = new TreeMap<>();
    pools.forEach((id, pool) -> stats.put(id, pool.stats()));
    return stats;
  }

  void close() {
    Map<String, NodePool> last;
    synchronized (this) {
      closed = true;
      last = pools;
      pools = Map.of();
    }
    last.values().forEach(NodePool::close);
  }
}
