package io.reactivetransfer.moe;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/** What recorders do that they must not: it is logged once, and ends nothing. From any thread. */
final class Complaint {

  private static final Logger LOG = Loggers.getLogger(Complaint.class);

  private final Supplier<String> whose;
  private final AtomicBoolean isSaid = new AtomicBoolean();

  /**
   * Nothing was said yet.
   *
   * @param whose recorder it is, for people
   */
  Complaint(Supplier<String> whose) {
    this.whose = whose;
  }

  /** What a recorder answers, or something else if it throws or returns null. */
  <T> T orElse(Supplier<@Nullable T> answer, T otherwise) {
    try {
      T answered = answer.get();
      if (answered != null) {
        return answered;
      }
      say(new NullPointerException("expected an answer that is not null, got null"));
    } catch (Throwable thrown) {
      say(thrown);
    }
    return otherwise;
  }

  /** If that is possible, which it is not if an exception cannot say what it is. */
  void say(Throwable thrown) {
    if (!isSaid.compareAndSet(false, true)) {
      return;
    }
    try {
      LOG.warn(
          "the recorder of {} has thrown or returned null, which it must not", whose.get(), thrown);
    } catch (Throwable unsaid) {
      // What is to be done behind what was told is more important.
    }
  }
}
