package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class KeysTest {
  private final Router router = new Router(Topology.of("a", "b", "c", "d", "e"));

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "user:42", "?", "ключ?", "订单", "🦀", "\0", "a\0b"})
  void aStringIsItsRealUtf8(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    assertEquals(router.route(utf8), router.route(text));
    assertEquals(router.snapshot().hash(utf8), router.snapshot().hash(text));
    assertEquals(router.route(utf8), router.route(ByteBuffer.wrap(utf8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ud800", "a\udc00", "\ud800x", "\ud83d\ud83e\udd80", "?\udfff"})
  void aLoneSurrogateIsRefused(String text) {
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> router.route(text));
    assertEquals("key", error.place());
    assertTrue(error.getMessage().contains("lone surrogate U+D"), error.getMessage());
    error = assertThrows(InvalidArgumentException.class, () -> router.group(List.of("good", text)));
    assertEquals("keys[1]", error.place());
  }

  @Test
  void aLongIsEightBytesBigEndian() {
    for (long key : new long[] {0, 1, -1, 42, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40}) {
      byte[] bytes = ByteBuffer.allocate(8).putLong(key).array();
      assertEquals(router.route(bytes), router.route(key));
      assertEquals(router.snapshot().hash(bytes), router.snapshot().hash(key));
    }
  }

  @Test
  void anIntIsTheSameAsItsLong() {
    for (int key : new int[] {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertEquals(router.route((long) key), router.route(key));
      assertEquals(router.snapshot().hash((long) key), router.snapshot().hash(key));
    }
    assertEquals(router.route(-7L), router.route((Object) (short) -7));
    assertEquals(router.route(-7L), router.route((Object) (byte) -7));
  }

  @Test
  void aBufferIsReadFromItsPositionToItsLimitWhichStay() {
    ByteBuffer buffer = ByteBuffer.wrap("xxuser:42yy".getBytes(StandardCharsets.UTF_8), 2, 7);
    assertEquals(router.route("user:42"), router.route(buffer));
    assertEquals(router.route("user:42"), router.route((Object) buffer));
    assertEquals(2, buffer.position());
    ByteBuffer direct = ByteBuffer.allocateDirect(16).put(buffer.duplicate()).flip();
    assertEquals(router.route("user:42"), router.route(direct.asReadOnlyBuffer()));
  }

  @Test
  void keysOfAnyLengthAreRead() {
    for (int length : new int[] {0, 1, 255, 256, 257, 100_000}) {
      byte[] key = new byte[length];
      Arrays.fill(key, (byte) 'k');
      assertEquals(router.snapshot().route((Object) key), router.route(key));
    }
  }

  @Test
  void aBooleanIsAKeyWithThriftKeysOnly() {
    assertThrows(InvalidArgumentException.class, () -> router.route((Object) true));
    Topology finagle =
        Topology.builder(new Scheme.Finagle(false, true)).node("a").node("b").build();
    try (Router thrift = new Router(finagle)) {
      assertEquals(thrift.route(1231), thrift.route((Object) true));
      byte[] noText = {(byte) 0xff};
      assertThrows(InvalidArgumentException.class, () -> thrift.route(noText));
    }
  }

  @Test
  void otherTypesAreRefusedByName() {
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> router.route((Object) 1.5));
    assertTrue(error.getMessage().contains("java.lang.Double"), error.getMessage());
    List<Object> keys = new ArrayList<>(List.of("a", "b"));
    keys.add(null);
    error = assertThrows(InvalidArgumentException.class, () -> router.groups(keys));
    assertEquals("keys[2]", error.place());
    assertThrows(NullPointerException.class, () -> router.route((String) null));
    assertThrows(NullPointerException.class, () -> router.route((byte[]) null));
  }
}
