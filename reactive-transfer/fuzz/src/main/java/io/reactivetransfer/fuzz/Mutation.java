package io.reactivetransfer.fuzz;

import java.util.Arrays;

/** Changes bytes in ways that find mistakes. */
public final class Mutation {

  private Mutation() {}

  /** Changed once to four times. */
  public static byte[] some(Input in, byte[] bytes) {
    byte[] changed = bytes;
    for (int times = in.between(1, 4); times > 0; times--) {
      changed = one(in, changed);
    }
    return changed;
  }

  /** Changed once; may come back as it was. */
  public static byte[] one(Input in, byte[] bytes) {
    if (bytes.length == 0) {
      return in.bytes(in.below(16));
    }
    int at = in.below(bytes.length);
    return switch (in.below(9)) {
      case 0 -> with(bytes, at, (byte) (bytes[at] ^ (1 << in.below(8))));
      case 1 -> with(bytes, at, (byte) in.anyInt());
      case 2 -> with(bytes, at, (byte) in.edge());
      case 3 -> withNumber(in, bytes, at);
      case 4 -> Arrays.copyOf(bytes, at);
      case 5 -> splice(bytes, bytes.length, in.bytes(in.between(1, 16)), 0);
      case 6 -> splice(bytes, at, in.bytes(in.between(1, 8)), 0);
      case 7 -> splice(bytes, at, new byte[0], in.between(1, Math.min(16, bytes.length - at)));
      default -> {
        int length = in.between(1, Math.min(64, bytes.length - at));
        yield splice(bytes, in.below(bytes.length), Arrays.copyOfRange(bytes, at, at + length), 0);
      }
    };
  }

  private static byte[] with(byte[] bytes, int at, byte value) {
    byte[] changed = bytes.clone();
    changed[at] = value;
    return changed;
  }

  /** Puts a number of 2, 4 or 8 bytes there, as far as it fits. */
  private static byte[] withNumber(Input in, byte[] bytes, int at) {
    byte[] changed = bytes.clone();
    int size = 2 << in.below(3);
    long number = in.edge();
    for (int i = 0; i < size && at + i < changed.length; i++) {
      changed[at + i] = (byte) (number >>> (8 * (size - 1 - i)));
    }
    return changed;
  }

  /** Puts bytes in, in place of some. */
  private static byte[] splice(byte[] bytes, int at, byte[] inserted, int removed) {
    byte[] changed = new byte[bytes.length + inserted.length - removed];
    System.arraycopy(bytes, 0, changed, 0, at);
    System.arraycopy(inserted, 0, changed, at, inserted.length);
    int rest = bytes.length - at - removed;
    System.arraycopy(bytes, at + removed, changed, at + inserted.length, rest);
    return changed;
  }
}
