package io.reactivetransfer.engine.base;

import reactor.util.Logger;
import reactor.util.Loggers;

/** Says what must not happen and is survived; belongs to the NIC thread, as far as it counts. */
public final class Defects {

  private static final Logger LOG = Loggers.getLogger(Defects.class);

  private final String engine;
  private long count;

  /** Of the engine of this name. */
  public Defects(String engine) {
    this.engine = engine;
  }

  /**
   * Something came from below, or from a peer, that must not come. Of many, the first, second,
   * fourth, eighth and so on are said.
   */
  public void report(String text) {
    if (Long.bitCount(++count) == 1) {
      Signals.said(() -> LOG.warn("engine {}: {} (defect number {})", engine, text, count));
    }
  }

  /** How many there were. */
  public long count() {
    return count;
  }

  /** Does one of several things that must all be tried, whatever happens in the others. */
  public void attempt(String what, Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      failed(what, failure);
    }
  }

  /** Something has failed, and everything else goes on. */
  public void failed(String what, Throwable failure) {
    Signals.said(() -> LOG.error("engine {}: {} failed", engine, what, failure));
  }
}
