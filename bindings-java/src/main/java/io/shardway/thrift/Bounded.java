package io.shardway.thrift;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that gives at most so many bytes for one answer. For one thread. */
final class Bounded extends FilterInputStream {
  /** One answer takes more bytes than allowed. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1L;

    TooLarge(int most) {
      super("the answer takes more than " + most + " bytes");
    }
  }

  private final int most;
  private int left;

  Bounded(InputStream stream, int most) {
    super(stream);
    this.most = most;
    this.left = most;
  }

  /** Begins another answer. */
  void begin() {
    left = most;
  }

  @Override
  public int read() throws IOException {
    if (left <= 0) {
      throw new TooLarge(most);
    }
    int value = super.read();
    left -= value < 0 ? 0 : 1;
    return value;
  }

  @Override
  public int read(byte[] room, int from, int length) throws IOException {
    if (left <= 0 && length > 0) {
      throw new TooLarge(most);
    }
    int count = super.read(room, from, Math.min(length, Math.max(left, 0)));
    left -= Math.max(count, 0);
    return count;
  }
}
