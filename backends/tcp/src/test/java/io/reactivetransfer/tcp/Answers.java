package io.reactivetransfer.tcp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a target has sent on one connection, read as docs/wire-format.md says. */
final class Answers {

  /** For each settled write, 0 or the code of its NACK. */
  final List<Integer> settled = new ArrayList<>();

  /** The code of a refusal, or 0. */
  int refusal;

  /** The code of the goodbye, or 0. */
  int goodbye;

  private Answers() {}

  static Answers of(byte[] bytes) {
    Answers answers = new Answers();
    if (bytes.length > 0) {
      answers.read(ByteBuffer.wrap(bytes));
    }
    return answers;
  }

  private void read(ByteBuffer in) {
    in.position(FuzzHandshake.answerBytes(in.array()));
    refusal = FuzzHandshake.refusal(in.array());
    while (in.hasRemaining()) {
      if (refusal != 0 || goodbye != 0) {
        throw new AssertionError("expected nothing behind the end, got " + in.remaining());
      }
      switch (in.get()) {
        case 4 -> acknowledged(in.getLong());
        case 5 -> {
          long number = in.getLong();
          int code = in.getShort();
          if (number != settled.size() + 1) {
            throw new AssertionError(
                "expected a NACK of write " + (settled.size() + 1) + ", got one of " + number);
          }
          settled.add(code);
          text(in);
        }
        case 3 -> {
          goodbye = in.getShort();
          text(in);
        }
        default -> throw new AssertionError("expected a frame at " + (in.position() - 1));
      }
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

  private static void text(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    if (length == 0 || length > 512) {
      throw new AssertionError("expected a reason of 1 to 512 bytes, got " + length);
    }
    in.position(in.position() + length);
  }
}
