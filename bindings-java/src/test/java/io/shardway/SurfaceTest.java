package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every name that tests/surface.json gives Java is there and public. */
final class SurfaceTest {
  @Test
  void everyNameIsThere() throws IOException {
    Path table = Path.of(System.getProperty("shardway.vectors")).resolveSibling("surface.json");
    JsonNode rows = new ObjectMapper().readTree(table.toFile()).get("operations");
    List<String> missing = new ArrayList<>();
    int names = 0;
    for (JsonNode row : rows) {
      if (!row.get("java").isNull()) {
        names++;
        if (!isThere(row.get("java").textValue())) {
          missing.add(row.get("java").textValue());
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(names > 40, () -> "the table is short");
  }

  private static boolean isThere(String name) {
    String[] parts = name.split("\\.");
    try {
      Class<?> type = Class.forName("io.shardway." + parts[0]);
      return parts.length == 1
          || Arrays.stream(type.getMethods()).anyMatch(one -> one.getName().equals(parts[1]));
    } catch (ClassNotFoundException none) {
      return false;
    }
  }
}
