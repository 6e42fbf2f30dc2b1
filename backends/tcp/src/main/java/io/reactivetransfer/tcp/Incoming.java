package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.FrameReader;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The write that is coming in on one connection: where its bytes go, and whether they may. What
 * becomes of it is an event for the next poll, so that one whose memory is revoked before then is
 * still refused, and so that an engine that does not poll does not acknowledge.
 */
final class Incoming {

  /** Less than this is cheaper to copy out of a buffer that holds more than one write. */
  private static final int MIN_DIRECT_BYTES = 64 << 10;

  /** So many for one write: the accelerator empties the first while the last one is filled. */
  private static final int MOST_STAGED = 4;

  /** So that others have their turn. */
  private static final int MAX_DIRECT_BYTES = 1 << 20;

  private final Link link;
  private final TcpDomain domain;
  private final FrameReader reader;
  private final CopyTurn turn;
  private @Nullable TcpMemory memory;
  private @Nullable Failure refusal;
  private boolean hasImm;
  private int imm;

  /** How long it is, in all its rows. */
  private long writeBytes;

  private long position;

  /** What is left of the row that is coming in; of most writes, that is all there is. */
  private long rowLeft;

  private long rowLength;

  /** From the end of a row to the beginning of the next one. */
  private long gap;

  /** How much of it comes in parts that have not begun. */
  private long rest;

  /** Whether the last write was long: then the next one may be, too. */
  private boolean wasLong;

  /** What the socket was last told to read into, if it is the memory of that write. */
  private @Nullable ByteBuf direct;

  /** The buffers from which that write is being stored in memory of an accelerator. */
  private @Nullable Staged firstStaged;

  private @Nullable Staged lastStaged;
  private int countStaged;

  /** The only buffer of the write before, which that may still use: a short one has room in it. */
  private @Nullable Staged before;

  private long useOfBefore;

  Incoming(Link link, TcpDomain domain, FrameReader reader, CopyTurn turn) {
    this.link = link;
    this.domain = domain;
    this.reader = reader;
    this.turn = turn;
  }

  /** The rest of the head of a write, which may be one in rows. */
  void head(ByteBuffer head, boolean inRows) {
    if (rest > 0) {
      throw new ProtocolException(
          "expected the other " + rest + " bytes of a write, got another write");
    }
    int flags = head.get();
    if ((flags & ~Wire.HAS_IMM) != 0) {
      throw new ProtocolException("expected a write with flags 0 or 1, got " + (flags & 0xff));
    }
    hasImm = (flags & Wire.HAS_IMM) != 0;
    imm = head.getInt();
    if (!hasImm && imm != 0) {
      throw new ProtocolException(
          "expected 0 as immediate of a write with flags 0, got " + Integer.toUnsignedString(imm));
    }
    memory = domain.registrations().find(head.getLong(), head.getLong());
    position = head.getLong();
    long length = head.getLong();
    if (length < 0 || length > Wire.MAX_WRITE_BYTES) {
      throw new ProtocolException(
          "expected a write of at most "
              + Wire.MAX_WRITE_BYTES
              + " bytes, got "
              + Long.toUnsignedString(length));
    }
    writeBytes = length;
    rowLength = length;
    gap = 0;
    long extent = inRows ? rows(head, length) : length;
    rowLeft = rowLength;
    refusal = Registrations.refusal(memory, position, extent);
    wasLong = rowLength >= MIN_DIRECT_BYTES;
    link.comesIn(length);
    stream(length, Wire.FIRST_PART_BYTES);
  }

  /** How much memory the rows of a write take, with the gaps between them. */
  private long rows(ByteBuffer head, long length) {
    int rows = head.getInt();
    long stride = head.getLong();
    if (rows < 2 || rows > Wire.MAX_ROWS || length == 0 || length % rows != 0) {
      throw new ProtocolException(
          "expected 2 to "
              + Wire.MAX_ROWS
              + " rows into which "
              + length
              + " bytes can be divided, got "
              + Integer.toUnsignedString(rows));
    }
    rowLength = length / rows;
    gap = stride - rowLength;
    if (stride < rowLength) {
      throw new ProtocolException(
          "expected a stride of at least the " + rowLength + " bytes of a row, got " + stride);
    }
    if (gap == 0) {
      rowLength = length; // one row
    }
    return gap > (Long.MAX_VALUE - length) / (rows - 1)
        ? Long.MAX_VALUE
        : (rows - 1) * gap + length;
  }

  /** So much of it has come in. */
  private void advance(int bytes) {
    position += bytes;
    rowLeft -= bytes;
    if (rowLeft == 0) {
      position += gap;
      rowLeft = rowLength;
    }
  }

  /** The next part of it is so long; or its origin gives it up, which is 0. */
  void more(int length) {
    if (length == 0 && rest > 0) {
      refusal = writable() == null ? refusal : givenUp();
      rest = 0;
      reader.stream(0);
      return;
    }
    if (length < 1 || length > rest) {
      throw new ProtocolException(
          "expected a part of a write of at most "
              + rest
              + " bytes, got "
              + Integer.toUnsignedString(length));
    }
    stream(rest, length);
  }

  private void stream(long left, int part) {
    long now = Math.min(left, part);
    rest = left - now;
    reader.stream(now);
  }

  /**
   * What the socket is to read into next: the memory of the write that is coming in; or a buffer
   * for one head, so that what follows it can go straight to its memory; or null for any buffer.
   */
  @Nullable ByteBuf destination() {
    direct = null;
    if (wasLong && reader.isBetweenFrames()) {
      return link.frame(rest > 0 ? Wire.MORE_BYTES : Wire.WRITE_BYTES);
    }
    if (wasLong && reader.headLeft() > 0) {
      return link.frame(reader.headLeft());
    }
    long left = reader.toStream();
    TcpMemory into = left == 0 || rowLeft < MIN_DIRECT_BYTES ? null : writable();
    if (into != null) {
      int most = (int) Math.min(Math.min(left, rowLeft), MAX_DIRECT_BYTES);
      direct = into.isCopied() ? receive(into, most) : into.sink(position, most);
    }
    return direct;
  }

  private @Nullable ByteBuf receive(TcpMemory into, int most) {
    Staged staged = staged(into, Math.min(most, MIN_DIRECT_BYTES));
    return staged == null ? null : staged.receive(most);
  }

  /** A buffer for what is coming in, with so much room; null if there is none. */
  private @Nullable Staged staged(TcpMemory into, int room) {
    Staged last = lastStaged == null ? ofBefore(into) : lastStaged;
    if (last != null && last.room() >= room) {
      return last;
    }
    Staged more = countStaged < MOST_STAGED ? into.stage() : null;
    if (more == null) {
      return oldest();
    }
    countStaged++;
    return append(more);
  }

  /**
   * The buffer of the write before, if all of this one has room behind what is in it: so many short
   * writes take one buffer. Null if there is none.
   */
  private @Nullable Staged ofBefore(TcpMemory into) {
    Staged shared = before;
    before = null;
    if (shared == null
        || !shared.isStillIn(useOfBefore)
        || shared.memory() != into // what fails there is refused, and nothing else
        || shared.failure() != null
        || shared.room() < writeBytes) {
      return null;
    }
    shared.share();
    countStaged = 1;
    return append(shared);
  }

  /** The first buffer of the write, when it is empty, behind the others; null if it has none. */
  private @Nullable Staged oldest() {
    Staged oldest = firstStaged;
    if (oldest == null) {
      return null;
    }
    BackendException failed = oldest.await();
    if (failed != null) {
      refuse(unwritable(failed));
    }
    firstStaged = oldest.next();
    if (firstStaged == null) {
      lastStaged = null;
    }
    oldest.empty();
    return append(oldest);
  }

  private Staged append(Staged more) {
    if (lastStaged == null) {
      firstStaged = more;
    } else {
      lastStaged.link(more);
    }
    lastStaged = more;
    return more;
  }

  private void forgetStaged() {
    before = firstStaged == lastStaged ? firstStaged : null;
    useOfBefore = before == null ? 0 : before.use();
    firstStaged = null;
    lastStaged = null;
    countStaged = 0;
  }

  /** Whether this was read to its place already. */
  @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same bytes
  boolean isThere(ByteBuf in) {
    if (in != direct) {
      return false;
    }
    direct = null;
    int bytes = in.readableBytes();
    TcpMemory into = memory;
    if (into != null && into.isCopied() && lastStaged != null) {
      turn.began();
      try {
        lastStaged.store(position, bytes);
      } catch (BackendException e) {
        refuse(unwritable(e));
      }
    }
    advance(bytes);
    reader.skip(bytes);
    return true;
  }

  /** Takes so many bytes, or fewer if others are to have their turn before more are copied. */
  void streamed(ByteBuf in, int length) {
    TcpMemory into = writable();
    if (into == null) {
      in.skipBytes(length);
      return;
    }
    int end = in.readerIndex() + length;
    try {
      while (in.readerIndex() < end && !(into.isCopied() && turn.isOver())) {
        int bytes = (int) Math.min(rowLeft, end - in.readerIndex());
        Staged staged = into.isCopied() ? staged(into, 1) : null;
        if (staged == null) {
          into.quiet(); // or this would overtake what came before
          into.fill(position, in, bytes);
          waitedIfCopied(into);
        } else {
          bytes = Math.min(bytes, staged.room());
          staged.put(in, bytes);
          turn.began();
          staged.store(position, bytes);
        }
        advance(bytes);
      }
    } catch (IllegalStateException | InternalError e) { // it was freed, or its file was cut off
      refuse(memoryGone());
      in.readerIndex(end);
    } catch (BackendException e) {
      refuse(unwritable(e));
      in.readerIndex(end);
    }
  }

  private void waitedIfCopied(TcpMemory into) {
    if (into.isCopied()) {
      turn.waited();
    }
  }

  /** It does not come in; that it may come yet is said whatever else there is to say. */
  private void refuse(Failure why) {
    if (refusal == null || refusal.code() != ErrorCode.UNKNOWN_END.value) {
      refusal = why;
    }
  }

  /** Where the present write goes, or null if its bytes are to be dropped. */
  private @Nullable TcpMemory writable() {
    if (refusal == null && memory != null && !memory.isOpen()) {
      refusal = revoked();
    }
    if (refusal == null && memory != null && !memory.isAlive()) {
      refusal = memoryGone();
    }
    return refusal == null ? memory : null;
  }

  void streamEnded() {
    if (rest > 0) {
      return;
    }
    TcpMemory into = writable();
    if (into != null) {
      domain.events().landed(link, into, firstStaged, hasImm, imm, writeBytes);
    } else if (refusal != null) {
      BackendException failed = Staged.settle(firstStaged);
      if (failed != null && !failed.isOver()) {
        refuse(unwritable(failed));
      }
      domain.events().add(new Event.Refused(link, refusal));
    }
    forgetStaged();
    memory = null;
    refusal = null;
  }

  /** Nothing more comes in; of what has, nothing is under way any more. */
  void release() {
    var _ = Staged.settle(firstStaged);
    forgetStaged();
  }

  /** An accelerator does not take the bytes, or does not say whether it still does. */
  static Failure unwritable(BackendException reason) {
    ErrorCode code = reason.isOver() ? ErrorCode.MEMORY_GONE : ErrorCode.UNKNOWN_END;
    return code.because("the target could not be written to: " + reason.getMessage());
  }

  static Failure revoked() {
    return ErrorCode.REVOKED.because(
        "the target revoked or deregistered the memory while the write was under way");
  }

  private static Failure givenUp() {
    return ErrorCode.MEMORY_GONE.because(
        "its origin gave it up when a part was sent, because the source could not be read");
  }

  /**
   * Its arena was closed although it is registered: the application's mistake, not the origin's.
   */
  static Failure memoryGone() {
    return ErrorCode.MEMORY_GONE.because(
        "the target's memory was freed although it is registered; close its region first");
  }
}
