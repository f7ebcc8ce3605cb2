import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the Thrift compiler on the service of the tests; it does not make its output folder. */
final class GenerateThrift {
  public static void main(String[] arguments) throws Exception {
    Path output = Path.of(arguments[2]);
    Files.createDirectories(output);
    Process compiler =
        new ProcessBuilder(
                arguments[0],
                "--gen",
                "java:generated_annotations=suppress",
                "-out",
                output.toString(),
                arguments[1])
            .inheritIO()
            .start();
    System.exit(compiler.waitFor());
  }
}
