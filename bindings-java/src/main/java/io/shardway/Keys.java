package io.shardway;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Keys as they cross to the library: a kind, with bytes or a number. The core says what they hash
 * to.
 */
final class Keys {
  static final int BYTES = 0;
  static final int INT64 = 1;
  static final int INT32 = 2;
  static final int BOOL = 3;

  private static final byte[] NONE = new byte[0];

  private Keys() {}

  /** A key that crosses; {@code number} counts unless the kind is {@link #BYTES}. */
  record Crossing(int kind, byte[] bytes, long number) {}

  static Crossing of(byte[] key) {
    return new Crossing(BYTES, key, 0);
  }

  static Crossing of(int kind, long number) {
    return new Crossing(kind, NONE, number);
  }

  /** Any key; {@code place} is where the user wrote it. */
  static Crossing of(Object key, String place) {
    if (key instanceof String text) {
      return of(utf8(text, place));
    } else if (key instanceof byte[] bytes) {
      return of(bytes);
    } else if (key instanceof ByteBuffer buffer) {
      return of(bytes(buffer));
    } else if (key instanceof Long number) {
      return of(INT64, number);
    } else if (key instanceof Integer || key instanceof Short || key instanceof Byte) {
      return of(INT32, ((Number) key).longValue());
    } else if (key instanceof Boolean truth) {
      return of(BOOL, truth ? 1 : 0);
    }
    String what = key == null ? "null" : "a " + key.getClass().getName();
    throw new InvalidArgumentException(
        place + ": " + what + "; String, byte[], ByteBuffer, Long, Integer, Short or Byte is right",
        place);
  }

  /** The remaining bytes, whose position stays. */
  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /**
   * Real UTF-8. Java's encoder writes a question mark for a lone surrogate: that is refused here.
   */
  static byte[] utf8(String text, String place) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (byte unit : bytes) {
      if (unit == '?') {
        refuseSurrogates(text, place);
        break;
      }
    }
    return bytes;
  }

  private static void refuseSurrogates(String text, String place) {
    int at = loneSurrogate(text);
    if (at >= 0) {
      throw new InvalidArgumentException(
          String.format(
              "%s: the lone surrogate U+%04X at index %d has no UTF-8; use well-formed text, or bytes",
              place, (int) text.charAt(at), at),
          place);
    }
  }

  /** The index of the first lone surrogate, -1 when there is none. */
  static int loneSurrogate(String text) {
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (Character.isSurrogate(unit)) {
        boolean pair =
            Character.isHighSurrogate(unit)
                && at + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(at + 1));
        if (!pair) {
          return at;
        }
        at++;
      }
    }
    return -1;
  }

  /** Many keys in one piece of memory; {@code kinds} is null when all are bytes. */
  record Packed(byte[] kinds, byte[] data, int[] offsets) {}

  static Packed pack(Object[] keys) {
    byte[] kinds = null;
    int[] offsets = new int[keys.length + 1];
    ByteArrayOutputStream data = new ByteArrayOutputStream(Math.max(16, 16 * keys.length));
    int number = 0;
    for (Object key : keys) {
      Crossing one;
      try {
        one = key instanceof String text ? of(utf8(text, "key")) : of(key, "key");
      } catch (InvalidArgumentException error) {
        String place = "keys[" + number + "]";
        throw new InvalidArgumentException(
            place + error.getMessage().substring("key".length()), place);
      }
      if (one.kind == BYTES) {
        data.writeBytes(one.bytes);
      } else {
        if (kinds == null) {
          kinds = new byte[keys.length];
        }
        kinds[number] = (byte) one.kind;
        data.writeBytes(ByteBuffer.allocate(8).putLong(one.number).array());
      }
      number++;
      offsets[number] = data.size();
    }
    return new Packed(kinds, data.toByteArray(), offsets);
  }
}
