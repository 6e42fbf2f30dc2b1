package com.example.mydevice;

import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Stands for the library of who makes the accelerator: one bank of memory, given out in pages. */
final class MyDriver {

  private static final int PAGE = 4_096;
  private static final int PAGES = 16_384;

  /** So the addresses of the device are none of this process. */
  private static final long BASE = 0x0100_0000_0000_0000L;

  private static final MemorySegment BANK =
      Arena.global().allocate((long) PAGES * PAGE, Long.BYTES);

  private static final boolean[] TAKEN = new boolean[PAGES];

  private MyDriver() {}

  private static int pages(long bytes) {
    return (int) Math.ceilDiv(bytes, (long) PAGE);
  }

  /** Returns the device address of the first byte. */
  static synchronized long allocate(long bytes) {
    int run = 0;
    for (int page = 0; page < PAGES; page++) {
      run = TAKEN[page] ? 0 : run + 1;
      if (run == pages(bytes)) {
        int first = page + 1 - run;
        Arrays.fill(TAKEN, first, page + 1, true);
        return BASE + (long) first * PAGE;
      }
    }
    throw new IllegalStateException("expected room for " + bytes + " bytes, got none");
  }

  static synchronized void free(long address, long bytes) {
    int first = (int) ((address - BASE) / PAGE);
    Arrays.fill(TAKEN, first, first + pages(bytes), false);
  }

  /** Where a range is within the bank. */
  private static long place(long address, long bytes) {
    long begin = address - BASE;
    for (long page = begin / PAGE; page * PAGE < begin + bytes; page++) {
      if (page < 0 || page >= PAGES || !TAKEN[(int) page]) {
        throw new BackendException(
            1,
            "expected memory of the device, got 0x"
                + Long.toHexString(address)
                + "; was it freed?");
      }
    }
    return begin;
  }

  static synchronized void read(long address, MemorySegment to, long at, long bytes) {
    MemorySegment.copy(BANK, place(address, bytes), to, at, bytes);
  }

  static synchronized void write(MemorySegment from, long at, long address, long bytes) {
    MemorySegment.copy(from, at, BANK, place(address, bytes), bytes);
  }

  static synchronized long word(long address) {
    return BANK.get(ValueLayout.JAVA_LONG, place(address, Long.BYTES));
  }
}
