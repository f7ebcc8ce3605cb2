package io.shardway;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Which of several equivalent instances gets a request. For any number of threads. */
final class Picker {
  private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();
  private final SplittableRandom random;
  private final Map<Lane, Integer> turns = new HashMap<>();

  /**
   * Whose turns are counted together: an endpoint, or one of its partitions. With one count for
   * all, a request to two partitions of two nodes would meet the same two nodes for ever.
   */
  record Lane(String endpoint, Integer partition) {}

  /** The same seed and calls give the same choices. */
  Picker(long seed) {
    this.random = new SplittableRandom(seed);
  }

  void enter(String node) {
    inFlight.merge(node, 1, Integer::sum);
  }

  void leave(String node) {
    inFlight.computeIfPresent(node, (id, count) -> count > 1 ? count - 1 : null);
  }

  /** All nodes: the chosen one first, then those to fall back to when it must not be sent to. */
  List<Node> order(Pick pick, List<Node> nodes, Lane lane) {
    int count = nodes.size();
    if (count < 2) {
      return nodes;
    }
    int first;
    synchronized (random) {
      if (pick == Pick.ROUND_ROBIN) {
        first = Math.floorMod(turns.merge(lane, 1, Integer::sum) - 1, count);
      } else {
        first = random.nextInt(count);
        int second = (first + 1 + random.nextInt(count - 1)) % count;
        if (under(nodes.get(second)) < under(nodes.get(first))) {
          first = second;
        }
      }
    }
    List<Node> order = new ArrayList<>(count);
    for (int step = 0; step < count; step++) {
      order.add(nodes.get((first + step) % count));
    }
    return order;
  }

  private int under(Node node) {
    return inFlight.getOrDefault(node.id(), 0);
  }
}
