package io.reactivetransfer.examples.moe;

import java.util.Locale;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Where engines signal, and where a group copies and sums up. */
enum Signals {
  /** On {@code Schedulers.parallel()}: the default of both. */
  PARALLEL,
  /** On the NIC's thread: saves hand-overs between threads, and holds the NIC up meanwhile. */
  NIC;

  Scheduler scheduler() {
    return this == NIC ? Schedulers.immediate() : Schedulers.parallel();
  }

  /**
   * The same for a group. Whoever wants to work on the NIC's thread must say so with {@code
   * Schedulers.immediate()} itself, so that nothing is counted there.
   */
  Scheduler ofGroup(WorkScheduler counting) {
    return this == NIC ? scheduler() : counting;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
