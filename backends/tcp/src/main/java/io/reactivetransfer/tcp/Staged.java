package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.StagingBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A staging buffer in use: a part of a write that goes out, or pieces of one that comes in. */
final class Staged {

  private final Staging home;
  private final StagingBuffer buffer;
  private final ByteBuffer bytes;
  private final MemoryView sent;
  private final MemoryView received;
  private @Nullable TcpMemory memory;
  private int index;
  private int used;

  /** How many bytes are to be fetched. */
  private int expected;

  /** How often it was taken into use, and by how many writes it is used now. */
  private long uses;

  private int users;
  private @Nullable BackendException failure;
  private boolean isBroken;

  /** The next one of the same write. */
  private @Nullable Staged next;

  Staged(Staging home, StagingBuffer buffer) {
    this.home = home;
    this.buffer = buffer;
    this.bytes = buffer.memory().asByteBuffer();
    this.sent = new MemoryView(_ -> letGo(), bytes, null);
    this.received = new MemoryView(_ -> {}, bytes, null);
  }

  /** It is for this memory now, the one with this index of those in use. */
  void begin(TcpMemory what, int number) {
    memory = what;
    index = number;
    used = 0;
    users = 1;
    uses++;
    next = null;
  }

  /** Tells one use from those before and after it. */
  long use() {
    return uses;
  }

  /** Whether that use goes on. */
  boolean isStillIn(long use) {
    return users > 0 && uses == use;
  }

  /** Another write uses the room behind what it has. */
  void share() {
    users++;
  }

  private void letGo() {
    users--;
    if (users == 0) {
      home.give(this);
    }
  }

  TcpMemory memory() {
    if (memory == null) {
      throw new IllegalStateException("expected a buffer in use");
    }
    return memory;
  }

  int index() {
    return index;
  }

  void moveTo(int number) {
    index = number;
  }

  /** Why a copy has failed, if that is known. */
  @Nullable BackendException failure() {
    return failure;
  }

  /** How many bytes were put in, or are to be. */
  int used() {
    return used;
  }

  int room() {
    return Staging.BYTES - used;
  }

  /** So many bytes are to be fetched, by one call or several. */
  void expect(int length) {
    expected = length;
  }

  /** How many of those were not asked for. */
  int missing() {
    return expected - used;
  }

  /** Begins to fetch bytes, behind those that it has; a refusal shows when they are waited for. */
  void fetch(long offset, int length) {
    try {
      if (failure == null && length > 0) {
        buffer.fetch(memory().deviceMemory(), offset, used, length);
      }
    } catch (BackendException e) {
      failure = e;
    }
    used += length;
  }

  /** An empty view of the room behind what it has, for a socket to read into. */
  ByteBuf receive(int most) {
    return received.empty(used, Math.min(most, room()));
  }

  /** Takes bytes in, behind those that it has; {@link #store} is next. */
  void put(ByteBuf in, int length) {
    int from = in.readerIndex();
    ByteBuffer source =
        in.nioBufferCount() == 1 ? in.internalNioBuffer(from, length) : in.nioBuffer(from, length);
    bytes.clear().position(used).put(source);
    in.readerIndex(from + length);
  }

  /**
   * Begins to store the bytes behind those that it had.
   *
   * @throws BackendException if that is refused at once; the other writes that use this go on
   */
  void store(long offset, int length) {
    if (failure == null && length > 0) {
      buffer.store(used, memory().deviceMemory(), offset, length);
    }
    used += length;
  }

  /**
   * Waits for all that was begun, also if more was refused; returns why it has failed, or null. If
   * nobody knows whether that is over, it says so, and its memory remembers it.
   */
  @Nullable BackendException await() {
    if (!isBroken) {
      try {
        buffer.await();
      } catch (BackendException e) {
        isBroken = true; // it is of no use any more
        if (!buffer.isOver()) {
          failure = BackendException.ofUnknownEnd(e.code(), String.valueOf(e.getMessage()), e);
          memory().doubt(failure);
        }
        failure = failure == null ? e : failure;
      }
    }
    return failure;
  }

  /** Makes room: what it had was waited for. */
  void empty() {
    used = 0;
    next = null;
  }

  /** All that was fetched, to be sent; it gives itself back when that is released. */
  ByteBuf send() {
    MemoryView all = sent.empty(0, used);
    all.writerIndex(used);
    return all;
  }

  /** Puts another one behind it. */
  void link(Staged behind) {
    next = behind;
  }

  @Nullable Staged next() {
    return next;
  }

  /** Waits for it, and gives it back. */
  void drop() {
    await();
    letGo();
  }

  /**
   * Waits for this and all behind it, and gives them back, unless another write uses one, too.
   *
   * @return why one of them has failed, or null; if nobody knows whether one is over, that
   */
  static @Nullable BackendException settle(@Nullable Staged first) {
    BackendException why = null;
    for (Staged each = first; each != null; ) {
      Staged behind = each.next;
      BackendException failed = each.await();
      why = why == null || (failed != null && !failed.isOver()) ? failed : why;
      each.letGo();
      each = behind;
    }
    return why;
  }

  /** Of no more use. */
  void close() {
    try {
      buffer.close();
    } catch (BackendException e) {
      // The access keeps it, or has lost it; a write that needed it has failed for that.
    }
  }
}
