package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.Ib;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages by which two NICs set a connection up. Each begins with a byte that says which one
 * it is, and the serial number that the origin has given to the connection, in 8 bytes. {@link
 * #REQUEST} and {@link #REPLY} go on with the sender's queue pair: its number and that of its first
 * packet in 4 bytes each, and its MTU in 1; {@link #REJECT} with the reason in UTF-8.
 */
final class SetUp {

  /** The origin has a queue pair to write with, and asks for one that receives. */
  static final byte REQUEST = 1;

  /** The target has one, and it receives. */
  static final byte REPLY = 2;

  /** The target has none. */
  static final byte REJECT = 3;

  /** The target's queue pair is no more, or a request is not answered any more. */
  static final byte DISCONNECT = 4;

  static final int HEAD_BYTES = 1 + Long.BYTES;
  static final int MOST_24_BITS = (1 << 24) - 1;

  private static final int QUEUE_PAIR_BYTES = 2 * Integer.BYTES + 1;
  private static final int MAX_TEXT_BYTES = 512;

  private SetUp() {}

  /**
   * A queue pair of the sender of a message.
   *
   * @param number by which packets name it
   * @param psn of its first packet
   * @param mtu the longest packet of its port, such as {@link Ib#IBV_MTU_4096}
   */
  record QueuePair(int number, int psn, int mtu) {

    /**
     * What follows the head.
     *
     * @return null if it cannot be that
     */
    static @Nullable QueuePair decode(ByteBuffer rest) {
      if (rest.remaining() != QUEUE_PAIR_BYTES) {
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
      return isRight ? new QueuePair(number, psn, mtu) : null;
    }
  }

  static ByteBuffer request(long serial, QueuePair own) {
    return with(REQUEST, serial, own);
  }

  static ByteBuffer reply(long serial, QueuePair own) {
    return with(REPLY, serial, own);
  }

  private static ByteBuffer with(byte kind, long serial, QueuePair own) {
    return head(kind, serial, QUEUE_PAIR_BYTES)
        .putInt(own.number())
        .putInt(own.psn())
        .put((byte) own.mtu())
        .flip();
  }

  static ByteBuffer reject(long serial, String reason) {
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    byte[] text = bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
    return head(REJECT, serial, text.length).put(text).flip();
  }

  static ByteBuffer disconnect(long serial) {
    return head(DISCONNECT, serial, 0).flip();
  }

  private static ByteBuffer head(byte kind, long serial, int moreBytes) {
    return ByteBuffer.allocate(HEAD_BYTES + moreBytes).put(kind).putLong(serial);
  }
}
