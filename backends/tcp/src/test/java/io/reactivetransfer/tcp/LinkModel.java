package io.reactivetransfer.tcp;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a NIC must make of each byte that the other side sends on one connection, and what it must
 * say itself; told by docs/wire-format.md alone, one byte at a time.
 */
final class LinkModel {

  /** In a hello, behind its head, two ids and an index. */
  private static final int NONCE_AT = 41;

  private static final int MAX_TEXT_BYTES = 512;
  private static final long MAX_WRITE_BYTES = 268_435_456;
  private static final long FIRST_PART_BYTES = 65_536;
  private static final int MAX_ROWS = 4_096;

  private enum Part {
    HANDSHAKE,
    HEAD,
    WRITE_BYTES,
    NACK_TEXT,
    GOODBYE_TEXT,
    NOTHING
  }

  /**
   * A write that was taken over.
   *
   * @param place how many of this NIC's writes must have been sent so that its source is free
   */
  private record Write(long token, int place) {}

  private final NicModel nic;
  private final boolean dialled;
  private Part part = Part.HANDSHAKE;
  private EngineId engine;
  private int nicIndex;
  private long number;
  private boolean greeted;

  /** What the present part is made of, as far as it is here. */
  private byte[] here = new byte[64];

  private int count;
  private int headBytes;
  private long left;
  private int code;
  private long refusedNumber;

  // The write that is coming in.
  private NicModel.Grant grant;
  private boolean hasImm;
  private int imm;
  private long writeBytes;
  private int position;
  private long rowLength;
  private long rowLeft;
  private long stride;
  private int failure;

  /** What comes of it in parts that have not begun. */
  private long rest;

  // What this side has posted.
  private final ArrayDeque<Write> writes = new ArrayDeque<>();
  private final List<byte[]> posted = new ArrayList<>();
  private int postedWrites;
  private long settledHere;
  private int sentWrites;

  /** What the other side must be told: a refusal's code, 0 for none. */
  private int refusal;

  /** The code of the goodbye that it must be told, 0 for none. */
  private int goodbye;

  /** For each write that was settled while it was open: 0, or the code of the NACK. */
  private final List<Integer> settled = new ArrayList<>();

  private LinkModel(NicModel nic, boolean dialled) {
    this.nic = nic;
    this.dialled = dialled;
  }

  /** Somebody connects to the NIC. */
  static LinkModel accepted(NicModel nic) {
    return new LinkModel(nic, false);
  }

  /** It connects to a NIC of that engine. */
  static LinkModel dialled(NicModel nic, EngineId target, int index) {
    LinkModel link = new LinkModel(nic, true);
    link.engine = target;
    link.nicIndex = index;
    link.number = FuzzHandshake.HALF_A_NONCE.high();
    return link;
  }

  boolean isDialled() {
    return dialled;
  }

  /** What it must say first, if it was not dialled. */
  byte[] hello() {
    return FuzzHandshake.hello(nic.id, engine, 0);
  }

  EngineId engine() {
    return engine;
  }

  /** The number of the other side's NIC. */
  int nicIndex() {
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
    return part == Part.HEAD && count == 0 && rest == 0;
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

  /** Of the other side's writes. */
  List<Integer> settled() {
    return settled;
  }

  /** Its own writes, and what it had to say of other connections. */
  List<byte[]> posted() {
    return posted;
  }

  /** How many of its own writes the other side has settled. */
  long settledHere() {
    return settledHere;
  }

  int inFlight() {
    return writes.size();
  }

  /** What names it to both sides. */
  long number() {
    return number;
  }

  void settle(int why) {
    if (isOpen()) {
      settled.add(why);
    }
  }

  /**
   * It writes.
   *
   * @param copied whether its source is free at once, whatever the target claims
   */
  void posted(long token, byte[] frame, boolean copied) {
    posted.add(frame);
    postedWrites++;
    writes.add(new Write(token, copied ? 0 : postedWrites));
  }

  /** The other side is told that another connection is over. */
  void saidOver(long other) {
    posted.add(FuzzHandshake.bytes(Wire.putOver(Unpooled.buffer(), other)));
  }

  void end(int why) {
    if (isEnded()) {
      return;
    }
    part = Part.NOTHING;
    if (!greeted && !dialled) {
      return;
    }
    nic.ended(this);
    boolean isOurs = dialled || postedWrites > 0;
    if (isOurs && why != ErrorCode.CLOSED.value) {
      nic.broke(engine, number);
    }
    if (nic.path(engine, nicIndex).isLostWith(this, isOurs)) {
      nic.report(new NicModel.Lost(engine, why));
    }
    writes.forEach(write -> nic.report(new NicModel.Failed(write.token(), why)));
    writes.clear();
    nic.path(engine, nicIndex).ended(this);
  }

  /** The time for the handshake is over. */
  void outOfTime() {
    if (part == Part.HANDSHAKE && !dialled) {
      end(ErrorCode.TIMEOUT.value);
    }
  }

  /**
   * The other side has sent these bytes.
   *
   * @param sentBefore how many of its own writes were sent by then
   */
  void feed(byte[] bytes, int from, int to, int sentBefore) {
    sentWrites = sentBefore;
    for (int i = from; i < to && !isEnded(); i++) {
      feed(bytes[i]);
    }
  }

  private void feed(byte next) {
    if (part == Part.WRITE_BYTES) {
      write(next);
      return;
    }
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
      case WRITE_BYTES, NOTHING -> {}
    }
  }

  private void shakeHands() {
    switch (dialled
        ? FuzzHandshake.judgeAnswer(here, count, engine)
        : FuzzHandshake.judgeHello(here, count, nic.id)) {
      case FuzzHandshake.Verdict.More() -> {}
      case FuzzHandshake.Verdict.Refused(int why) -> {
        refusal = dialled ? 0 : why;
        end(why);
      }
      case FuzzHandshake.Verdict.Violated(int why) -> violated(why);
      case FuzzHandshake.Verdict.Welcomed() -> greeted();
      case FuzzHandshake.Verdict.Greeted(EngineId who, int index) -> {
        engine = who;
        nicIndex = index;
        number = ByteBuffer.wrap(here).getLong(NONCE_AT);
        greeted();
      }
    }
  }

  private void greeted() {
    greeted = true;
    count = 0;
    part = Part.HEAD;
    nic.began(this);
  }

  /** 0 if no frame begins like this. */
  private int headBytes(byte type) {
    return switch (type) {
      case 1 -> 38;
      case 3, 8 -> 5;
      case 4, 7 -> 9;
      case 5 -> 13;
      case 9 -> 50;
      default -> {
        violated(ErrorCode.PROTOCOL.value);
        yield 0;
      }
    };
  }

  private void head(ByteBuffer in) {
    switch (in.get()) {
      case 1 -> writeHead(in, false);
      case 9 -> writeHead(in, true);
      case 4 -> acknowledged(in.getLong());
      case 5 -> {
        refusedNumber = in.getLong();
        text(Part.NACK_TEXT, in);
      }
      case 7 -> nic.isOver(engine, in.getLong());
      case 8 -> more(in.getInt());
      default -> text(Part.GOODBYE_TEXT, in);
    }
  }

  private void text(Part next, ByteBuffer in) {
    code = Short.toUnsignedInt(in.getShort());
    left = Short.toUnsignedInt(in.getShort());
    if (left > MAX_TEXT_BYTES) {
      violated(ErrorCode.PROTOCOL.value);
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
    if (refusedNumber != settledHere + 1 || !isNextSent()) {
      violated(ErrorCode.PROTOCOL.value);
    } else {
      settledHere++;
      nic.report(new NicModel.Failed(writes.remove().token(), code));
    }
  }

  private void acknowledged(long upTo) {
    if (upTo < 0 || upTo > settledHere + writes.size()) {
      violated(ErrorCode.PROTOCOL.value);
      return;
    }
    while (settledHere < upTo) {
      if (!isNextSent()) {
        violated(ErrorCode.PROTOCOL.value);
        return;
      }
      settledHere++;
      nic.report(new NicModel.Written(writes.remove().token()));
    }
  }

  private boolean isNextSent() {
    return !writes.isEmpty() && writes.element().place() <= sentWrites;
  }

  private void writeHead(ByteBuffer in, boolean inRows) {
    int flags = in.get();
    imm = in.getInt();
    MemoryKey key = new MemoryKey(in.getLong(), in.getLong());
    long offset = in.getLong();
    left = in.getLong();
    if (rest > 0
        || (flags & ~1) != 0
        || (flags == 0 && imm != 0)
        || left < 0
        || left > MAX_WRITE_BYTES) {
      violated(ErrorCode.PROTOCOL.value);
      return;
    }
    hasImm = flags == 1;
    BigInteger extent = BigInteger.valueOf(left);
    writeBytes = left;
    rowLength = left;
    stride = left;
    if (inRows) {
      int rows = in.getInt();
      stride = in.getLong();
      if (rows < 2 || rows > MAX_ROWS || left == 0 || left % rows != 0 || stride < left / rows) {
        violated(ErrorCode.PROTOCOL.value);
        return;
      }
      rowLength = left / rows;
      extent =
          BigInteger.valueOf(stride)
              .multiply(BigInteger.valueOf(rows - 1))
              .add(BigInteger.valueOf(rowLength));
    }
    rowLeft = rowLength;
    grant = nic.find(key);
    if (grant == null) {
      failure = ErrorCode.UNKNOWN_KEY.value;
    } else if (!grant.region.remote()) {
      failure = ErrorCode.ACCESS.value;
    } else if (offset < 0
        || extent.add(BigInteger.valueOf(offset)).compareTo(lengthOf(grant)) > 0) {
      failure = ErrorCode.BOUNDS.value;
    } else {
      failure = 0;
      position = grant.region.at() + (int) offset;
    }
    part = Part.WRITE_BYTES;
    rest = Math.max(0, left - FIRST_PART_BYTES);
    left -= rest;
    endOfPart();
  }

  private static BigInteger lengthOf(NicModel.Grant grant) {
    return BigInteger.valueOf(grant.region.length());
  }

  private void more(int length) {
    if (length == 0 && rest > 0) {
      requireOpen();
      failure = failure == 0 ? ErrorCode.MEMORY_GONE.value : failure;
      rest = 0;
      endOfPart();
      return;
    }
    if (length < 1 || length > rest) {
      violated(ErrorCode.PROTOCOL.value);
      return;
    }
    part = Part.WRITE_BYTES;
    left = length;
    rest -= length;
  }

  private void write(byte next) {
    requireOpen();
    if (failure == 0) {
      nic.ground.put(position++, next);
      if (--rowLeft == 0) {
        position += (int) (stride - rowLength);
        rowLeft = rowLength;
      }
    }
    left--;
    endOfPart();
  }

  private void endOfPart() {
    if (left > 0) {
      return;
    }
    if (rest == 0) {
      requireOpen();
      nic.written(this, grant, hasImm, imm, writeBytes, failure);
    }
    part = Part.HEAD;
  }

  private void requireOpen() {
    if (failure == 0 && !grant.open) {
      failure = ErrorCode.REVOKED.value;
    }
  }

  private void violated(int why) {
    goodbye = why;
    end(why);
  }
}
