package io.reactivetransfer.kvcache;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Loggers;

/** Runs the code of recorders, which is somebody else's, and survives what it throws. */
final class RecorderGuard {

  private final LogLimit warnings = new LogLimit(Loggers.getLogger(KvRecorder.class));

  /** On any thread, and with no lock held. */
  void tell(Runnable event) {
    try {
      event.run();
    } catch (Throwable thrown) {
      hasThrown(thrown);
    }
  }

  /**
   * What it answers.
   *
   * @param method which one is asked
   * @param otherwise what is used if it throws instead, or returns null
   */
  <T> T ask(String method, Supplier<? extends @Nullable T> question, T otherwise) {
    try {
      T answer = question.get();
      if (answer != null) {
        return answer;
      }
      warnings.warn(() -> "the recorder's " + method + " has returned null, which it must not");
    } catch (Throwable thrown) {
      hasThrown(thrown);
    }
    return otherwise;
  }

  private void hasThrown(Throwable thrown) {
    warnings.warn(() -> "the recorder has thrown, which it must not", thrown);
  }
}
