package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.Ib;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What NICs say to each other to connect queue pairs. Each message begins with a byte that says
 * what it is, the serial number of the sender's connection, and that of the receiver's which is
 * meant, or 0 if none is known, in 8 bytes each. A {@link #HELLO} goes on with the number of the
 * queue pair and of its first packet, in 4 bytes each, and the MTU in 1; a {@link #REFUSED} with
 * the reason in UTF-8.
 *
 * @param serial of the sender's connection
 * @param number of its queue pair
 * @param psn of its first packet
 * @param mtu the longest packet, such as {@link Ib#IBV_MTU_4096}
 */
record Hello(long serial, int number, int psn, int mtu) {

  /** There is a queue pair. */
  static final byte HELLO = 1;

  /** It is connected, and receives. */
  static final byte READY = 2;

  /** It cannot be had, or not be connected. */
  static final byte REFUSED = 3;

  static final int HEAD_BYTES = 1 + 2 * Long.BYTES;
  static final int MOST_24_BITS = (1 << 24) - 1;

  private static final int HELLO_BYTES = 2 * Integer.BYTES + 1;
  private static final int MAX_TEXT_BYTES = 512;

  ByteBuffer encode(long meant) {
    return head(HELLO, serial, meant, HELLO_BYTES)
        .putInt(number)
        .putInt(psn)
        .put((byte) mtu)
        .flip();
  }

  static ByteBuffer ready(long serial, long meant) {
    return head(READY, serial, meant, 0).flip();
  }

  static ByteBuffer refused(long serial, long meant, String reason) {
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    byte[] text = bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
    return head(REFUSED, serial, meant, text.length).put(text).flip();
  }

  private static ByteBuffer head(byte kind, long serial, long meant, int moreBytes) {
    return ByteBuffer.allocate(HEAD_BYTES + moreBytes).put(kind).putLong(serial).putLong(meant);
  }

  /**
   * What follows the head.
   *
   * @return null if it cannot be that
   */
  static @Nullable Hello decode(long serial, ByteBuffer rest) {
    if (rest.remaining() != HELLO_BYTES || serial == 0) {
      return null;
    }
    int number = rest.getInt();
    int psn = rest.getInt();
    int mtu = rest.get();
    boolean isRight =
        (number & ~MOST_24_BITS) == 0
            && (psn & ~MOST_24_BITS) == 0
            && mtu >= Ib.IBV_MTU_256
            && mtu <= Ib.IBV_MTU_4096;
    return isRight ? new Hello(serial, number, psn, mtu) : null;
  }
}
