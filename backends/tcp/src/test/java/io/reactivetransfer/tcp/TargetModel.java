package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What must become of each byte that an origin sends on one connection, and what it must be
 * answered; told by docs/wire-format.md alone, one byte at a time.
 */
final class TargetModel {

  /** In a hello, behind its head, two ids and an index. */
  private static final int NONCE_AT = 41;

  private enum Part {
    HANDSHAKE,
    HEAD,
    WRITE_BYTES,
    GOODBYE_TEXT,
    NOTHING
  }

  private static final int MAX_TEXT_BYTES = 512;
  private static final long MAX_WRITE_BYTES = 268_435_456;

  private final NicModel nic;
  private Part part = Part.HANDSHAKE;
  private EngineId origin;
  private int nicIndex;
  private long number;
  private boolean greeted;

  /** What the present part is made of, as far as it is here. */
  private byte[] here = new byte[64];

  private int count;
  private int headBytes;
  private long left;
  private int goodbyeCode;

  // The write that is coming in.
  private NicModel.Grant grant;
  private boolean hasImm;
  private int imm;
  private int position;
  private int failure;

  /** What the origin must be told: a refusal's code, 0 for none. */
  private int refusal;

  /** The code of the goodbye that it must be told, 0 for none. */
  private int goodbye;

  /** For each write that was settled while it was open: 0, or the code of the NACK. */
  private final List<Integer> settled = new ArrayList<>();

  TargetModel(NicModel nic) {
    this.nic = nic;
  }

  EngineId origin() {
    return origin;
  }

  int nic() {
    return nicIndex;
  }

  boolean isEnded() {
    return part == Part.NOTHING;
  }

  boolean isOpen() {
    return greeted && !isEnded();
  }

  /** Whether nothing is half-way in. */
  boolean isBetweenFrames() {
    return part == Part.HEAD && count == 0;
  }

  int refusal() {
    return refusal;
  }

  boolean wasGreeted() {
    return greeted;
  }

  int goodbye() {
    return goodbye;
  }

  List<Integer> settled() {
    return settled;
  }

  /** What names the connection to its origin. */
  long number() {
    return number;
  }

  void settle(int code) {
    if (isOpen()) {
      settled.add(code);
    }
  }

  void end(int code) {
    if (isEnded()) {
      return;
    }
    part = Part.NOTHING;
    if (greeted) {
      nic.ended(this);
    }
  }

  /** The time for the handshake is over. */
  void outOfTime() {
    if (part == Part.HANDSHAKE) {
      end(ErrorCode.TIMEOUT.value);
    }
  }

  void feed(byte[] bytes, int from, int to) {
    for (int i = from; i < to && !isEnded(); i++) {
      feed(bytes[i]);
    }
  }

  private void feed(byte next) {
    switch (part) {
      case HANDSHAKE -> {
        keep(next);
        shakeHands();
      }
      case HEAD -> {
        if (count == 0) {
          headBytes = headBytes(next);
        }
        keep(next);
        if (count == headBytes) {
          head(ByteBuffer.wrap(take()));
        }
      }
      case WRITE_BYTES -> write(next);
      case GOODBYE_TEXT -> {
        keep(next);
        left--;
        endOfText();
      }
      case NOTHING -> throw new AssertionError("nothing is read after the end");
    }
  }

  private void keep(byte next) {
    if (count == here.length) {
      here = Arrays.copyOf(here, 2 * count);
    }
    here[count++] = next;
  }

  private byte[] take() {
    byte[] taken = Arrays.copyOf(here, count);
    count = 0;
    return taken;
  }

  private void shakeHands() {
    switch (FuzzHandshake.judgeHello(here, count, nic.id)) {
      case FuzzHandshake.Verdict.More() -> {}
      case FuzzHandshake.Verdict.Refused(int code) -> {
        refusal = code;
        end(code);
      }
      case FuzzHandshake.Verdict.Greeted(EngineId who, int index) -> {
        origin = who;
        nicIndex = index;
        greeted = true;
        number = ByteBuffer.wrap(here).getLong(NONCE_AT);
        count = 0;
        part = Part.HEAD;
        nic.began(this);
      }
      default -> throw new AssertionError("no verdict about a hello");
    }
  }

  /** 0 if no frame of an origin begins like this. */
  private int headBytes(byte type) {
    return switch (type) {
      case 1 -> 38;
      case 3 -> 5;
      case 7 -> 9;
      default -> {
        violated();
        yield 0;
      }
    };
  }

  private void head(ByteBuffer in) {
    switch (in.get()) {
      case 1 -> writeHead(in);
      case 7 -> nic.isOver(origin, in.getLong());
      default -> {
        goodbyeCode = Short.toUnsignedInt(in.getShort());
        int length = Short.toUnsignedInt(in.getShort());
        if (length > MAX_TEXT_BYTES) {
          violated();
        } else {
          part = Part.GOODBYE_TEXT;
          left = length;
          endOfText();
        }
      }
    }
  }

  private void endOfText() {
    if (left == 0) {
      end(goodbyeCode);
    }
  }

  private void writeHead(ByteBuffer in) {
    int flags = in.get();
    imm = in.getInt();
    MemoryKey key = new MemoryKey(in.getLong(), in.getLong());
    long offset = in.getLong();
    left = in.getLong();
    if ((flags & ~1) != 0 || (flags == 0 && imm != 0) || left < 0 || left > MAX_WRITE_BYTES) {
      violated();
      return;
    }
    hasImm = flags == 1;
    grant = nic.find(key);
    if (grant == null) {
      failure = ErrorCode.UNKNOWN_KEY.value;
    } else if (!grant.region.remote()) {
      failure = ErrorCode.ACCESS.value;
    } else if (offset < 0 || offset > grant.region.length() - left) {
      failure = ErrorCode.BOUNDS.value;
    } else {
      failure = 0;
      position = grant.region.at() + (int) offset;
    }
    part = Part.WRITE_BYTES;
    endOfWrite();
  }

  private void write(byte next) {
    requireOpen();
    if (failure == 0) {
      nic.ground.put(position++, next);
    }
    left--;
    endOfWrite();
  }

  private void endOfWrite() {
    if (left == 0) {
      requireOpen();
      nic.written(this, grant, hasImm, imm, failure);
      part = Part.HEAD;
    }
  }

  private void requireOpen() {
    if (failure == 0 && !grant.open) {
      failure = ErrorCode.REVOKED.value;
    }
  }

  private void violated() {
    goodbye = ErrorCode.PROTOCOL.value;
    end(ErrorCode.PROTOCOL.value);
  }
}
