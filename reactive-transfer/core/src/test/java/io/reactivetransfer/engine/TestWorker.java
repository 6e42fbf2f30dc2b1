package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import java.util.function.UnaryOperator;
import reactor.core.scheduler.Schedulers;

/** A worker without NICs and without a thread, for the tests of what it consists of. */
final class TestWorker {

  private TestWorker() {}

  /** Signals come at once. */
  static Worker of(UnaryOperator<EngineOptions.Builder> options) {
    EngineOptions.Builder builder = EngineOptions.builder().signalScheduler(Schedulers.immediate());
    return new Worker(new EngineId(9, 9), options.apply(builder).build(), () -> 0);
  }
}
