package io.reactivetransfer.engine.base;

import io.reactivetransfer.Nic;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;

/** What is to be done when what the NICs have found by now was taken note of. */
public final class AfterPoll implements Executor {

  /**
   * No NIC holds back more than this for one origin, for none has more writes out over one NIC. One
   * that has reported as much has reported what had come before, though it is never idle.
   */
  private static final int BACKLOG = 1 << 16;

  /** So many polls suffice for that, if a NIC reports 16 in each; own writes keep it busy, too. */
  private static final int POLLS = 1 << 12;

  /** What is to be done, and what had been polled and reported when that was asked for. */
  private static final class Waiter {
    private final Runnable action;
    private final long round;
    private final long[] reported;

    Waiter(Runnable action, long round, long[] reported) {
      this.action = action;
      this.round = round;
      this.reported = reported.clone();
    }
  }

  private final IntSupplier nics;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** Those that wait for more than one poll, in the order in which they came. */
  private final ArrayDeque<Waiter> behindBacklog = new ArrayDeque<>();

  /** How often all NICs were polled. */
  private long round;

  /** What each NIC has reported so far, and in which round it last had nothing to report. */
  private final long[] reported = new long[Nic.MAX_PER_ENGINE];

  private final long[] idleIn = new long[Nic.MAX_PER_ENGINE];

  /**
   * Nothing yet.
   *
   * @param nics how many NICs turns poll; if there are none, nothing waits for them
   */
  public AfterPoll(IntSupplier nics) {
    this.nics = nics;
    Arrays.fill(idleIn, -1);
  }

  /** Does something after the next poll: by then is told what a NIC tells by its next poll. */
  @Override
  public void execute(Runnable action) {
    if (nics.getAsInt() > 0) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  /**
   * Does something when the NICs have told all that they have now. Each tells a bounded amount in
   * one poll, so that may take several.
   */
  public void executeBehindBacklog(Runnable action) {
    if (nics.getAsInt() > 0) {
      behindBacklog.add(new Waiter(action, round, reported));
    } else {
      action.run();
    }
  }

  /** A NIC was polled, and has reported so much. */
  public void polled(int nic, int found) {
    reported[nic] += found;
    if (found == 0) {
      idleIn[nic] = round;
    }
  }

  /** All NICs were polled. */
  public void run() {
    Runnable action;
    while ((action = waiting.poll()) != null) {
      action.run();
    }
    Waiter first;
    while ((first = behindBacklog.peek()) != null && isTold(first)) {
      behindBacklog.remove();
      first.action.run();
    }
    round++;
  }

  private boolean isTold(Waiter waiter) {
    if (round - waiter.round >= POLLS) {
      return true;
    }
    for (int nic = nics.getAsInt() - 1; nic >= 0; nic--) {
      if (idleIn[nic] < waiter.round && reported[nic] - waiter.reported[nic] < BACKLOG) {
        return false;
      }
    }
    return true;
  }

  /** Runs all, whatever happens in some of them: there are no polls any more. */
  public void runAll(Defects defects) {
    behindBacklog.forEach(waiter -> waiting.add(waiter.action));
    behindBacklog.clear();
    while (!waiting.isEmpty()) {
      defects.attempt("an action after polling", this::run);
    }
  }
}
