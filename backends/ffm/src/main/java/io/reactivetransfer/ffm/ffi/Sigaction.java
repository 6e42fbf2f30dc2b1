package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A {@code struct sigaction} of 64-bit Linux. */
public final class Sigaction {

  // struct sigaction { void (*sa_handler)(int); sigset_t sa_mask; int sa_flags;
  //                    void (*sa_restorer)(void); }, where sigset_t has 1,024 bits
  private static final long FLAGS = 8 + 128;

  /**
   * The C library sets it with each action, and so it appears on a signal that was put back to what
   * the process began with.
   */
  private static final int SA_RESTORER = 0x04000000;

  private static final long BYTES = FLAGS + 8 + 8;

  final MemorySegment struct = Arena.ofAuto().allocate(BYTES, Long.BYTES);

  /** All zero: the default of the system happens. */
  public Sigaction() {}

  /** Address of the handler; 0 for the default, 1 to ignore the signal. */
  public long handler() {
    return struct.get(JAVA_LONG, 0);
  }

  /** A set of bits, such as {@code SA_SIGINFO}, without those of the C library's own. */
  public int flags() {
    return struct.get(JAVA_INT, FLAGS) & ~SA_RESTORER;
  }
}
