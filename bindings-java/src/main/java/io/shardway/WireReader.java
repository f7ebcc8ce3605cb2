package io.shardway;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads the answers of several fields that the library packs into one array. */
final class WireReader {
  private final ByteBuffer content;

  WireReader(byte[] content) {
    this.content = ByteBuffer.wrap(content);
  }

  int int32() {
    return content.getInt();
  }

  long int64() {
    return content.getLong();
  }

  boolean flag() {
    return content.get() != 0;
  }

  String text() {
    int length = content.getInt();
    int from = content.position();
    content.position(from + length);
    return new String(content.array(), from, length, StandardCharsets.UTF_8);
  }

  <T> T optional(Supplier<T> read) {
    return flag() ? read.get() : null;
  }

  <T> List<T> list(Supplier<T> read) {
    int count = int32();
    List<T> items = new ArrayList<>(count);
    for (int place = 0; place < count; place++) {
      items.add(read.get());
    }
    return List.copyOf(items);
  }

  Node node() {
    String id = text();
    String host = optional(this::text);
    int port = int32();
    int weight = int32();
    Integer shardId = optional(this::int32);
    return new Node(id, host, port == 0 ? null : port, weight, shardId, optional(this::text));
  }

  Event event() {
    EventKind kind = EventKind.values()[content.get()];
    return new Event(kind, text(), int64(), int64());
  }

  Explanation explanation() {
    return new Explanation(
        text(),
        text(),
        int64(),
        int64(),
        optional(this::int64),
        optional(this::text),
        optional(this::text),
        list(this::text),
        list(this::text),
        int64(),
        int64(),
        text(),
        text());
  }
}
