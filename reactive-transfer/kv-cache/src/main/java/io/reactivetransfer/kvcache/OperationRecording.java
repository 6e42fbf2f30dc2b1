package io.reactivetransfer.kvcache;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the recorder of one operation of two things that become of it. Different threads bring them
 * about, perhaps at the same moment; the second is told behind the first all the same, by whoever
 * comes last.
 */
final class OperationRecording<R> {

  private final RecorderGuard guard;
  private volatile R recorder;

  /** Guarded by this, like the next one. */
  private boolean isFirstTold;

  private @Nullable Consumer<? super R> waiting;

  OperationRecording(RecorderGuard guard, R recorder) {
    this.guard = guard;
    this.recorder = recorder;
  }

  /** From now on it is this one; before the first thing is told. */
  void begins(R told) {
    recorder = told;
  }

  R recorder() {
    return recorder;
  }

  /** Once. */
  void first(Consumer<? super R> event) {
    tell(event);
    Consumer<? super R> next;
    synchronized (this) {
      isFirstTold = true;
      next = waiting;
      waiting = null;
    }
    if (next != null) {
      tell(next);
    }
  }

  /** Once. */
  void second(Consumer<? super R> event) {
    synchronized (this) {
      if (!isFirstTold) {
        waiting = event;
        return;
      }
    }
    tell(event);
  }

  private void tell(Consumer<? super R> event) {
    guard.tell(() -> event.accept(recorder));
  }
}
