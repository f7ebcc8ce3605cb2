package io.shardway;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Collects a declaration; {@link #build()} checks it by the rules of the document, so errors name
 * the same places. For one thread.
 */
public final class TopologyBuilder {
  private final Scheme scheme;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, String> fields = new LinkedHashMap<>();
  private Map<Integer, Collection<Integer>> partitions;

  TopologyBuilder(Scheme scheme) {
    this.scheme = Objects.requireNonNull(scheme, "scheme");
  }

  /**
   * Adds a node that is nothing but its id.
   *
   * @param id the stable name
   * @return this
   */
  public TopologyBuilder node(String id) {
    return node(Node.of(id));
  }

  /**
   * Adds a node.
   *
   * @param node the node
   * @return this
   */
  public TopologyBuilder node(Node node) {
    nodes.add(Objects.requireNonNull(node, "node"));
    return this;
  }

  /**
   * Adds nodes, at most 100,000 in all.
   *
   * @param nodes the nodes
   * @return this
   */
  public TopologyBuilder nodes(Collection<Node> nodes) {
    nodes.forEach(this::node);
    return this;
  }

  /**
   * Sets the key hasher; without it the scheme's default counts.
   *
   * @param name its name, for instance {@code murmur3}
   * @return this
   */
  public TopologyBuilder keyHasher(String name) {
    fields.put("key_hasher", quoted(name, "key_hasher"));
    return this;
  }

  /**
   * Sets the points per unit of weight; 160 by default.
   *
   * @param numReps 1 to 65,536, from 4 on with the finagle profile
   * @return this
   */
  public TopologyBuilder numReps(int numReps) {
    fields.put("num_reps", Integer.toString(numReps));
    return this;
  }

  /**
   * Sets the weight that gets {@code numReps} points; 1 by default, for the native ring only.
   *
   * @param weightUnit 1 to 1,000,000
   * @return this
   */
  public TopologyBuilder weightUnit(int weightUnit) {
    fields.put("weight_unit", Integer.toString(weightUnit));
    return this;
  }

  /**
   * Sets the revision. Without it a router numbers the topology itself.
   *
   * @param revision from 1 on
   * @return this
   */
  public TopologyBuilder revision(long revision) {
    fields.put("revision", Long.toString(revision));
    return this;
  }

  /**
   * Sets whether dead nodes lose their keys to the next ones; false by default.
   *
   * @param eject whether they do
   * @return this
   */
  public TopologyBuilder ejectFailedHost(boolean eject) {
    fields.put("eject_failed_host", Boolean.toString(eject));
    return this;
  }

  /**
   * Sets when a node counts as dead, and for how long.
   *
   * @param policy the policy
   * @return this
   */
  public TopologyBuilder failureAccrual(FailureAccrual policy) {
    fields.put(
        "failure_accrual",
        "{\"consecutive_failures\":"
            + policy.consecutiveFailures()
            + ",\"backoff_min_ms\":"
            + policy.backoffMinMs()
            + ",\"backoff_max_ms\":"
            + policy.backoffMaxMs()
            + ",\"probe_timeout_ms\":"
            + policy.probeTimeoutMs()
            + "}");
    return this;
  }

  /**
   * Declares that the instance with a shard id serves partitions. Once one is declared, an instance
   * that is not serves none.
   *
   * @param shardId the instance
   * @param serves its partitions
   * @return this
   */
  public TopologyBuilder partition(int shardId, Collection<Integer> serves) {
    if (partitions == null) {
      partitions = new LinkedHashMap<>();
    }
    partitions.put(shardId, List.copyOf(serves));
    return this;
  }

  /**
   * Checks the declaration.
   *
   * @return the topology
   * @throws InvalidTopologyException when a rule is broken; its place says where, as in {@code
   *     nodes[3].weight}
   */
  public Topology build() {
    StringBuilder text = new StringBuilder("{\"format\":1,\"scheme\":");
    if (scheme instanceof Scheme.Finagle finagle) {
      text.append("{\"profile\":\"finagle\",\"old_libmemcached\":")
          .append(finagle.oldLibmemcached())
          .append(",\"thrift_keys\":")
          .append(finagle.thriftKeys())
          .append('}');
    } else if (scheme instanceof Scheme.Profile profile) {
      text.append("{\"profile\":").append(quoted(profile.name(), "scheme.profile")).append('}');
    } else if (scheme instanceof Scheme.SlotsV1 of) {
      text.append("{\"native\":\"slots-v1\",\"slots\":").append(of.slots());
      text.append(of.balance() == null ? "" : ",\"balance\":" + of.balance()).append('}');
    } else {
      String name = scheme instanceof Scheme.RendezvousV1 ? "rendezvous-v1" : "ring-v1";
      text.append("{\"native\":\"").append(name).append("\"}");
    }
    fields.forEach((name, value) -> text.append(",\"").append(name).append("\":").append(value));
    text.append(",\"nodes\":[");
    for (int place = 0; place < nodes.size(); place++) {
      text.append(place == 0 ? "" : ",");
      append(text, nodes.get(place), "nodes[" + place + "]");
    }
    text.append(']');
    if (partitions != null) {
      text.append(",\"partitions\":[");
      String comma = "";
      for (Map.Entry<Integer, Collection<Integer>> one : partitions.entrySet()) {
        text.append(comma).append("{\"shard_id\":").append(one.getKey()).append(",\"serves\":");
        text.append(one.getValue()).append('}');
        comma = ",";
      }
      text.append(']');
    }
    return Topology.fromJson(text.append('}').toString());
  }

  private static void append(StringBuilder text, Node node, String place) {
    text.append("{\"id\":").append(quoted(node.id(), place + ".id"));
    if (node.host() != null) {
      text.append(",\"host\":").append(quoted(node.host(), place + ".host"));
    }
    if (node.port() != null) {
      text.append(",\"port\":").append(node.port());
    }
    text.append(",\"weight\":").append(node.weight());
    if (node.shardId() != null) {
      text.append(",\"shard_id\":").append(node.shardId());
    }
    if (node.zone() != null) {
      text.append(",\"zone\":").append(quoted(node.zone(), place + ".zone"));
    }
    text.append('}');
  }

  private static String quoted(String text, String place) {
    int at = Keys.loneSurrogate(text);
    if (at >= 0) {
      throw new InvalidTopologyException(
          place + ": a lone surrogate at index " + at + " has no UTF-8; well-formed text is right",
          place);
    }
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int index = 0; index < text.length(); index++) {
      char unit = text.charAt(index);
      if (unit < ' ') {
        quoted.append(String.format("\\u%04x", (int) unit));
      } else {
        quoted.append(unit == '"' || unit == '\\' ? "\\" : "").append(unit);
      }
    }
    return quoted.append('"').toString();
  }
}
