package io.reactivetransfer.tck;

import org.jspecify.annotations.Nullable;

/**
 * Does one step after the other, each of them even if one before it has failed. What failed first
 * is thrown at the end, and has with it what failed later.
 */
final class Ending {

  private @Nullable Throwable first;

  /** Nothing has failed so far. */
  Ending() {}

  /** This has failed, and what fails now is added to it. */
  Ending(Throwable first) {
    this.first = first;
  }

  /** Does this now. */
  void step(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      add(e);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the same one twice is none that is suppressed
  private void add(Throwable failure) {
    Throwable before = first;
    if (before == null) {
      first = failure;
    } else if (before != failure) {
      before.addSuppressed(failure);
    }
  }

  /** Whether no step has failed so far. */
  boolean isClean() {
    return first == null;
  }

  /** Throws what failed first, if anything did. */
  void end() {
    Throwable failure = first;
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }
}
