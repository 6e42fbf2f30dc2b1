package io.reactivetransfer.engine;

import io.reactivetransfer.spi.NicWait;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What wakes one thread, without a call to the operating system while it is awake. Whoever rings
 * has left work before; either the thread's next turn sees the work, or it does not sleep, or it is
 * woken.
 *
 * <p>Both sides first write and then read: the ringer the work and then {@code rung}, {@code rung}
 * and then {@code sleeping}; the thread {@code rung} and then the work, {@code sleeping} and then
 * {@code rung}. As no write is delayed behind the read that follows it, at least one of the two
 * sees what the other one wrote.
 */
final class Bell {

  private volatile boolean rung;
  private volatile @Nullable NicWait sleeping;

  /** After work was left. From any thread. */
  void ring() {
    // The work may be a plain or a released write, which could be delayed behind the read of rung:
    // then a ring that is answered already would be taken for one that will be.
    VarHandle.fullFence();
    if (!rung) {
      rung = true;
      NicWait sleeper = sleeping;
      if (sleeper != null) {
        sleeper.wake();
      }
    }
  }

  /** Before a turn, which looks for all work: rings from here on are for the next one. */
  void answer() {
    rung = false;
  }

  /**
   * From here on, rings wake this sleeper.
   *
   * @return whether it may sleep: nobody has rung since the last turn began
   */
  boolean fallAsleep(NicWait sleeper) {
    sleeping = sleeper;
    return !rung;
  }

  /** After {@link #fallAsleep}, whatever it returned. A late ring may still wake the sleeper. */
  void wakeUp() {
    sleeping = null;
  }
}
