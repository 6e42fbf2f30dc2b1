package io.reactivetransfer.examples.observe;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** What a {@link Scenario} has opened, which is closed in the opposite order. */
final class Opened implements AutoCloseable {

  private final Deque<Runnable> closings = new ArrayDeque<>();

  /** Returns what was opened. */
  <T> T add(T opened, Consumer<? super T> close) {
    closings.push(() -> close.accept(opened));
    return opened;
  }

  /** Closes everything, whatever becomes of one of them, and then throws what has failed first. */
  @Override
  public void close() {
    RuntimeException first = null;
    for (Runnable each = closings.poll(); each != null; each = closings.poll()) {
      try {
        each.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** The same after a failure, which is what counts. */
  void closeAfter(Exception failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
