package io.shardway.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.shardway.Router;
import io.shardway.ShardwayFault;
import io.shardway.State;
import io.shardway.Strategy;
import io.shardway.Topology;
import io.shardway.delivery.AException;
import io.shardway.delivery.AddrInfo;
import io.shardway.delivery.Box;
import io.shardway.delivery.DeliveryService;
import io.shardway.thrift.PartitionedThriftClient;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The Thrift client of Java, driven by JSON lines: see tests/e2e/README.md. */
public final class Driver {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Requests are the generated classes of the arguments, answers the results. */
  private static final class Delivery implements Strategies.Form {
    @Override
    public List<String> items(String endpoint, Object request) {
      if (request instanceof DeliveryService.getBox_args one) {
        return List.of(one.getAddrInfo().getName());
      } else if (request instanceof DeliveryService.getBoxes_args all) {
        return all.getListAddrInfo().stream().map(AddrInfo::getName).toList();
      } else if (request instanceof DeliveryService.sendBox_args one) {
        return List.of(one.getBox().getAddrInfo().getName());
      }
      return ((DeliveryService.sendBoxes_args) request)
          .getBoxes().stream().map(box -> box.getAddrInfo().getName()).toList();
    }

    @Override
    public Object request(String endpoint, List<String> names) {
      Object[] arguments = arguments(endpoint, names);
      return switch (endpoint) {
        case "getBox" -> new DeliveryService.getBox_args((AddrInfo) arguments[0], (byte) 0);
        case "getBoxes" -> new DeliveryService.getBoxes_args(addresses(names), (byte) 0);
        case "sendBox" -> new DeliveryService.sendBox_args((Box) arguments[0]);
        default -> new DeliveryService.sendBoxes_args(boxes(names));
      };
    }

    @Override
    public Object joined(String endpoint, List<Object> answers) {
      if (endpoint.equals("sendBoxes")) {
        return answers.stream().map(String.class::cast).collect(Collectors.joining(","));
      }
      List<Object> all = new ArrayList<>();
      answers.forEach(answer -> all.addAll((List<?>) answer));
      return all;
    }

    private static AddrInfo address(String name) {
      return new AddrInfo(name, 0);
    }

    private static List<AddrInfo> addresses(List<String> names) {
      return names.stream().map(Delivery::address).toList();
    }

    private static List<Box> boxes(List<String> names) {
      return names.stream().map(name -> new Box(address(name), name)).toList();
    }

    static Object[] arguments(String endpoint, List<String> names) {
      return switch (endpoint) {
        case "getBox" -> new Object[] {address(names.get(0)), (byte) 0};
        case "getBoxes" -> new Object[] {addresses(names), (byte) 0};
        case "sendBox" -> new Object[] {boxes(names).get(0)};
        default -> new Object[] {boxes(names)};
      };
    }
  }

  private final State<String> state;
  private final Router router;
  private final PartitionedThriftClient<DeliveryService.Iface> client;

  private Driver(JsonNode first) {
    this.state = new State<>(first.path("state").asText(null));
    this.router = new Router(Topology.fromJson(first.get("topology").toString()));
    Strategy strategy = new Strategies(new Delivery()).make(first.get("strategy"), state);
    var builder =
        PartitionedThriftClient.builder(DeliveryService.Iface.class, router).strategy(strategy);
    if (first.path("options").has("timeout_ms")) {
      builder.callTimeout(Duration.ofMillis(first.get("options").get("timeout_ms").longValue()));
    }
    this.client = builder.build();
  }

  private ObjectNode answer(JsonNode step) {
    ObjectNode answer = JSON.createObjectNode();
    if (step.has("call")) {
      call(step, answer);
    } else if (step.has("publish")) {
      Topology topology = Topology.fromJson(step.get("publish").toString());
      answer.put("outcome", router.publish(topology).name().toLowerCase(Locale.ROOT));
    } else if (step.has("state")) {
      state.update(step.get("state").asText());
      answer.put("ok", true);
    } else if (step.has("eject")) {
      answer.put("changed", router.eject(step.get("eject").textValue()));
    } else if (step.has("revive")) {
      answer.put("changed", router.revive(step.get("revive").textValue()));
    } else if (step.has("owners")) {
      ArrayNode owners = answer.putArray("owners");
      step.get("owners").forEach(key -> owners.add(router.route(key.textValue())));
    } else if (step.has("tick")) {
      answer.put("events", client.tick().size());
    } else if (step.has("stats")) {
      ObjectNode all = JSON.valueToTree(client.stats());
      ObjectNode names = answer.putObject("stats");
      all.remove("router")
          .fields()
          .forEachRemaining(one -> names.set(snake(one.getKey()), one.getValue()));
      all.fields().forEachRemaining(one -> names.set(snake(one.getKey()), one.getValue()));
    } else {
      throw new IllegalArgumentException("unknown step: " + step);
    }
    return answer;
  }

  private void call(JsonNode step, ObjectNode answer) {
    String endpoint = step.get("call").textValue();
    List<String> names = new ArrayList<>();
    step.get("request").forEach(name -> names.add(name.textValue()));
    try {
      Object result = client.callAsync(endpoint, Delivery.arguments(endpoint, names)).join();
      if (result instanceof String text) {
        answer.put("result", text);
        return;
      }
      ArrayNode boxes = answer.putArray("result");
      List<?> all = result instanceof List<?> list ? list : List.of(result);
      for (Object one : all) {
        Box box = (Box) one;
        boxes.addArray().add(box.getAddrInfo().getName()).add(box.getItem());
      }
    } catch (java.util.concurrent.CompletionException wrapped) {
      failed(wrapped.getCause(), answer.putObject("error"));
    }
  }

  private static void failed(Throwable error, ObjectNode told) {
    if (error instanceof AException declared) {
      told.put("declared", declared.getErrorCode());
    } else if (error instanceof ShardwayFault ours) {
      told.put("code", Strategies.codeName(ours));
      told.put("text", error.getMessage());
      told.put("cause", error.getCause() == null ? null : error.getCause().getMessage());
    } else {
      told.put("transport", String.valueOf(error.getMessage()));
    }
  }

  private static String snake(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /** Answers line by line, to the end of standard input. */
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Driver driver = null;
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode step = JSON.readTree(line);
        if (driver == null) {
          driver = new Driver(step);
          out.println("{\"ready\": true, \"language\": \"java\"}");
        } else {
          out.println(driver.answer(step));
        }
      }
    } catch (RuntimeException error) {
      System.err.println(error);
      System.exit(2);
    } finally {
      if (driver != null) {
        driver.client.close();
      }
    }
  }
}
