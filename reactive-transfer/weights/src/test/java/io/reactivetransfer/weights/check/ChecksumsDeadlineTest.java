package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Sinks;
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

  /** A trainer that reads much is not taken for one that says nothing. */
  @Test
  void theyAreWaitedForAnewBehindEachThatSaySomethingNew() {
    TransferEngine engine =
        TransferEngineBuilder.create().backend("loopback").open().block(PATIENCE);
    Sinks.Many<Message> said = Sinks.many().unicast().onBackpressureBuffer();
    VirtualTimeScheduler timers = VirtualTimeScheduler.create();
    Checksums checksums =
        Checksums.open(hearing(engine, said), PATIENCE, timers, Schedulers.immediate());
    FilledBuffer filled = new FilledBuffer("one", UpdateNumber.NONE, 1, 4, List.of());
    CompletableFuture<Void> look = checksums.apply(filled).toFuture();
    Duration most = PATIENCE.minusSeconds(1);
    for (String name : List.of("a", "b")) {
      timers.advanceTimeBy(most);
      say(engine, said, name);
    }
    timers.advanceTimeBy(most);
    say(engine, said, "b"); // which is nothing new
    assertThat(look).isNotDone();
    timers.advanceTimeBy(Duration.ofSeconds(1));
    assertThat(look).isCompletedExceptionally();
    checksums.close();
    engine.close().block(PATIENCE);
  }

  private static void say(TransferEngine engine, Sinks.Many<Message> said, String trainer) {
    SumMessage message = new SumMessage(UpdateNumber.NONE, trainer, 1, 0, 0, List.of());
    Peer sender = engine.peer(engine.address());
    said.tryEmitNext(new Message(sender, SumCodec.encode(message))).orThrow();
  }

  /** An engine that hears what it is told at once. */
  private static TransferEngine hearing(TransferEngine engine, Sinks.Many<Message> said) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            ChecksumsDeadlineTest.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) ->
                method.getName().equals("messages")
                    ? said.asFlux()
                    : method.invoke(engine, arguments));
  }
}
