package io.shardway;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Servers in memory for the tests of the fan-out: each answers a list of texts with {@code
 * text@node/size}, so that an answer shows who gave it and how the request was split.
 */
final class Fleet implements Transport {
  record Sent(String node, String endpoint, Object request) {}

  final List<Sent> sent = new CopyOnWriteArrayList<>();
  final Set<String> failing = Collections.synchronizedSet(new HashSet<>());
  final Map<String, Long> slowMs = new ConcurrentHashMap<>();

  /** What a failing server throws: checked, as transports' exceptions are. */
  static final class Down extends Exception {
    private static final long serialVersionUID = 1L;

    Down(String node) {
      super(node + " is down");
    }
  }

  @Override
  public Object send(Node node, String endpoint, Object request) throws Exception {
    sent.add(new Sent(node.id(), endpoint, request));
    Long slow = slowMs.get(node.id());
    if (slow != null) {
      Thread.sleep(slow);
    }
    if (failing.contains(node.id())) {
      throw new Down(node.id());
    }
    List<?> texts = request instanceof List<?> list ? list : List.of(request);
    return texts.stream().map(text -> text + "@" + node.id() + "/" + texts.size()).toList();
  }

  /** One sub-request for each text of a list, under the text as its key. */
  static Map<String, List<String>> byText(List<String> request) {
    Map<String, List<String>> parts = new LinkedHashMap<>();
    request.forEach(text -> parts.put(text, List.of(text)));
    return parts;
  }

  static List<String> concat(List<List<String>> lists) {
    List<String> all = new ArrayList<>();
    lists.forEach(all::addAll);
    return all;
  }

  /** Concatenates; with no success the first failure's error is the answer. */
  static List<String> answers(List<List<String>> successes, List<PartFailure> failures) {
    if (successes.isEmpty()) {
      throw failures.get(0).raise();
    }
    return concat(successes);
  }

  static ResponseMergers responses(String... endpoints) {
    ResponseMergers mergers = new ResponseMergers();
    for (String endpoint : endpoints) {
      mergers.add(endpoint, Fleet::answers);
    }
    return mergers;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  static HashingStrategy hashing() {
    return HashingStrategy.perEndpoint()
        .on("get", List.class, request -> (Map) byText((List<String>) request))
        .<List<String>>mergeRequests("get", Fleet::concat)
        .mergeResponses("get", Fleet::answers)
        .build();
  }

  static Topology nodes(int count) {
    TopologyBuilder builder = Topology.builder(Scheme.ringV1());
    for (int node = 0; node < count; node++) {
      builder.node(Node.of("s" + node).withShardId(node));
    }
    return builder.build();
  }

  /** Keys of two different nodes, of the ring of a router. */
  static List<String> twoOwners(Router router) {
    String first = "key-0";
    for (int number = 1; number < 10_000; number++) {
      String second = "key-" + number;
      if (!router.route(second).equals(router.route(first))) {
        return List.of(first, second);
      }
    }
    throw new AssertionError("one node owns everything");
  }
}
