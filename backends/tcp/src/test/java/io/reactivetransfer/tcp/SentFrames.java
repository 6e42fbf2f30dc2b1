package io.reactivetransfer.tcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a NIC has sent on one connection, read as docs/wire-format.md says. */
final class SentFrames {

  private static final int FIRST_PART_BYTES = 65_536;

  /** Its writes, and what it said of other connections; as they are. */
  final List<byte[]> posted = new ArrayList<>();

  /** For each write of the other side that it has settled, 0 or the code of its NACK. */
  final List<Integer> settled = new ArrayList<>();

  /** The code of a refusal within the handshake, or 0. */
  int refusal;

  /** The code of the goodbye, or 0. */
  int goodbye;

  /** How many of its writes are complete. */
  int writes;

  /** How many it has given up. */
  int givenUp;

  /** The write that has begun, in one piece. */
  private final ByteArrayOutputStream write = new ByteArrayOutputStream();

  private long writeBytes;

  /** Whether it stops in the middle of a frame. */
  boolean isCut;

  private SentFrames() {}

  /**
   * Reads them.
   *
   * @param bytes all that it has sent
   * @param from where the frames begin
   */
  static SentFrames of(byte[] bytes, int from) {
    SentFrames sent = new SentFrames();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    in.position(Math.min(from, bytes.length));
    while (in.hasRemaining() && !sent.isCut) {
      if (sent.goodbye != 0) {
        throw new AssertionError("expected nothing behind the end, got " + in.remaining());
      }
      sent.read(in);
    }
    sent.isCut |= sent.write.size() > 0 && sent.goodbye == 0;
    return sent;
  }

  /** The same of one that was dialled: it has answered first. */
  static SentFrames afterAnswer(byte[] bytes) {
    if (bytes.length < FuzzHandshake.MIN_ANSWER_BYTES
        || bytes.length < FuzzHandshake.answerBytes(bytes)) {
      SentFrames sent = new SentFrames();
      sent.isCut = bytes.length > 0;
      return sent;
    }
    SentFrames sent = of(bytes, FuzzHandshake.answerBytes(bytes));
    sent.refusal = FuzzHandshake.refusal(bytes);
    if (sent.refusal != 0 && FuzzHandshake.answerBytes(bytes) != bytes.length) {
      throw new AssertionError("expected nothing behind a refusal");
    }
    return sent;
  }

  private void read(ByteBuffer in) {
    int at = in.position();
    int type = in.get(at);
    int headBytes =
        switch (type) {
          case 1 -> 38;
          case 3, 8 -> 5;
          case 4, 7 -> 9;
          case 5 -> 13;
          case 9 -> 50;
          default -> throw new AssertionError("expected a frame at " + at + ", got type " + type);
        };
    isCut = in.remaining() < headBytes;
    if (isCut) {
      return;
    }
    long bodyBytes =
        switch (type) {
          case 1, 9 -> Math.min(in.getLong(at + 30), FIRST_PART_BYTES);
          case 8 -> in.getInt(at + 1);
          case 3 -> Short.toUnsignedInt(in.getShort(at + 3));
          case 5 -> Short.toUnsignedInt(in.getShort(at + 11));
          default -> 0;
        };
    isCut = in.remaining() < headBytes + bodyBytes;
    if (isCut) {
      return;
    }
    int end = at + headBytes + (int) bodyBytes;
    in.position(end);
    switch (type) {
      case 3 -> goodbye = in.getShort(at + 1);
      case 4 -> acknowledged(in.getLong(at + 1));
      case 5 -> {
        if (in.getLong(at + 1) != settled.size() + 1) {
          throw new AssertionError("expected a NACK of write " + (settled.size() + 1));
        }
        settled.add((int) in.getShort(at + 9));
      }
      case 8 -> {
        write.write(in.array(), end - (int) bodyBytes, (int) bodyBytes);
        if (bodyBytes == 0) {
          givenUp++;
          write.reset();
        }
      }
      case 1, 9 -> {
        if (write.size() > 0) {
          throw new AssertionError("expected the rest of a write, got another one");
        }
        write.write(in.array(), at, end - at);
        writeBytes = headBytes + in.getLong(at + 30);
      }
      default -> posted.add(Arrays.copyOfRange(in.array(), at, end));
    }
    if (write.size() > 0 && write.size() == writeBytes) {
      posted.add(write.toByteArray());
      write.reset();
      writes++;
    }
    if ((type == 3 || type == 5) && (bodyBytes == 0 || bodyBytes > 512)) {
      throw new AssertionError("expected a reason of 1 to 512 bytes, got " + bodyBytes);
    }
  }

  private void acknowledged(long count) {
    if (count <= settled.size() || count > Integer.MAX_VALUE) {
      throw new AssertionError(
          "expected an ACK of more than " + settled.size() + " writes, got one of " + count);
    }
    while (settled.size() < count) {
      settled.add(0);
    }
  }
}
