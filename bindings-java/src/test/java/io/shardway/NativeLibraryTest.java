package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loading, each way of it in a JVM of its own. */
final class NativeLibraryTest {
  private static final String CLASSES = System.getProperty("shardway.test.classes");
  private static final String PANICKING = System.getProperty("shardway.test.panicking");

  @TempDir Path folder;

  /** What a JVM of its own does here: one route, with what the first argument asks for before. */
  static final class Main {
    public static void main(String[] arguments) {
      Router router = new Router(Topology.of("a"));
      if (arguments.length > 0) {
        for (int time = 0; time < 3; time++) {
          try {
            Native.panicOnDemand();
          } catch (InternalException error) {
            System.out.println(error.code() + ": " + error.getMessage());
          }
        }
      }
      System.out.println("routed to " + router.route("k"));
    }
  }

  private String run(String classPath, List<String> options, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    String tests = Main.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    command.addAll(List.of("-Xcheck:jni", "-cp", classPath + ":" + tests, Main.class.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return output;
  }

  @Test
  void theJarsCopyIsExtractedAndTakenAway() throws Exception {
    String output = run(CLASSES, List.of("-Dshardway.temp.dir=" + folder));
    assertEquals("routed to a\n", output);
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void aFolderThatCannotBeWrittenToIsNamedWithItsProperty() throws Exception {
    String output = run(CLASSES, List.of("-Dshardway.temp.dir=" + folder.resolve("missing")));
    assertTrue(output.contains("cannot be written to"), output);
    assertTrue(output.contains(folder.resolve("missing").toString()), output);
    assertTrue(output.contains("shardway.temp.dir"), output);
    assertTrue(output.contains("shardway.library.path"), output);
  }

  @Test
  void aLibraryThatCannotBeMappedIsNamedWithItsProperty() throws Exception {
    // A file that is no library fails where a noexec folder fails: at the load, not at the copy.
    Path broken = folder.resolve("classes");
    Path natives = broken.resolve("io/shardway/native/" + NativeLibrary.platform());
    Files.createDirectories(natives);
    Files.writeString(natives.resolve("name"), "libbroken.so\n");
    Files.writeString(natives.resolve("libbroken.so"), "no library");
    String output = run(broken + ":" + CLASSES, List.of("-Dshardway.temp.dir=" + folder));
    assertTrue(output.contains("cannot be loaded"), output);
    assertTrue(output.contains("shardway.temp.dir"), output);
  }

  @Test
  void aNoexecFolderIsCalledThat() {
    String told =
        NativeLibrary.whyNotLoaded(
            folder, "/tmp/x.so: failed to map segment from shared object: Operation not permitted");
    assertTrue(told.contains("mounted noexec"), told);
  }

  @Test
  void thePropertyNamesAFileOrAFolder() throws Exception {
    String folderOption = "-Dshardway.library.path=" + PANICKING;
    assertEquals("routed to a\n", run(CLASSES, List.of(folderOption)));
    String file = PANICKING + "/" + System.mapLibraryName("shardway_java");
    assertEquals("routed to a\n", run(CLASSES, List.of("-Dshardway.library.path=" + file)));
    String output = run(CLASSES, List.of("-Dshardway.library.path=/nowhere"));
    assertTrue(output.contains("no native library at /nowhere"), output);
  }

  @Test
  void theJvmsOwnPathIsAskedBeforeTheJar() throws Exception {
    List<String> options =
        List.of("-Djava.library.path=" + PANICKING, "-Dshardway.temp.dir=/nowhere");
    assertEquals("routed to a\n", run(CLASSES, options));
  }

  @Test
  void versionsThatDifferAreBothTold() throws Exception {
    Path other = folder.resolve("io/shardway");
    Files.createDirectories(other);
    Files.writeString(other.resolve("version.properties"), "version=9.9.9\n");
    String output = run(folder + ":" + CLASSES, List.of());
    assertTrue(output.contains("version 9.9.9"), output);
    assertTrue(output.contains("is version " + NativeLibrary.version()), output);
  }

  @Test
  void aPanicIsAnExceptionAndTheNextCallWorks() throws Exception {
    String output = run(CLASSES, List.of("-Dshardway.library.path=" + PANICKING), "panic");
    long caught =
        output
            .lines()
            .filter(line -> line.startsWith("INTERNAL: a panic in the native library: on demand"))
            .count();
    assertEquals(3, caught, output);
    assertTrue(output.endsWith("routed to a\n"), output);
  }

  @Test
  void twoClassLoadersLoadIt() throws Exception {
    List<Class<?>> routers = new ArrayList<>();
    for (int time = 0; time < 2; time++) {
      URL[] classes = {Path.of(CLASSES).toUri().toURL()};
      ClassLoader loader = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader());
      Class<?> topology = loader.loadClass("io.shardway.Topology");
      Object made =
          topology.getMethod("of", String[].class).invoke(null, (Object) new String[] {"only"});
      Class<?> router = loader.loadClass("io.shardway.Router");
      Object one = router.getConstructor(topology).newInstance(made);
      assertEquals("only", router.getMethod("route", String.class).invoke(one, "k"));
      routers.add(router);
    }
    assertNotSame(routers.get(0), routers.get(1));
    assertEquals("a", new Router(Topology.of("a")).route("k"));
  }

  @Test
  void twoClassLoadersLoadOneFile() throws Exception {
    String before = System.getProperty(NativeLibrary.PATH);
    System.setProperty(NativeLibrary.PATH, PANICKING);
    try {
      twoClassLoadersLoadIt();
    } finally {
      if (before == null) {
        System.clearProperty(NativeLibrary.PATH);
      } else {
        System.setProperty(NativeLibrary.PATH, before);
      }
    }
  }
}
