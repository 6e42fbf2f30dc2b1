package io.reactivetransfer.moe;

import io.reactivetransfer.ImmCounter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The words that say how many steps' tokens and results have come, and batches are complete. */
final class Flags {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final int TOKENS = 0;
  private static final int RESULTS = 1;
  private static final int BATCH = 2;
  private static final int PER_LANE = 3;

  private final @Nullable MemorySegment words;

  /**
   * Where they lie.
   *
   * @throws IllegalArgumentException if there are too few
   */
  Flags(@Nullable MemorySegment words, int lanes) {
    this.words = words;
    requireRoom(words, lanes);
  }

  /** How many bytes they take. */
  static long bytes(int lanes) {
    return (long) lanes * PER_LANE * Long.BYTES;
  }

  static void requireRoom(@Nullable MemorySegment words, int lanes) {
    long bytes = bytes(lanes);
    if (words != null) {
      Freed.require("arrival flags", words);
    }
    if (words != null && words.byteSize() < bytes) {
      throw new IllegalArgumentException(
          "expected arrival flags of "
              + bytes
              + " bytes for "
              + lanes
              + " lanes, got "
              + words.byteSize());
    }
  }

  /** The counter that raises the word which is for that, if there is one. */
  ImmCounter raising(ImmCounter counter, int lane, int what) {
    MemorySegment all = words;
    if (all == null || what == Ranks.ROWS) {
      return counter;
    }
    long at = at(lane, what == Ranks.TOKENS ? TOKENS : RESULTS);
    return counter.raising(all.asSlice(at, Long.BYTES));
  }

  private static long at(int lane, int word) {
    return ((long) lane * PER_LANE + word) * Long.BYTES;
  }

  /** All tokens of a step are with the experts of this rank, or the step is refused. In a turn. */
  void batchIsThere(int lane) {
    MemorySegment all = words;
    if (all == null) {
      return;
    }
    long at = at(lane, BATCH);
    long before = (long) WORD.getAcquire(all, at);
    while (before != Long.MAX_VALUE && !WORD.compareAndSet(all, at, before, before + 1)) {
      before = (long) WORD.getAcquire(all, at); // it was released meanwhile
    }
  }

  /** Nothing has come yet, whatever an epoch before this one has left there. Before any claim. */
  void begin(int lanes) {
    MemorySegment all = words;
    if (all != null) {
      for (int i = 0; i < lanes * PER_LANE; i++) {
        WORD.setRelease(all, (long) i * Long.BYTES, 0L);
      }
    }
  }

  /** Nothing comes any more: whoever waits for a number goes on. After all claims were dropped. */
  void release(Group group) {
    MemorySegment all = words;
    if (all == null) {
      return;
    }
    Runnable open = () -> open(all, group.shape.lanes());
    try {
      // Behind the claims that are dropped on that thread, none of which raises a word after it.
      group.engine.executor().execute(open);
    } catch (RejectedExecutionException closed) {
      open.run();
    }
  }

  private static void open(MemorySegment all, int lanes) {
    try {
      for (int i = 0; i < lanes * PER_LANE; i++) {
        WORD.setRelease(all, (long) i * Long.BYTES, Long.MAX_VALUE);
      }
    } catch (IllegalStateException freed) {
      // Nobody can wait in memory that is gone.
    }
  }
}
