package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.BackendException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Closes several things, also those behind one that cannot be closed. */
final class Closing {

  private @Nullable BackendException refusal;

  /** Closes each. */
  static <T> void each(Iterable<T> things, Consumer<T> close) {
    Closing closing = new Closing();
    things.forEach(thing -> closing.attempt(() -> close.accept(thing)));
    closing.end();
  }

  /** Closes these, in their order. */
  static void all(Runnable... closes) {
    each(List.of(closes), Runnable::run);
  }

  /** Closes the one and, if that was possible, what it may use, after something has failed. */
  static void after(BackendException failure, Runnable user, Runnable used) {
    try {
      user.run();
      used.run();
    } catch (BackendException e) {
      failure.addSuppressed(e);
    }
  }

  private void attempt(Runnable close) {
    try {
      close.run();
    } catch (BackendException e) {
      if (refusal == null) {
        refusal = e;
      } else {
        refusal.addSuppressed(e);
      }
    }
  }

  /** Throws the first refusal, if there was one. */
  private void end() {
    if (refusal != null) {
      throw refusal;
    }
  }
}
