package io.reactivetransfer.libfabric.process;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Availability.Unavailable;
import io.reactivetransfer.tck.process.LocalEngine;
import java.time.Duration;

/** The engine of the test's own process, with some memories. */
final class Local extends LocalEngine {

  /** What a test waits at most. */
  static final Duration LONG = Duration.ofSeconds(40);

  /** In how much time the death of a peer must be found; its kernel tells it at once. */
  static final Duration FOUND = Duration.ofSeconds(20);

  /**
   * Silence finds none of those that die here, and a process that starts on a machine with a lot
   * else to do may say nothing for seconds.
   */
  private static final Duration LIVENESS = FOUND.multipliedBy(4);

  private Local(int count, int bytes) {
    super(
        backend(), EngineOptions.builder().livenessDeadline(LIVENESS).build(), count, bytes, LONG);
  }

  /** Skips the test, visibly, where there is no libfabric. */
  static void requireLibfabric() {
    if (backend().availability() instanceof Unavailable not) {
      String why = not.reason() + "; " + not.remedy();
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why);
      }
      abort(why);
    }
  }

  private static LibfabricBackend backend() {
    return LibfabricBackend.builder().provider("tcp").build();
  }

  /** With so many memories of so many bytes. */
  static Local open(int count, int bytes) {
    requireLibfabric();
    return new Local(count, bytes);
  }

  /** Closes the regions one by one, then the engine, and soon. */
  @Override
  public void close() {
    regions.forEach(region -> region.close().block(FOUND));
    engine.close().block(FOUND);
    super.close();
  }
}
