package io.reactivetransfer.examples.weights;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Where engines signal. */
enum Signals {
  /** On {@code Schedulers.parallel()}: an engine's default. */
  PARALLEL,
  /** On the NIC's thread, as those of {@code perf} do: saves a hand-over between threads. */
  NIC;

  @Nullable Scheduler scheduler() {
    return this == NIC ? Schedulers.immediate() : null;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
