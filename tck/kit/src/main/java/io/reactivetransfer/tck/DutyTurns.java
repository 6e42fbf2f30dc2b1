package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.NicWait;
import org.jspecify.annotations.Nullable;

/**
 * Turns a NIC as an engine does: until there is nothing to do, and then only when it says that
 * there is. A NIC with a loop says so with the doorbell, one with descriptors by one of them or
 * with the doorbell, and one with neither is turned again and again.
 */
final class DutyTurns implements AutoCloseable {

  /** An engine that waits for descriptors gives a turn after so long anyway. */
  private static final long LONGEST_WAIT_NANOS = 100_000_000;

  private final BareNic nic;
  private final @Nullable NicWait wait;
  private int[] watched = Domain.MUST_BE_POLLED;
  private boolean asleep;
  private boolean idle;
  private long asleepSince;
  private int turns;
  private int unasked;

  /**
   * Of this NIC.
   *
   * @param wait to wait for its descriptors with; null if it has none
   */
  DutyTurns(BareNic nic, @Nullable NicWait wait) {
    this.nic = nic;
    this.wait = wait;
  }

  /** Whether there was nothing to do in its last turn. */
  boolean isIdle() {
    return idle;
  }

  /** Whether it has nothing to do, and is turned when it says so. */
  boolean isAsleep() {
    return asleep;
  }

  /** How many turns it was given. */
  int turns() {
    return turns;
  }

  /** How many of them because it had said nothing for long. */
  int unasked() {
    return unasked;
  }

  /** Something was asked of the NIC; then an engine turns it. */
  void wake() {
    asleep = false;
  }

  /** Turns it once, if it is awake or says that there is something to do. */
  boolean turn() {
    if (asleep && !isTold()) {
      return false;
    }
    if (pollsNothing()) {
      fallAsleep();
    }
    return true;
  }

  /** Turns it once; whether it had nothing to do. */
  boolean pollsNothing() {
    asleep = false;
    idle = false;
    nic.wasRung(); // a ring asks for the turn that begins now
    turns++;
    return nic.turn() == 0;
  }

  /** After a turn with nothing to do: from now on it is turned when it says so. */
  void fallAsleep() {
    asleep = nic.hasLoop() || mayWait();
    idle = true;
    asleepSince = System.nanoTime();
  }

  @SuppressWarnings("ReferenceEquality") // other descriptors come in another array
  static boolean isSame(int[] one, int[] other) {
    return one == other;
  }

  private boolean mayWait() {
    NicWait waiter = wait;
    return waiter != null
        && nic.call(domain -> {
          int[] descriptors = domain.waitDescriptors();
          if (descriptors.length == 0) {
            return false;
          }
          if (!isSame(descriptors, watched)) {
            waiter.watch(descriptors);
            watched = descriptors;
          }
          return domain.prepareWait();
        });
  }

  /** Whether the NIC says that there is something to do. */
  private boolean isTold() {
    if (nic.wasRung() || isReadable(0)) {
      return true;
    }
    boolean late = wait != null && System.nanoTime() - asleepSince > LONGEST_WAIT_NANOS;
    unasked += late ? 1 : 0;
    return late;
  }

  /** Whether a descriptor becomes readable within so many nanoseconds. */
  boolean isReadable(long nanos) {
    NicWait waiter = wait;
    return waiter != null && nic.call(domain -> waiter.await(nanos));
  }

  @Override
  public void close() {
    NicWait waiter = wait;
    if (waiter != null) {
      nic.call(domain -> {
        waiter.close();
        return true;
      });
    }
  }
}
