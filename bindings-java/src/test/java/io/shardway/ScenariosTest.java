package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardway.e2e.Strategies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every scenario of tests/scenarios, whose README says what the data mean, on both kinds of client.
 */
final class ScenariosTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("shardway.vectors")).resolveSibling("scenarios");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Scenarios that cannot be said in Java, with the reason. */
  private static final Map<String, String> UNSAID =
      Map.of(
          "a partition id beyond 32 bits is served by nobody",
          "the type of a partition id has 32 bits");

  /** How a node fails, and what that says of its health. */
  private static final class NodeException extends Exception {
    private static final long serialVersionUID = 1L;
    private final Outcome outcome;

    NodeException(Outcome outcome, String text) {
      super(text);
      this.outcome = outcome;
    }
  }

  /** Requests and answers are lists of texts. */
  private static final class Texts implements Strategies.Form {
    @Override
    @SuppressWarnings("unchecked")
    public List<String> items(String endpoint, Object request) {
      return (List<String>) request;
    }

    @Override
    public Object request(String endpoint, List<String> items) {
      return items;
    }

    @Override
    public Object joined(String endpoint, List<Object> answers) {
      return answers.stream().flatMap(answer -> items(endpoint, answer).stream()).toList();
    }
  }

  private record Sent(String node, Object request) {}

  @TestFactory
  Stream<DynamicTest> onThreads() throws IOException {
    return each(false);
  }

  @TestFactory
  Stream<DynamicTest> onFutures() throws IOException {
    return each(true);
  }

  private static Stream<DynamicTest> each(boolean async) throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode entry : manifest()) {
      String file = entry.get("file").textValue();
      for (JsonNode data : read(file).get("scenarios")) {
        String name = data.get("name").textValue();
        if (!UNSAID.containsKey(name)) {
          tests.add(
              DynamicTest.dynamicTest(file + ": " + name, () -> new Scenario(data, async).run()));
        }
      }
    }
    return tests.stream();
  }

  @Test
  void theManifestCountsTheScenarios() throws IOException {
    List<String> files;
    try (Stream<Path> found = Files.list(FOLDER)) {
      files =
          found
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".json") && !name.equals("manifest.json"))
              .sorted()
              .toList();
    }
    var counts = JSON.createArrayNode();
    int total = 0;
    for (String file : files) {
      JsonNode scenarios = read(file).get("scenarios");
      int steps = 0;
      for (JsonNode one : scenarios) {
        steps += one.get("steps").size();
      }
      total += scenarios.size();
      counts.addObject().put("file", file).put("scenarios", scenarios.size()).put("steps", steps);
    }
    assertEquals(manifest(), counts);
    System.out.println("scenarios: " + total + ", on two clients; not said in Java: " + UNSAID);
  }

  private static JsonNode manifest() throws IOException {
    return read("manifest.json").get("files");
  }

  private static JsonNode read(String file) throws IOException {
    return JSON.readTree(FOLDER.resolve(file).toFile());
  }

  /** One scenario under way. */
  private static final class Scenario {
    private final JsonNode data;
    private final boolean async;
    private final State<String> state;
    private final Router router;
    private final AtomicLong nowMs = new AtomicLong(1_000);
    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private volatile JsonNode behaviour = JSON.createObjectNode();
    private volatile CountDownLatch release = new CountDownLatch(0);

    Scenario(JsonNode data, boolean async) {
      this.data = data;
      this.async = async;
      this.state = new State<>(data.path("state").asText(null));
      this.router = new Router(Topology.fromJson(data.get("topology").toString()));
    }

    void run() throws Exception {
      PartitionedClient.Builder builder =
          async
              ? PartitionedClient.asyncBuilder(router, this::later)
              : PartitionedClient.builder(router, this::send);
      Strategy strategy = new Strategies(new Texts()).make(data.get("strategy"), state);
      builder
          .strategy(strategy)
          .clock(nowMs::get)
          .classify(
              error -> error instanceof NodeException known ? known.outcome : Outcome.FAILURE);
      try (PartitionedClient client = builder.build()) {
        for (JsonNode step : data.get("steps")) {
          step(step, client);
        }
      }
    }

    private CompletableFuture<Object> later(Node node, String endpoint, Object request) {
      return CompletableFuture.supplyAsync(
          () -> {
            try {
              return send(node, endpoint, request);
            } catch (Exception error) {
              throw Sneaky.raise(error);
            }
          });
    }

    private Object send(Node node, String endpoint, Object request) throws Exception {
      sent.add(new Sent(node.id(), request));
      JsonNode mine = behaviour.path(node.id());
      CountDownLatch until = release;
      if (mine.path("late").asBoolean()) {
        assertTrue(until.await(10, TimeUnit.SECONDS));
      }
      for (var act :
          Map.of("fails", Outcome.FAILURE, "declares", Outcome.SUCCESS, "ignored", Outcome.IGNORED)
              .entrySet()) {
        if (mine.has(act.getKey())) {
          throw new NodeException(act.getValue(), mine.get(act.getKey()).textValue());
        }
      }
      return new Texts()
          .items(endpoint, request).stream().map(item -> item + "@" + node.id()).toList();
    }

    private void step(JsonNode step, PartitionedClient client) throws Exception {
      if (step.has("call")) {
        call(step, client);
      } else if (step.has("publish")) {
        Publish outcome = router.publish(Topology.fromJson(step.get("publish").toString()));
        assertEquals(
            step.get("outcome").textValue(), outcome.name().toLowerCase(java.util.Locale.ROOT));
      } else if (step.has("state")) {
        state.update(step.get("state").asText());
      } else if (step.has("advance_ms")) {
        nowMs.addAndGet(step.get("advance_ms").longValue());
      } else if (step.has("tick")) {
        assertEquals(step.get("tick").intValue(), client.tick().size());
      } else {
        stats(step.get("stats"), client);
      }
    }

    private void call(JsonNode step, PartitionedClient client) throws Exception {
      sent.clear();
      behaviour = step.path("nodes");
      release = new CountDownLatch(1);
      Object result = null;
      Throwable error = null;
      try {
        String endpoint = step.get("call").textValue();
        Object request = JSON.convertValue(step.get("request"), List.class);
        result =
            step.has("timeout_ms")
                ? client.call(
                    endpoint, request, Duration.ofMillis(step.get("timeout_ms").longValue()))
                : client.call(endpoint, request);
      } catch (Exception raised) {
        error = raised;
      } finally {
        release.countDown();
      }
      checkSent(step.get("sent"));
      if (step.has("error")) {
        checkError(step.get("error"), error);
      } else if (error != null) {
        throw Sneaky.raise(error);
      } else if (step.has("items")) {
        List<String> items = new ArrayList<>();
        for (String answer : new Texts().items("", result)) {
          items.add(answer.substring(0, answer.indexOf('@')));
        }
        assertEquals(step.get("items"), JSON.valueToTree(items));
      } else {
        assertEquals(step.get("result"), JSON.valueToTree(result));
      }
    }

    private void checkSent(JsonNode expected) {
      List<Sent> left = new ArrayList<>(sent);
      for (JsonNode one : expected) {
        List<String> nodes = new ArrayList<>();
        if (one.get("node").isArray()) {
          one.get("node").forEach(node -> nodes.add(node.textValue()));
        } else {
          nodes.add(one.get("node").textValue());
        }
        Sent found =
            left.stream()
                .filter(
                    got ->
                        nodes.contains(got.node())
                            && JSON.valueToTree(got.request()).equals(one.get("request")))
                .findFirst()
                .orElse(null);
        assertNotNull(found, () -> one + " was not sent, but " + sent);
        left.remove(found);
      }
      assertEquals(List.of(), left, "sent and not expected");
    }

    private static void checkError(JsonNode expected, Throwable error) {
      assertNotNull(error, () -> "no error, but " + expected);
      if (expected.has("transport")) {
        assertInstanceOf(NodeException.class, error);
        assertEquals(expected.get("transport").textValue(), error.getMessage());
        return;
      }
      ShardwayFault fault = assertInstanceOf(ShardwayFault.class, error);
      assertEquals(expected.get("code").textValue(), Strategies.codeName(fault));
      for (JsonNode name : expected.path("names")) {
        assertTrue(error.getMessage().contains(name.textValue()), error::getMessage);
      }
      if (expected.has("cause")) {
        assertEquals(expected.get("cause").textValue(), error.getCause().getMessage());
      }
    }

    private static void stats(JsonNode expected, PartitionedClient client)
        throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (true) {
        JsonNode all = JSON.valueToTree(client.stats());
        var found = JSON.createObjectNode();
        for (String name : (Iterable<String>) expected::fieldNames) {
          String mine = camel(name);
          found.put(name, (all.has(mine) ? all.get(mine) : all.get("router").get(mine)).intValue());
        }
        if (found.equals(expected) || System.nanoTime() > end) {
          assertEquals(expected, found);
          return;
        }
        Thread.sleep(1); // the end of a late part is reported by its own thread
      }
    }

    private static String camel(String name) {
      StringBuilder text = new StringBuilder();
      boolean upper = false;
      for (char sign : name.toCharArray()) {
        if (sign == '_') {
          upper = true;
        } else {
          text.append(upper ? Character.toUpperCase(sign) : sign);
          upper = false;
        }
      }
      return text.toString();
    }
  }
}
