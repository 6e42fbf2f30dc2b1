package io.reactivetransfer.staging;

import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What two of these NICs say to each other, besides what the NICs below say, which passes as it is.
 * Each begins with a mark of 8 bytes and a byte that says what it is; all numbers are big-endian.
 *
 * <p>Byte strings have their length in front, in 2 bytes, texts are UTF-8 to the end.
 *
 * <ul>
 *   <li>{@link #CARRY}: what a second NIC has to say to the other second NIC
 *   <li>{@link #OPEN}: asks for a window. Its id (8), key of the memory that is to be written (16),
 *       immediates of acknowledgements (4 times 4), key of the notes, address of the second NIC
 *   <li>{@link #QUEUED}: the window with this id (8) is not there yet
 *   <li>{@link #GRANT}: the id (8), address of the second NIC, how many slots (1), and for each its
 *       immediate (4) and key
 *   <li>{@link #DENY}: the id (8) and why there is none
 *   <li>{@link #REFUSED}: a piece. The id (8), the slot (1), number of the piece (8), whether the
 *       slot is used no more (1), a code (4) and why
 *   <li>{@link #ASK_BACK}: the id (8) of a window that others wait for
 *   <li>{@link #GIVE_BACK}: the id (8) of a window in which nothing is on its way
 *   <li>{@link #END}: the id (8) of a window that was ended, and why
 * </ul>
 */
final class Messages {

  static final byte CARRY = 0;
  static final byte OPEN = 1;
  static final byte QUEUED = 2;
  static final byte GRANT = 3;
  static final byte DENY = 4;
  static final byte REFUSED = 5;
  static final byte ASK_BACK = 6;
  static final byte GIVE_BACK = 7;
  static final byte END = 8;

  private static final int MOST_BYTES = 1_024;
  private static final int MOST_TEXT_BYTES = 600;

  /** What a second NIC may say at once: there are a mark and a byte before it. */
  static final int MOST_CARRIED_BYTES = MOST_BYTES - Long.BYTES - 1;

  /** Drawn once: no other NIC's message begins so but by chance. */
  private static final long MARK = 0x5cd1_93e7_26b0_fa48L;

  private Messages() {}

  /** Whether it is one of these; if so, its mark is read. */
  static boolean isOne(ByteBuffer message) {
    if (message.remaining() <= Long.BYTES || message.getLong(message.position()) != MARK) {
      return false;
    }
    message.position(message.position() + Long.BYTES);
    return true;
  }

  private static ByteBuffer begin(byte kind) {
    return ByteBuffer.allocate(MOST_BYTES).putLong(MARK).put(kind);
  }

  /** What a second NIC says, of {@link #MOST_CARRIED_BYTES} at most. */
  static ByteBuffer carry(ByteBuffer message) {
    return begin(CARRY).put(message.duplicate()).flip();
  }

  static ByteBuffer open(OutWindow window, byte[] notesKey, byte[] address) {
    ByteBuffer message =
        begin(OPEN)
            .putLong(window.id)
            .putLong(window.firstKey.high())
            .putLong(window.firstKey.low());
    for (int imm : window.noteImms()) {
      message.putInt(imm);
    }
    putBytes(message, notesKey);
    putBytes(message, address);
    return message.flip();
  }

  static ByteBuffer grant(InWindow window, byte[] address) {
    ByteBuffer message = begin(GRANT).putLong(window.id);
    putBytes(message, address);
    message.put((byte) window.slots.size());
    for (InSlot slot : window.slots) {
      message.putInt(slot.imm());
      putBytes(message, slot.key());
    }
    return message.flip();
  }

  static ByteBuffer of(byte kind, long window) {
    return begin(kind).putLong(window).flip();
  }

  static ByteBuffer of(byte kind, long window, String text) {
    return begin(kind).putLong(window).put(utf8(text)).flip();
  }

  static ByteBuffer refused(InSlot slot, long number, boolean retired, Failure why) {
    return begin(REFUSED)
        .putLong(slot.window().id)
        .put((byte) slot.index())
        .putLong(number)
        .put((byte) (retired ? 1 : 0))
        .putInt(why.code())
        .put(utf8(why.text()))
        .flip();
  }

  private static byte[] utf8(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MOST_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MOST_TEXT_BYTES);
  }

  private static void putBytes(ByteBuffer message, byte[] bytes) {
    message.putShort((short) bytes.length).put(bytes);
  }

  /**
   * A byte string of a peer.
   *
   * @throws java.nio.BufferUnderflowException if it is longer than what there is
   */
  static byte[] bytes(ByteBuffer message) {
    int length = Short.toUnsignedInt(message.getShort());
    byte[] bytes = new byte[Math.min(length, message.remaining() + 1)];
    message.get(bytes);
    return bytes;
  }

  static String text(ByteBuffer message) {
    return PeerText.of(message);
  }
}
