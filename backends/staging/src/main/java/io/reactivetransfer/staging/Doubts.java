package io.reactivetransfer.staging;

import io.reactivetransfer.spi.BackendException;
import org.jspecify.annotations.Nullable;

/** Whether an accelerator has a copy of which it does not say that it is over. */
final class Doubts {

  private @Nullable BackendException first;

  void add(BackendException why) {
    first = first == null ? why : first;
  }

  /**
   * Every copy is over.
   *
   * @throws BackendException if nobody knows that
   */
  void requireNone() {
    BackendException why = first;
    if (why != null) {
      throw new BackendException(
          why.code(),
          "expected copies that are over, got one of which its accelerator does not say so, and"
              + " which may read or write memory until the process ends: "
              + why.getMessage(),
          why);
    }
  }
}
