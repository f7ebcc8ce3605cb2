package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of the README of this package, and the taste in the project's, compile and run. */
final class ReadmeTest {
  private static final Path README = Path.of(System.getProperty("shardway.test.readme"));
  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("public class (\\w+)");

  @TempDir Path folder;

  private static List<String> snippets(Path file) throws IOException {
    return SNIPPET.matcher(Files.readString(file)).results().map(found -> found.group(1)).toList();
  }

  private String run(String code) throws Exception {
    Matcher name = NAME.matcher(code);
    assertTrue(name.find());
    Path source = folder.resolve(name.group(1) + ".java");
    Files.writeString(source, code);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertNotNull(compiler, "a JDK is needed, a JRE has no compiler");
    StringWriter said = new StringWriter();
    boolean done =
        compiler
            .getTask(
                said,
                null,
                null,
                List.of(
                    "-classpath",
                    System.getProperty("surefire.test.class.path"),
                    "-d",
                    folder.toString()),
                null,
                compiler
                    .getStandardFileManager(null, null, null)
                    .getJavaFileObjects(source.toFile()))
            .call();
    assertTrue(done, said::toString);
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream console = System.out;
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader
          .loadClass(name.group(1))
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(console);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theSnippetsOfThisPackage() throws Exception {
    List<String> snippets = snippets(README);
    assertEquals(3, snippets.size());
    String route = run(snippets.get(0));
    assertTrue(route.contains("PUBLISHED") && route.contains("owner"), route);
    String split = run(snippets.get(1));
    assertTrue(split.matches("(?s)\\[.*has \\[.*one.*"), split);
    assertEquals("INVALID_TOPOLOGY nodes[0].id\n", run(snippets.get(2)));
  }

  @Test
  void theTasteOfTheProject() throws Exception {
    List<String> tastes = snippets(README.resolveSibling("../README.md").normalize());
    assertEquals(1, tastes.size());
    assertTrue(run(tastes.get(0)).contains("[user:"));
  }
}
