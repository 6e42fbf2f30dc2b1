package io.reactivetransfer.engine.base;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import java.util.concurrent.atomic.AtomicLong;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Says what must not happen and is survived. On the NIC thread, but for what has failed. */
public final class Defects {

  private static final Logger LOG = Loggers.getLogger(Defects.class);

  private final String engine;
  private final Recording recording;
  private final AtomicLong count = new AtomicLong();

  /** Of one engine, whose recorder is told of them. */
  public Defects(EngineId engine, EngineRecorder recorder) {
    this.engine = engine.toShortString();
    this.recording = new Recording(recorder, engine, this::count);
  }

  /** What the recorder is told by. */
  public Recording recording() {
    return recording;
  }

  /**
   * Something came from below, or from a peer, that must not come. Of many, the first, second,
   * fourth, eighth and so on are said.
   */
  public void report(String text) {
    count(text);
    recording.tell(recorder -> recorder.defect(recording.engine(), text));
  }

  private void count(String text) {
    long number = count.incrementAndGet();
    if (Long.bitCount(number) == 1) {
      Signals.said(() -> LOG.warn("engine {}: {} (defect number {})", engine, text, number));
    }
  }

  /** How many there were. From any thread. */
  public long count() {
    return count.get();
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
