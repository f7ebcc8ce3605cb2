package io.shardway.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardway.CustomStrategy;
import io.shardway.GetPartitions;
import io.shardway.HashingStrategy;
import io.shardway.LogicalPartition;
import io.shardway.MethodStrategies;
import io.shardway.Node;
import io.shardway.PartFailure;
import io.shardway.Pick;
import io.shardway.RequestMergers;
import io.shardway.ResponseMergers;
import io.shardway.ShardwayFault;
import io.shardway.State;
import io.shardway.Strategy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Strategies from data, as tests/scenarios/README.md describes them. A {@link Form} says what
 * requests and answers are made of, so that the scenarios and the end-to-end driver read the same
 * data.
 */
public final class Strategies {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What a strategy function or a merger throws when the data say so. */
  public static final class Thrown extends Exception {
    private static final long serialVersionUID = 1L;

    Thrown(String text) {
      super(text);
    }
  }

  /** What requests and answers are made of. */
  public interface Form {
    List<String> items(String endpoint, Object request);

    Object request(String endpoint, List<String> items);

    Object joined(String endpoint, List<Object> answers);
  }

  private final Form form;

  public Strategies(Form form) {
    this.form = form;
  }

  /** The strategy that {@code data} describes, over a state that is observed; null for none. */
  public Strategy make(JsonNode data, State<String> state) {
    if (data == null || data.isNull() || data.get("kind").textValue().equals("none")) {
      return null;
    }
    return switch (data.get("kind").textValue()) {
      case "hashing" -> hashing(data.get("endpoints"));
      case "custom" -> custom(data, state);
      case "by_endpoint" -> {
        Map<String, Strategy> each = new LinkedHashMap<>();
        data.get("strategies")
            .fields()
            .forEachRemaining(one -> each.put(one.getKey(), make(one.getValue(), state)));
        yield new MethodStrategies(each);
      }
      default -> throw new IllegalArgumentException("unknown kind of strategy: " + data);
    };
  }

  private HashingStrategy hashing(JsonNode endpoints) {
    return HashingStrategy.of(
        (endpoint, request) ->
            endpoints.has(endpoint)
                ? byKey(endpoints.get(endpoint).get("split"), endpoint, request)
                : null,
        requestMergers(endpoints),
        responseMergers(endpoints));
  }

  private CustomStrategy custom(JsonNode data, State<String> state) {
    Pick pick = data.path("pick").asText("p2c").equals("p2c") ? Pick.P2C : Pick.ROUND_ROBIN;
    if (data.has("endpoints")) {
      GetPartitions split = splitter(data.get("endpoints"));
      ResponseMergers mergers = responseMergers(data.get("endpoints"));
      CustomStrategy fixed =
          data.has("logical")
              ? CustomStrategy.noResharding(split, mapping(data.get("logical")), mergers)
              : CustomStrategy.noResharding(split, mergers);
      return fixed.withPick(pick);
    }
    boolean byCluster = data.has("by_cluster_size");
    JsonNode table = data.get(byCluster ? "by_cluster_size" : "by_state");
    var endpoints = JSON.createObjectNode(); // what they merge is alike in all cases
    table.forEach(
        one ->
            one.get("endpoints")
                .fields()
                .forEachRemaining(e -> endpoints.set(e.getKey(), e.getValue())));
    ResponseMergers mergers = responseMergers(endpoints);
    if (byCluster) {
      Function<Set<Node>, String> size = nodes -> String.valueOf(nodes.size());
      return CustomStrategy.clusterResharding(
              nodes -> splitter(caseOf(table, size.apply(nodes)).get("endpoints")),
              nodes -> logical(caseOf(table, size.apply(nodes))),
              mergers)
          .withPick(pick);
    }
    return CustomStrategy.<String>resharding(
            state,
            value -> splitter(caseOf(table, value).get("endpoints")),
            value -> logical(caseOf(table, value)),
            mergers)
        .withPick(pick);
  }

  private static JsonNode caseOf(JsonNode table, String name) {
    if (!table.has(name)) {
      throw new IllegalStateException("no case for " + name);
    }
    return table.get(name);
  }

  private static LogicalPartition logical(JsonNode found) {
    return found.has("logical") ? mapping(found.get("logical")) : List::of;
  }

  private static LogicalPartition mapping(JsonNode logical) {
    return shardId -> {
      JsonNode serves = logical.get(String.valueOf(shardId));
      throwIfTold(serves);
      List<Integer> partitions = new ArrayList<>();
      serves.forEach(partition -> partitions.add(partition.intValue()));
      return partitions;
    };
  }

  private GetPartitions splitter(JsonNode endpoints) {
    return (endpoint, request) ->
        endpoints.has(endpoint)
            ? byPartition(endpoints.get(endpoint).get("split"), endpoint, request)
            : null;
  }

  private static void throwIfTold(JsonNode rule) throws Thrown {
    if (rule.has("throws")) {
      throw new Thrown(rule.get("throws").textValue());
    }
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.textValue()));
    return texts;
  }

  private Map<String, Object> byKey(JsonNode rule, String endpoint, Object request) throws Thrown {
    if (rule.isNull()) {
      return null;
    }
    throwIfTold(rule);
    Map<String, Object> parts = new LinkedHashMap<>();
    if (rule.has("pairs")) {
      rule.get("pairs")
          .forEach(
              pair ->
                  parts.put(pair.get(0).textValue(), form.request(endpoint, texts(pair.get(1)))));
      return parts;
    }
    if (!rule.path("each").asText().equals("key")) {
      throw new IllegalArgumentException("unknown split: " + rule);
    }
    List<String> items = form.items(endpoint, request);
    for (String item : items) {
      List<String> same = Collections.nCopies(Collections.frequency(items, item), item);
      parts.put(item, form.request(endpoint, same));
    }
    return parts;
  }

  private Map<Integer, Object> byPartition(JsonNode rule, String endpoint, Object request)
      throws Thrown {
    if (rule.isNull()) {
      return null;
    }
    throwIfTold(rule);
    Map<Integer, Object> parts = new LinkedHashMap<>();
    if (rule.has("all")) {
      rule.get("all").forEach(partition -> parts.put(partition.intValue(), request));
      return parts;
    }
    if (rule.has("pairs")) {
      rule.get("pairs")
          .forEach(
              pair ->
                  parts.put(pair.get(0).intValue(), form.request(endpoint, texts(pair.get(1)))));
      return parts;
    }
    Map<Integer, List<String>> table = new LinkedHashMap<>();
    for (String item : form.items(endpoint, request)) {
      int partition = rule.get("table").get(item).intValue();
      table.computeIfAbsent(partition, none -> new ArrayList<>()).add(item);
    }
    table.forEach((partition, items) -> parts.put(partition, form.request(endpoint, items)));
    return parts;
  }

  private RequestMergers requestMergers(JsonNode endpoints) {
    RequestMergers mergers = new RequestMergers();
    endpoints
        .fields()
        .forEachRemaining(
            one -> {
              String endpoint = one.getKey();
              switch (one.getValue().path("request_merger").asText("")) {
                case "" -> {}
                case "concat" ->
                    mergers.<Object>add(
                        endpoint,
                        requests -> {
                          List<String> all = new ArrayList<>();
                          requests.forEach(request -> all.addAll(form.items(endpoint, request)));
                          return form.request(endpoint, all);
                        });
                case "throws" ->
                    mergers.<Object>add(
                        endpoint,
                        requests -> {
                          throw new Thrown("the request merger is broken");
                        });
                default -> throw new IllegalArgumentException("unknown merger: " + one);
              }
            });
    return mergers;
  }

  private ResponseMergers responseMergers(JsonNode endpoints) {
    ResponseMergers mergers = new ResponseMergers();
    endpoints
        .fields()
        .forEachRemaining(
            one -> {
              String endpoint = one.getKey();
              switch (one.getValue().path("response_merger").asText("")) {
                case "" -> {}
                case "concat" ->
                    mergers.<Object>add(
                        endpoint,
                        (successes, failures) -> {
                          if (successes.isEmpty()) {
                            throw failures.get(0).raise();
                          }
                          return form.joined(endpoint, successes);
                        });
                case "report" -> mergers.<Object>add(endpoint, Strategies::report);
                case "throws" ->
                    mergers.<Object>add(
                        endpoint,
                        (successes, failures) -> {
                          throw new Thrown("the response merger is broken");
                        });
                default -> throw new IllegalArgumentException("unknown merger: " + one);
              }
            });
    return mergers;
  }

  private static Object report(List<Object> successes, List<PartFailure> failures) {
    List<Object> reported = new ArrayList<>();
    for (PartFailure failure : failures) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("node", failure.node());
      one.put("partition", failure.partition());
      one.put("keys", failure.keys());
      one.put("error", nameOf(failure.error()));
      reported.add(one);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("answers", successes);
    all.put("failures", reported);
    return all;
  }

  /** The name of the code of an error of ours, the text of any other. */
  static String nameOf(Throwable error) {
    return error instanceof ShardwayFault ours ? codeName(ours) : error.getMessage();
  }

  /** The name of the code, the same in every language. */
  public static String codeName(ShardwayFault fault) {
    return fault.code().label();
  }
}
