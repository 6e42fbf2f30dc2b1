package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Sums that do not come are missed at their deadline, or at the next quarter of a second. */
@Timeout(120)
class ChecksumsDeadlineTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  @ParameterizedTest
  @CsvSource({"100, 100", "500, 500", "600, 750"})
  void sumsThatDoNotComeAreMissed(long deadline, long missed) {
    TransferEngine engine =
        TransferEngineBuilder.create().backend("loopback").open().block(PATIENCE);
    VirtualTimeScheduler timers = VirtualTimeScheduler.create();
    Checksums checksums =
        Checksums.open(engine, Duration.ofMillis(deadline), timers, Schedulers.immediate());
    FilledBuffer filled = new FilledBuffer("one", UpdateNumber.NONE, 1, 1, List.of());
    CompletableFuture<Void> look = checksums.apply(filled).toFuture();
    timers.advanceTimeBy(Duration.ofMillis(missed - 1));
    assertThat(look).isNotDone();
    timers.advanceTimeBy(Duration.ofMillis(1));
    assertThat(look).isCompletedExceptionally();
    checksums.close();
    engine.close().block(PATIENCE);
  }
}
