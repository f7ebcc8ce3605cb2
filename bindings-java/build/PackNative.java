import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Puts the native library where the jar takes it from: in a folder named by platform, under a name
 * that holds the digest of its content, so that two versions never meet under one name. A file
 * `name` beside it says what it is called.
 */
final class PackNative {
  public static void main(String[] arguments) throws Exception {
    Path built = Path.of(arguments[0]);
    String library = System.mapLibraryName("shardway_java");
    byte[] content = Files.readAllBytes(built.resolve(library));
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
    int dot = library.lastIndexOf('.');
    String hex = HexFormat.of().formatHex(digest, 0, 8);
    String name = library.substring(0, dot) + "-" + hex + library.substring(dot);
    Path folder = Path.of(arguments[1]).resolve(platform());
    Files.createDirectories(folder);
    for (Path old : list(folder)) {
      if (!old.getFileName().toString().equals(name)) {
        Files.delete(old);
      }
    }
    Path target = folder.resolve(name);
    if (!Files.exists(target)) {
      Files.write(target, content);
    }
    Files.writeString(folder.resolve("name"), name + "\n");
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  /** The same rule as in the loader, whose tests load what was packed. */
  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String family = os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : "linux";
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return family + "-" + (arch.equals("amd64") ? "x86_64" : arch);
  }
}
