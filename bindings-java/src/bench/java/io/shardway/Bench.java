package io.shardway;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The Java package by JMH, as rows for the table of scripts/bench.py: what, shardway's ns, peer,
 * the peer's ns, the target. The peer of single calls is a native call that does nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Bench {
  private static final int KEYS = 10_000;

  private final byte[][] bytes = new byte[KEYS][];
  private final String[] texts = new String[KEYS];
  private ByteBuffer data;
  private IntBuffer offsets;
  private Router router;
  private Snapshot snapshot;
  private int at;

  /** 100 nodes of 160 points, keys of 16 bytes. */
  @Setup
  public void setUp() {
    TopologyBuilder builder = Topology.builder(Scheme.ringV1());
    for (int node = 0; node < 100; node++) {
      builder.node("10.0.0." + node + ":9090");
    }
    router = new Router(builder.build());
    snapshot = router.snapshot();
    data = ByteBuffer.allocateDirect(16 * KEYS);
    offsets =
        ByteBuffer.allocateDirect(4 * (KEYS + 1)).order(ByteOrder.nativeOrder()).asIntBuffer();
    offsets.put(0);
    for (int key = 0; key < KEYS; key++) {
      texts[key] = String.format(Locale.ROOT, "%016x", (key + 1) * 0x9e3779b97f4a7c15L);
      bytes[key] = texts[key].getBytes(StandardCharsets.UTF_8);
      data.put(bytes[key]);
      offsets.put(16 * (key + 1));
    }
    data.flip();
    offsets.flip();
  }

  private int next() {
    at = at == KEYS - 1 ? 0 : at + 1;
    return at;
  }

  /** A native call that does nothing. */
  @Benchmark
  public int nothing() {
    return Native.nothing() + next();
  }

  /** One key as bytes. */
  @Benchmark
  public String routeBytes() {
    return router.route(bytes[next()]);
  }

  /** One key as text. */
  @Benchmark
  public String routeText() {
    return router.route(texts[next()]);
  }

  /** A batch in direct buffers; per key. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public Groups groupDirect() {
    return snapshot.groupPacked(data, offsets);
  }

  /** Runs all and prints the rows. */
  public static void main(String[] arguments) throws Exception {
    var options =
        new OptionsBuilder()
            .include(Bench.class.getName() + "\\.")
            .warmupIterations(3)
            .measurementIterations(5)
            .warmupTime(TimeValue.milliseconds(500))
            .measurementTime(TimeValue.milliseconds(500))
            .forks(1)
            .verbosity(VerboseMode.SILENT)
            .build();
    Map<String, Double> ns = new HashMap<>();
    for (RunResult result : new Runner(options).run()) {
      String name = result.getParams().getBenchmark();
      ns.put(name.substring(name.lastIndexOf('.') + 1), result.getPrimaryResult().getScore());
    }
    List<String> rows = new ArrayList<>();
    String peer = "native call that does nothing";
    rows.add(
        row(
            "Java route(byte[]), 100 nodes",
            ns.get("routeBytes"),
            peer,
            ns.get("nothing"),
            "share 8.57"));
    rows.add(
        row(
            "Java route(String), 100 nodes",
            ns.get("routeText"),
            peer,
            ns.get("nothing"),
            "share 14.29"));
    rows.add(
        row(
            "Java groupPacked(direct buffers) (a key)",
            ns.get("groupDirect"),
            peer,
            ns.get("nothing"),
            ""));
    rows.forEach(System.out::println);
  }

  private static String row(String what, double ours, String peer, double theirs, String target) {
    return String.format(Locale.ROOT, "%s\t%.1f\t%s\t%.1f\t%s", what, ours, peer, theirs, target);
  }
}
