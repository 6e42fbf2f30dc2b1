package io.reactivetransfer.kvcache;

import java.util.function.Consumer;
import reactor.util.Loggers;

/** Tells the recorder of one node, if it has one, and survives what that throws. */
final class Recording {

  private final LogLimit warnings = new LogLimit(Loggers.getLogger(Recording.class));
  private final KvRecorder recorder;

  Recording(KvRecorder recorder) {
    this.recorder = recorder;
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  @SuppressWarnings("ReferenceEquality") // the very object
  boolean isOn() {
    return recorder != KvRecorder.NONE;
  }

  /** On any thread, and with no lock held: it is somebody else's code. */
  void tell(Consumer<KvRecorder> event) {
    try {
      event.accept(recorder);
    } catch (Throwable thrown) {
      warnings.warn(() -> "the recorder has thrown, which it must not", thrown);
    }
  }
}
