package io.shardway;

import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps the view of one custom strategy in force: the function and the map that belong together. A
 * new view is made when the topology's revision or the observed state changes; what fails keeps the
 * old one. For any number of threads.
 */
final class SchemaKeeper {
  private static final System.Logger LOG = System.getLogger("io.shardway");

  /** One view; a request holds it from start to end. */
  record Schema(GetPartitions split, PartitionMap map, Map<String, Node> nodes) {}

  /** What was there when a view was made. */
  private record Seen(long revision, long version) {}

  private record InForce(Seen seen, Schema schema) {}

  private final CustomStrategy strategy;

  /** Null until the first view. */
  private volatile InForce inForce;

  private long partitionUpdates;
  private long snapUpdates;
  private long updateFailures;

  /** The last update that could not be used. */
  private Seen failed;

  SchemaKeeper(CustomStrategy strategy) {
    this.strategy = strategy;
  }

  /** The view for a snapshot; throws what the user's functions threw while there is none yet. */
  Schema current(Snapshot snapshot) throws Exception {
    InForce now = inForce;
    long version = strategy.state == null ? 0 : strategy.state.version();
    if (now != null && now.seen.equals(new Seen(snapshot.revision(), version))) {
      return now.schema;
    }
    return renew(snapshot);
  }

  private synchronized Schema renew(Snapshot snapshot) throws Exception {
    State.Versioned<?> state =
        strategy.state != null
            ? strategy.state.read()
            : new State.Versioned<Object>(
                0, strategy.observesCluster ? Set.copyOf(snapshot.nodes()) : null);
    Seen seen = new Seen(snapshot.revision(), state.version());
    InForce now = inForce;
    if (now != null) {
      boolean another = seen.revision < now.seen.revision || seen.version < now.seen.version;
      if (another || seen.equals(now.seen)) {
        return now.schema; // another thread has seen this, or something newer
      }
    }
    Schema schema;
    try {
      schema = evaluate(snapshot, state.value());
    } catch (Exception error) {
      countFailure(seen);
      if (now == null) {
        throw error;
      }
      LOG.log(Level.ERROR, "the last good partitions stay in force: " + error, error);
      inForce = new InForce(seen, now.schema);
      return now.schema;
    }
    return put(seen, schema, now);
  }

  private Schema evaluate(Snapshot snapshot, Object value) throws Exception {
    GetPartitions split = strategy.partitionsAt.apply(value);
    if (split == null) {
      throw new InvalidArgumentException(
          "getPartitions gave null for the state; a function is right", "getPartitions");
    }
    Map<String, Node> nodes = new HashMap<>();
    snapshot.nodes().forEach(node -> nodes.put(node.id(), node));
    return new Schema(split, map(snapshot, value), nodes);
  }

  private PartitionMap map(Snapshot snapshot, Object value) {
    LogicalPartition logical;
    if (strategy.logicalAt != null) {
      logical = strategy.logicalAt.apply(value);
      if (logical == null) {
        throw new InvalidArgumentException(
            "logical gave null for the state; a function is right", "logical");
      }
    } else {
      Map<Integer, List<Integer>> declared = snapshot.topology().partitions().orElse(null);
      logical = declared == null ? null : shardId -> listed(declared, shardId);
    }
    LogicalPartition serves = logical;
    return new PartitionMap(
        snapshot.nodes().stream()
            .map(node -> new Instance(node.id(), node.shardId(), served(serves, node.shardId())))
            .toList());
  }

  private static List<Integer> listed(Map<Integer, List<Integer>> declared, int shardId) {
    List<Integer> serves = declared.get(shardId);
    if (serves == null) {
      throw new IllegalArgumentException("shard id " + shardId + " is not listed in partitions");
    }
    return serves;
  }

  /** What the user's mapping gives for one instance; its failure is that instance's alone. */
  private static Instance.Serves served(LogicalPartition logical, Integer shardId) {
    if (logical == null || shardId == null) {
      return new Instance.Own();
    }
    try {
      Collection<Integer> serves = logical.serves(shardId);
      return new Instance.Listed(List.copyOf(serves));
    } catch (Exception error) {
      return new Instance.Failed(error.toString());
    }
  }

  private Schema put(Seen seen, Schema schema, InForce before) {
    if (!seen.equals(failed)) { // else it was said when this update was tried before
      for (LeftOut left : schema.map.leftOut()) {
        LOG.log(
            Level.WARNING,
            left.code().label() + ": instance " + left.node() + " is left out: " + left.reason());
      }
    }
    if (schema.map.size() == 0) {
      countFailure(seen);
      if (before != null) {
        LOG.log(Level.ERROR, "the last good partitions stay in force: the new ones would be empty");
        inForce = new InForce(seen, before.schema);
        return before.schema;
      }
      return schema; // nothing to keep: asking it says which partition is missing
    }
    snapUpdates++;
    if (before == null || !content(before.schema.map).equals(content(schema.map))) {
      partitionUpdates++;
    }
    inForce = new InForce(seen, schema);
    return schema;
  }

  /** Counts an update that cannot be used, once: without a view each request tries anew. */
  private void countFailure(Seen seen) {
    if (!seen.equals(failed)) {
      failed = seen;
      updateFailures++;
    }
  }

  private static Map<Integer, Set<String>> content(PartitionMap map) {
    Map<Integer, Set<String>> content = new HashMap<>();
    map.ids().forEach(partition -> content.put(partition, new HashSet<>(map.nodes(partition))));
    return content;
  }

  /** The counts; those of the router are not among them. */
  synchronized ClientStats stats() {
    PartitionMap map = inForce == null ? null : inForce.schema.map;
    return new ClientStats(
        null,
        partitionUpdates,
        snapUpdates,
        updateFailures,
        map == null ? 0 : map.size(),
        map == null ? 0 : map.leftOut().size());
  }
}
