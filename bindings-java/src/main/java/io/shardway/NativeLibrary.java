package io.shardway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Properties;

/**
 * Finds and loads the native library: the file or folder that the system property {@value #PATH}
 * names, else {@code java.library.path}, else the copy inside the jar, extracted to a folder of its
 * own under {@value #TEMP} (by default {@code java.io.tmpdir}).
 *
 * <p>The JVM lets only one class loader load a file. A second loader gets a private copy, whose
 * state is its own too.
 */
final class NativeLibrary {
  static final String PATH = "shardway.library.path";
  static final String TEMP = "shardway.temp.dir";

  private static final String NAME = "shardway_java";

  /** Where the library came from, for messages. */
  private static String origin = "";

  private NativeLibrary() {}

  static void load() {
    String named = System.getProperty(PATH);
    if (named != null && !named.isEmpty()) {
      loadNamed(Path.of(named));
    } else if (!loadInstalled()) {
      loadExtracted();
    }
  }

  private static void loadNamed(Path named) {
    Path file = Files.isDirectory(named) ? named.resolve(System.mapLibraryName(NAME)) : named;
    if (!Files.isRegularFile(file)) {
      throw new UnsatisfiedLinkError(
          "no native library at " + file + ", which the system property " + PATH + " names");
    }
    origin = file.toAbsolutePath().toString();
    try {
      System.load(origin);
    } catch (UnsatisfiedLinkError error) {
      if (!isTaken(error)) {
        throw linkError(
            "the native library "
                + origin
                + ", which the system property "
                + PATH
                + " names, cannot be loaded: "
                + error.getMessage(),
            error);
      }
      try (InputStream content = Files.newInputStream(file)) {
        loadCopy(content, file.getFileName().toString());
      } catch (IOException broken) {
        throw linkError("cannot read " + file + ": " + broken, broken);
      }
    }
  }

  private static boolean loadInstalled() {
    try {
      System.loadLibrary(NAME);
      origin = "java.library.path";
      return true;
    } catch (UnsatisfiedLinkError error) {
      String message = String.valueOf(error.getMessage());
      if (message.startsWith("no " + NAME) || isTaken(error)) {
        return false;
      }
      throw error;
    }
  }

  /** Whether another class loader of this JVM has the file. */
  private static boolean isTaken(UnsatisfiedLinkError error) {
    return String.valueOf(error.getMessage()).contains("already loaded in another classloader");
  }

  private static void loadExtracted() {
    String folder = "/io/shardway/native/" + platform() + "/";
    String name;
    try (InputStream stream = NativeLibrary.class.getResourceAsStream(folder + "name")) {
      if (stream == null) {
        throw new UnsatisfiedLinkError(
            "this jar has no native library for "
                + platform()
                + "; build it there and name it by the system property "
                + PATH);
      }
      name = new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException error) {
      throw linkError("cannot read " + folder + "name: " + error, error);
    }
    try (InputStream content = NativeLibrary.class.getResourceAsStream(folder + name)) {
      if (content == null) {
        throw new UnsatisfiedLinkError("the jar names " + folder + name + " and lacks it");
      }
      loadCopy(content, name);
    } catch (IOException error) {
      throw linkError("cannot read " + folder + name + ": " + error, error);
    }
  }

  /** Loads a copy of its own, and takes it away again where a loaded file may be deleted. */
  private static void loadCopy(InputStream content, String name) {
    String chosen = System.getProperty(TEMP);
    Path parent =
        Path.of(chosen == null || chosen.isEmpty() ? System.getProperty("java.io.tmpdir") : chosen);
    Path folder = null;
    Path file = null;
    try {
      folder = Files.createTempDirectory(parent, "shardway-");
      file = folder.resolve(name);
      Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
      origin = file.toString();
      System.load(origin);
    } catch (IOException | UncheckedIOException error) {
      throw linkError(
          "the temporary folder "
              + parent
              + " cannot be written to ("
              + error
              + "); name another one by the system property "
              + TEMP
              + ", or the native library itself by "
              + PATH,
          error);
    } catch (UnsatisfiedLinkError error) {
      throw linkError(whyNotLoaded(parent, String.valueOf(error.getMessage())), error);
    } finally {
      delete(file);
      delete(folder);
    }
  }

  /** What a failed load from a temporary folder says. */
  static String whyNotLoaded(Path parent, String message) {
    String why =
        message.contains("failed to map segment")
            ? "the temporary folder " + parent + " does not let programs run (it is mounted noexec)"
            : "the native library extracted to " + parent + " cannot be loaded";
    return why
        + ": "
        + message
        + "; name another folder by the system property "
        + TEMP
        + ", or the native library itself by "
        + PATH;
  }

  private static void delete(Path path) {
    if (path == null) {
      return;
    }
    try {
      Files.deleteIfExists(path);
    } catch (IOException error) {
      // Windows keeps a loaded file: it goes when the JVM ends.
      path.toFile().deleteOnExit();
    }
  }

  private static UnsatisfiedLinkError linkError(String message, Throwable cause) {
    UnsatisfiedLinkError error = new UnsatisfiedLinkError(message);
    error.initCause(cause);
    return error;
  }

  /** The folder of this platform inside the jar. */
  static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String family = os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : "linux";
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return family + "-" + (arch.equals("amd64") ? "x86_64" : arch);
  }

  /** The version of the classes. */
  static String version() {
    Properties properties = new Properties();
    try (InputStream stream =
        NativeLibrary.class.getResourceAsStream("/io/shardway/version.properties")) {
      if (stream != null) {
        properties.load(stream);
      }
    } catch (IOException error) {
      throw linkError("cannot read /io/shardway/version.properties: " + error, error);
    }
    return properties.getProperty("version", "unknown");
  }

  static void compareVersions(String ofLibrary) {
    String ofClasses = version();
    if (!ofLibrary.equals(ofClasses)) {
      throw new UnsatisfiedLinkError(
          "the classes of shardway are version "
              + ofClasses
              + ", the native library from "
              + origin
              + " is version "
              + ofLibrary
              + "; both must be of one version");
    }
  }
}
