package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * What an origin must make of each byte that its target sends on one connection, and what it must
 * send itself; told by docs/wire-format.md.
 */
final class OriginModel {

  private enum Part {
    HANDSHAKE,
    HEAD,
    NACK_TEXT,
    GOODBYE_TEXT,
    NOTHING
  }

  private static final int MAX_TEXT_BYTES = 512;

  /** Shorter ones are copied, so that their source is free at once, whatever the target claims. */
  private static final int MAX_COPIED_BYTES = 4_096;

  /**
   * A write that was taken over.
   *
   * @param end where in all that is sent it ends, or 0 if nobody has to know
   */
  private record Write(long token, int end) {}

  private final NicModel nic;
  private final EngineId target;
  private final ArrayDeque<Write> writes = new ArrayDeque<>();
  private final ByteBuf sent = Unpooled.buffer();
  private Part part = Part.HANDSHAKE;
  private boolean welcomed;
  private long settled;
  private int goodbye;

  // What is coming in.
  private int sentBytes;
  private byte[] here = new byte[64];
  private int count;
  private int headBytes;
  private int left;
  private long number;
  private int code;

  OriginModel(NicModel nic, EngineId target) {
    this.nic = nic;
    this.target = target;
    sent.writeBytes(FuzzHandshake.hello(nic.id, target, 0));
  }

  boolean isEnded() {
    return part == Part.NOTHING;
  }

  boolean isOpen() {
    return welcomed && !isEnded();
  }

  long settled() {
    return settled;
  }

  int inFlight() {
    return writes.size();
  }

  /** All that was to be sent so far, but for a goodbye. */
  ByteBuf sent() {
    return sent;
  }

  /** The code of the goodbye behind it, or 0. */
  int goodbye() {
    return goodbye;
  }

  void posted(long token, byte[] head, byte[] bytes) {
    sent.writeBytes(head).writeBytes(bytes);
    writes.add(new Write(token, bytes.length > MAX_COPIED_BYTES ? sent.writerIndex() : 0));
  }

  /** The target is told that another connection is over. */
  void saidOver(long other) {
    Wire.putOver(sent, other);
  }

  void end(int why) {
    if (isEnded()) {
      return;
    }
    part = Part.NOTHING;
    if (why != ErrorCode.CLOSED.value) {
      nic.broke(target, FuzzHandshake.HALF_A_NONCE.high());
    }
    nic.report(new NicModel.Lost(target, why));
    writes.forEach(write -> nic.report(new NicModel.Failed(write.token(), why)));
    writes.clear();
  }

  /**
   * The target has sent these bytes.
   *
   * @param sentBefore how much it was sent before
   */
  void feed(byte[] bytes, int from, int to, int sentBefore) {
    sentBytes = sentBefore;
    for (int i = from; i < to && !isEnded(); i++) {
      feed(bytes[i]);
    }
  }

  private void feed(byte next) {
    if (part == Part.HEAD && count == 0) {
      headBytes = headBytes(next);
    }
    if (count == here.length) {
      here = Arrays.copyOf(here, 2 * count);
    }
    here[count++] = next;
    switch (part) {
      case HANDSHAKE -> shakeHands();
      case HEAD -> {
        if (count == headBytes) {
          count = 0;
          head(ByteBuffer.wrap(here));
        }
      }
      case NACK_TEXT, GOODBYE_TEXT -> {
        left--;
        endOfText();
      }
      case NOTHING -> {}
    }
  }

  private void shakeHands() {
    switch (FuzzHandshake.judgeAnswer(here, count, target)) {
      case FuzzHandshake.Verdict.More() -> {}
      case FuzzHandshake.Verdict.Refused(int why) -> end(why);
      case FuzzHandshake.Verdict.Violated(int why) -> violated(why);
      case FuzzHandshake.Verdict.Welcomed() -> {
        welcomed = true;
        nic.brokenOf(target).forEach(this::saidOver);
        count = 0;
        part = Part.HEAD;
      }
      default -> throw new AssertionError("no verdict about an answer");
    }
  }

  private int headBytes(byte type) {
    return switch (type) {
      case 4 -> 9;
      case 5 -> 13;
      case 3 -> 5;
      default -> {
        violated(1);
        yield 0;
      }
    };
  }

  private void head(ByteBuffer in) {
    switch (in.get()) {
      case 4 -> acknowledged(in.getLong());
      case 5 -> {
        number = in.getLong();
        text(Part.NACK_TEXT, in);
      }
      default -> text(Part.GOODBYE_TEXT, in);
    }
  }

  private void text(Part next, ByteBuffer in) {
    code = Short.toUnsignedInt(in.getShort());
    left = Short.toUnsignedInt(in.getShort());
    if (left > MAX_TEXT_BYTES) {
      violated(1);
    } else {
      part = next;
      endOfText();
    }
  }

  private void endOfText() {
    if (left > 0) {
      return;
    }
    count = 0;
    if (part == Part.GOODBYE_TEXT) {
      end(code);
      return;
    }
    part = Part.HEAD;
    if (number != settled + 1 || !isNextSent()) {
      violated(1);
    } else {
      settled++;
      nic.report(new NicModel.Failed(writes.remove().token(), code));
    }
  }

  private void acknowledged(long upTo) {
    if (!settle(upTo)) {
      violated(1);
    }
  }

  private boolean settle(long upTo) {
    if (upTo < 0 || upTo > settled + writes.size()) {
      return false;
    }
    while (settled < upTo) {
      if (!isNextSent()) {
        return false;
      }
      settled++;
      nic.report(new NicModel.Written(writes.remove().token()));
    }
    return true;
  }

  private boolean isNextSent() {
    return !writes.isEmpty() && writes.element().end() <= sentBytes;
  }

  private void violated(int why) {
    goodbye = why;
    end(why);
  }
}
