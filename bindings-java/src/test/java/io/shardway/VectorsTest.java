package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every file of the conformance vectors: each answer is compared, and they are counted. */
final class VectorsTest {
  private static final Path VECTORS = Path.of(System.getProperty("shardway.vectors"));
  private static final ObjectMapper JSON = new ObjectMapper();

  @TestFactory
  Stream<DynamicTest> vectors() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode entry : manifest()) {
      String file = entry.get("file").textValue();
      tests.add(DynamicTest.dynamicTest(file, () -> compare(entry, file)));
    }
    return tests.stream();
  }

  private static void compare(JsonNode entry, String file) throws IOException {
    JsonNode vectors = JSON.readTree(VECTORS.resolve(file).toFile());
    assertEquals(entry.get("kind"), vectors.get("kind"));
    int answers = 0;
    for (JsonNode one : vectors.get("cases")) {
      answers += run(vectors.get("kind").textValue(), one);
    }
    System.out.println("vectors: " + file + ": " + answers + " answers compared");
    assertEquals(entry.get("answers").intValue(), answers);
  }

  @Test
  void everyFileOfVectorsIsInTheManifest() throws IOException {
    Set<String> listed = new TreeSet<>();
    manifest().forEach(entry -> listed.add(entry.get("file").textValue()));
    try (Stream<Path> files = Files.list(VECTORS)) {
      Set<String> found =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".json") && !name.equals("manifest.json"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(found, listed);
    }
  }

  @Test
  void anUnknownKindFails() {
    AssertionError error =
        assertThrows(AssertionError.class, () -> run("tides", JSON.createObjectNode()));
    assertEquals("unknown kind tides: teach it to this runner", error.getMessage());
  }

  private static JsonNode manifest() throws IOException {
    return JSON.readTree(VECTORS.resolve("manifest.json").toFile()).get("files");
  }

  private static int run(String kind, JsonNode one) {
    return switch (kind) {
      case "hashes" -> hashes(one);
      case "routes" -> routes(one);
      case "explain" -> explain(one);
      case "replicas" -> replicas(one);
      case "groups" -> groups(one);
      case "ejections" -> ejections(one);
      case "fingerprints" -> fingerprint(one);
      case "errors" -> error(one);
      default -> fail("unknown kind " + kind + ": teach it to this runner");
    };
  }

  private static int hashes(JsonNode one) {
    Topology topology =
        Topology.builder(Scheme.ringV1()).keyHasher(one.get("key_hasher").textValue()).build();
    try (Router router = new Router(topology)) {
      for (int i = 0; i < one.get("keys").size(); i++) {
        long hash = router.snapshot().hash(key(one.get("keys").get(i)));
        assertEquals(one.get("hashes").get(i).textValue(), Long.toUnsignedString(hash));
      }
    }
    return one.get("keys").size();
  }

  private static int routes(JsonNode one) {
    try (Router router = router(one)) {
      List<Object> plain = new ArrayList<>();
      List<String> owners = new ArrayList<>();
      for (int i = 0; i < one.get("keys").size(); i++) {
        JsonNode form = one.get("keys").get(i);
        String owner = one.get("owners").get(i).textValue();
        if (form.has("hash")) {
          long hash = Long.parseUnsignedLong(form.get("hash").textValue());
          assertEquals(owner, router.routeHash(hash));
          assertEquals(owner, router.snapshot().routeHash(hash));
          Groups groups = router.groupHashes(new long[] {hash});
          assertEquals(owner, groups.node(0));
        } else {
          Object key = key(form);
          assertEquals(owner, router.route(key), () -> "owner of " + form);
          assertEquals(owner, router.snapshot().route(key));
          plain.add(key);
          owners.add(owner);
        }
      }
      Groups groups = router.groups(plain);
      for (int group = 0; group < groups.size(); group++) {
        for (int index : groups.indices(group)) {
          assertEquals(owners.get(index), groups.node(group));
        }
      }
    }
    return one.get("keys").size();
  }

  private static int explain(JsonNode one) {
    try (Router router = router(one)) {
      for (int i = 0; i < one.get("keys").size(); i++) {
        Object key = key(one.get("keys").get(i));
        Explanation told = router.explain(key);
        assertEquals(one.get("hashes").get(i).textValue(), Long.toUnsignedString(told.hash()));
        assertEquals(one.get("points").get(i).textValue(), Long.toUnsignedString(told.point()));
        assertEquals(one.get("owners").get(i).textValue(), told.owner());
        assertEquals(told.owner(), router.route(key));
      }
    }
    return one.get("keys").size();
  }

  private static int replicas(JsonNode one) {
    try (Router router = router(one)) {
      for (int i = 0; i < one.get("keys").size(); i++) {
        List<String> owners = new ArrayList<>();
        one.get("owners").get(i).forEach(owner -> owners.add(owner.textValue()));
        assertEquals(owners, router.replicas(key(one.get("keys").get(i)), one.get("n").intValue()));
      }
    }
    return one.get("keys").size();
  }

  private static int groups(JsonNode one) {
    List<Object> keys = new ArrayList<>();
    one.get("keys").forEach(form -> keys.add(key(form)));
    try (Router router = router(one)) {
      Groups groups = router.groups(keys);
      assertEquals(one.get("groups").size(), groups.size());
      for (int group = 0; group < groups.size(); group++) {
        JsonNode expected = one.get("groups").get(group);
        assertEquals(expected.get("node").textValue(), groups.node(group));
        int[] indices = groups.indices(group);
        assertEquals(expected.get("indices").size(), indices.length);
        for (int place = 0; place < indices.length; place++) {
          assertEquals(expected.get("indices").get(place).intValue(), indices[place]);
        }
      }
      assertEquals(keys.size(), groups.keys());
    }
    return Math.max(1, keys.size());
  }

  private static int ejections(JsonNode one) {
    int answers = 0;
    try (Router router = router(one)) {
      for (JsonNode step : one.get("steps")) {
        if (step.has("eject")) {
          router.eject(step.get("eject").textValue());
        } else {
          router.revive(step.get("revive").textValue());
        }
        for (int i = 0; i < one.get("keys").size(); i++) {
          // Null instead of a list: nobody can own any key.
          JsonNode owner = step.get("owners").isNull() ? null : step.get("owners").get(i);
          Object key = key(one.get("keys").get(i));
          if (owner == null || owner.isNull()) {
            assertThrows(ShardNotAvailableException.class, () -> router.route(key));
          } else {
            assertEquals(owner.textValue(), router.route(key));
          }
          answers++;
        }
      }
    }
    return answers;
  }

  private static int fingerprint(JsonNode one) {
    Topology topology = Topology.fromJson(one.get("topology").toString());
    String expected = one.get("fingerprint").textValue();
    assertEquals(expected, String.format("%016x", topology.fingerprint()));
    assertEquals(topology, Topology.fromJson(topology.toJson()));
    return 1;
  }

  private static int error(JsonNode one) {
    byte[] document = one.get("document").textValue().getBytes(StandardCharsets.UTF_8);
    ShardwayException error =
        assertThrows(ShardwayException.class, () -> Topology.fromJson(document));
    assertEquals(one.get("code").textValue(), error.code().label());
    assertEquals(one.get("place").textValue(), error.place());
    return 1;
  }

  private static Router router(JsonNode one) {
    return new Router(Topology.fromJson(one.get("topology").toString()));
  }

  private static Object key(JsonNode form) {
    String kind = form.fieldNames().next();
    JsonNode value = form.get(kind);
    return switch (kind) {
      case "text" -> value.textValue();
      case "hex" -> HexFormat.of().parseHex(value.textValue());
      case "i64" -> Long.parseLong(value.textValue());
      case "i32" -> value.intValue();
      case "bool" -> value.booleanValue();
      default -> fail("unknown form of key " + kind + ": teach it to this runner");
    };
  }
}
