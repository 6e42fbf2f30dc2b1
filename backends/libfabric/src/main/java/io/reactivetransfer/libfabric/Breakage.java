package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a call that a NIC cannot do without has failed for good: so often that it will not go
 * well any more.
 */
final class Breakage {

  /** Failures one after the other, at most one for each poll. */
  static final int MOST_FAILURES = 1_000;

  private final OpenFabric fabric;
  private final String call;
  private int failures;
  private @Nullable Failure broken;

  /**
   * Of a call that is well so far.
   *
   * @param call its name
   */
  Breakage(OpenFabric fabric, String call) {
    this.fabric = fabric;
    this.call = call;
  }

  /** Takes note of a result; to be told to try again, or of errors to be read, is none. */
  void went(long result) {
    if (result >= 0 || result == -Fi.FI_EAGAIN || result == -Fi.FI_EAVAIL) {
      failures = 0;
    } else if (++failures == MOST_FAILURES) {
      BackendException cause = fabric.error(call, result);
      broken = new Failure(0, cause.code(), String.valueOf(cause.getMessage()));
    }
  }

  /** Why it counts as broken; null as long as it does not. */
  @Nullable Failure failure() {
    return broken;
  }
}
