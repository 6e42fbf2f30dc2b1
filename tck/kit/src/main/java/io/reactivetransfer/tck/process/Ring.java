package io.reactivetransfer.tck.process;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Records from one thread to one other, which may be in another process; nobody ever waits. */
final class Ring {

  /** What one takes of the shared memory. */
  static final long BYTES = 1 << 18;

  /** The longest record. */
  static final int MAX_RECORD_BYTES = 1 << 15;

  private static final long TAKEN_AT = 0;
  private static final long GIVEN_AT = 64;
  private static final long HEADER = 128;
  private static final long CAPACITY = BYTES - HEADER;
  private static final int GO_TO_START = -1;
  private static final VarHandle POSITION = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment memory;

  Ring(MemorySegment memory) {
    this.memory = memory;
  }

  /** Makes it empty, while nobody uses it. */
  void clear() {
    memory.asSlice(0, HEADER).fill((byte) 0);
  }

  /** Gives a record, the remaining bytes; false if there is no room now. */
  boolean offer(ByteBuffer bytes) {
    int length = bytes.remaining();
    long taken = (long) POSITION.getAcquire(memory, TAKEN_AT);
    long given = (long) POSITION.get(memory, GIVEN_AT);
    long left = CAPACITY - given % CAPACITY;
    long needed = sizeOf(length);
    long skipped = left < needed ? left : 0;
    if (given + skipped + needed - taken > CAPACITY) {
      return false;
    }
    if (skipped > 0) {
      memory.set(ValueLayout.JAVA_INT, at(given), GO_TO_START);
      given += skipped;
    }
    memory.set(ValueLayout.JAVA_INT, at(given), length);
    MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, memory, at(given) + Integer.BYTES, length);
    POSITION.setRelease(memory, GIVEN_AT, given + needed);
    return true;
  }

  /** Takes a record out; null if there is none. */
  @Nullable ByteBuffer poll() {
    long taken = (long) POSITION.get(memory, TAKEN_AT);
    if (taken == (long) POSITION.getAcquire(memory, GIVEN_AT)) {
      return null;
    }
    int length = memory.get(ValueLayout.JAVA_INT, at(taken));
    if (length == GO_TO_START) {
      taken += CAPACITY - taken % CAPACITY;
      length = memory.get(ValueLayout.JAVA_INT, at(taken));
    }
    byte[] bytes = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at(taken) + Integer.BYTES, bytes, 0, length);
    POSITION.setRelease(memory, TAKEN_AT, taken + sizeOf(length));
    return ByteBuffer.wrap(bytes);
  }

  private static long at(long position) {
    return HEADER + position % CAPACITY;
  }

  /** A multiple of the size of a length, so that there is always room for one at the end. */
  private static long sizeOf(int length) {
    return (Integer.BYTES + length + 7L) & ~7L;
  }
}
