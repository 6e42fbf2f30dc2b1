package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.network.VirtualTime;

/** Lets time pass, and looks at what has changed after each event. Stops where a rule is broken. */
public final class Clock {

  private static final int EVENTS_PER_LOOK = 64;

  private final VirtualTime time;
  private final Referee referee;
  private final Runnable check;
  private final Runnable look;
  private long sinceLook;

  /**
   * For one run.
   *
   * @param check what an event can have changed; after each
   * @param look all that is too much for that; after every 64
   */
  public Clock(VirtualTime time, Referee referee, Runnable check, Runnable look) {
    this.time = time;
    this.referee = referee;
    this.check = check;
    this.look = look;
  }

  /** For so long, or until something is wrong. */
  public void run(long nanos) {
    long until = time.nanos() + nanos;
    Long next;
    while (!isOver() && (next = time.nextNanos()) != null && next <= until) {
      step();
    }
  }

  /** So many events; false if there are none any more. */
  public boolean runEvents(int events) {
    for (int i = 0; i < events && !isOver(); i++) {
      if (!step()) {
        return false;
      }
    }
    return true;
  }

  /** All events; false if there are more than that. */
  public boolean runOut(int atMost) {
    for (int i = 0; i < atMost; i++) {
      if (isOver() || !step()) {
        return true;
      }
    }
    return false;
  }

  private boolean isOver() {
    return referee.violation() != null;
  }

  private boolean step() {
    boolean stepped = time.step();
    check.run();
    if (++sinceLook % EVENTS_PER_LOOK == 0) {
      look.run();
    }
    return stepped;
  }
}
