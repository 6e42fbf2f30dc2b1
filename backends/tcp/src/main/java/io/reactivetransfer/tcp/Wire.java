package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What goes over a connection after the {@link Handshake}: the numbers of the frames, their sizes,
 * and how each is written. All numbers are big-endian. {@code docs/wire-format.md} says the same in
 * words.
 */
final class Wire {

  /** A write: flags, immediate, key, offset, length; its bytes follow. */
  static final int WRITE = 1;

  /** The sender closes: a code, the length of a text; the text follows. */
  static final int GOODBYE = 3;

  /** How many writes of this connection are settled, in order. */
  static final int ACK = 4;

  /** The next write did not come in: its number, a code, the length of a text; the text follows. */
  static final int NACK = 5;

  /** Another connection of the sender, with this number, is over. */
  static final int OVER = 7;

  /**
   * The next part of the write that was begun: its length; the part follows. None: it is given up.
   */
  static final int MORE = 8;

  /** A write in rows: as a write, then how many rows and their stride; the bytes follow. */
  static final int ROWS = 9;

  static final int WRITE_BYTES = 1 + 1 + Integer.BYTES + MemoryKey.BYTES + 2 * Long.BYTES;
  static final int ROWS_BYTES = WRITE_BYTES + Integer.BYTES + Long.BYTES;
  static final int GOODBYE_BYTES = 1 + 2 * Short.BYTES;
  static final int ACK_BYTES = 1 + Long.BYTES;
  static final int OVER_BYTES = 1 + Long.BYTES;
  static final int MORE_BYTES = 1 + Integer.BYTES;
  static final int NACK_BYTES = 1 + Long.BYTES + 2 * Short.BYTES;

  /** The one flag of a write. */
  static final int HAS_IMM = 1;

  /**
   * The longest write. The engine cuts longer ones, so that a write with an immediate never waits
   * behind more than this, and a view of the source always fits a {@link ByteBuffer}.
   */
  static final long MAX_WRITE_BYTES = 256L << 20;

  /**
   * The most rows of a write: however few bytes they have, each takes some time of its own on
   * either side.
   */
  static final int MAX_ROWS = 4_096;

  /** As much of a write follows its head; between its other parts, something else may be said. */
  static final int FIRST_PART_BYTES = 64 << 10;

  /** The longest text of a reason. */
  static final int MAX_TEXT_BYTES = 512;

  private Wire() {}

  /** How long the head of a write is. */
  static int headBytes(Operation op) {
    return isOneRangeThere(op) ? WRITE_BYTES : ROWS_BYTES;
  }

  /** Whether its rows, if it has some, come one behind the other without gaps. */
  private static boolean isOneRangeThere(Operation op) {
    return op.rows() == 1 || op.remoteStride() == op.rowLength();
  }

  static ByteBuf putWrite(ByteBuf out, MemoryKey key, Operation op) {
    if (isOneRangeThere(op)) {
      return putWrite(out, op.hasImm(), op.imm(), key, op.remoteOffset(), op.length());
    }
    return putHead(out, ROWS, op.hasImm(), op.imm(), key, op.remoteOffset(), op.length())
        .writeInt(op.rows())
        .writeLong(op.remoteStride());
  }

  static ByteBuf putWrite(
      ByteBuf out, boolean hasImm, int imm, MemoryKey key, long offset, long length) {
    return putHead(out, WRITE, hasImm, imm, key, offset, length);
  }

  private static ByteBuf putHead(
      ByteBuf out, int type, boolean hasImm, int imm, MemoryKey key, long offset, long length) {
    return out.writeByte(type)
        .writeByte(hasImm ? HAS_IMM : 0)
        .writeInt(imm)
        .writeLong(key.high())
        .writeLong(key.low())
        .writeLong(offset)
        .writeLong(length);
  }

  static ByteBuf putGoodbye(ByteBuf out, Failure why) {
    return putText(out.writeByte(GOODBYE).writeShort(why.code()), why.text());
  }

  static ByteBuf putOver(ByteBuf out, long connection) {
    return out.writeByte(OVER).writeLong(connection);
  }

  static ByteBuf putMore(ByteBuf out, int length) {
    return out.writeByte(MORE).writeInt(length);
  }

  static ByteBuf putAck(ByteBuf out, long settled) {
    return out.writeByte(ACK).writeLong(settled);
  }

  static ByteBuf putNack(ByteBuf out, long number, Failure why) {
    return putText(out.writeByte(NACK).writeLong(number).writeShort(why.code()), why.text());
  }

  static void putId(ByteBuf out, EngineId id) {
    out.writeLong(id.high()).writeLong(id.low());
  }

  static EngineId id(ByteBuffer in) {
    return new EngineId(in.getLong(), in.getLong());
  }

  static byte[] textBytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
  }

  /** A text of the other side, fit for a log: it may hold anything. */
  static String text(byte[] bytes) {
    return PeerText.of(ByteBuffer.wrap(bytes));
  }

  /** The length of a text, once it is known to be acceptable. */
  static int textLength(int length) {
    if (length > MAX_TEXT_BYTES) {
      throw new ProtocolException(
          "expected a reason of at most " + MAX_TEXT_BYTES + " bytes, got " + length);
    }
    return length;
  }

  private static ByteBuf putText(ByteBuf out, String text) {
    byte[] bytes = textBytes(text);
    return out.writeShort(bytes.length).writeBytes(bytes);
  }
}
