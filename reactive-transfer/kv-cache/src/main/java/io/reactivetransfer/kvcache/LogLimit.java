package io.reactivetransfer.kvcache;

import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;

/**
 * Warns of what others can make happen as often as they like, without filling the log: so many
 * lines at a time, and how many were left out. Safe from any thread.
 */
final class LogLimit {

  /** Lines that are written within a {@link #PERIOD}; it begins with the first of them. */
  static final int LINES = 8;

  static final Duration PERIOD = Duration.ofSeconds(10);

  private final BiConsumer<String, @Nullable Throwable> log;
  private final LongSupplier nanos;

  /** Guarded by this, like the next ones. */
  private long begun;

  private int written;
  private long leftOut;

  /** For one log, by a clock that never jumps. */
  LogLimit(Logger log) {
    this((text, cause) -> warn(log, text, cause), System::nanoTime);
  }

  /** A logger would write of a cause that is not there, too. */
  private static void warn(Logger log, String text, @Nullable Throwable cause) {
    if (cause == null) {
      log.warn(text);
    } else {
      log.warn(text, cause);
    }
  }

  LogLimit(BiConsumer<String, @Nullable Throwable> log, LongSupplier nanos) {
    this.log = log;
    this.nanos = nanos;
  }

  /** The same without a cause. */
  void warn(Supplier<String> text) {
    warn(text, null);
  }

  /**
   * Writes a line, or counts it.
   *
   * @param text asked only if it is written; what it throws is dropped
   * @param cause whose stack is written, too; null for none
   */
  void warn(Supplier<String> text, @Nullable Throwable cause) {
    Bulkhead.said(() -> {
      String more = more();
      if (more != null) {
        log.accept(text.get() + more, cause);
      }
    });
  }

  /** What is said behind this line; null if the line is left out. */
  private synchronized @Nullable String more() {
    long now = nanos.getAsLong();
    if (written == 0 || now - begun >= PERIOD.toNanos()) {
      begun = now;
      written = 0;
    }
    if (written == LINES) {
      leftOut++;
      return null;
    }
    written++;
    String more = leftOut == 0 ? "" : " (" + leftOut + " lines like this were left out before)";
    leftOut = 0;
    return written < LINES
        ? more
        : more + "; more lines like this are left out for up to " + PERIOD.toSeconds() + " s";
  }
}
