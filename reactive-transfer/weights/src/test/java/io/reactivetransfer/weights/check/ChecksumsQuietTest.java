package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Memory may be freed when no look reads it any more, however the look has ended. */
@Timeout(120)
class ChecksumsQuietTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final TransferEngine engine = engine();
  private final TransferEngine trainer = engine();

  /** What is to be compared, which happens when a test says so. */
  private final BlockingQueue<Runnable> comparing = new LinkedBlockingQueue<>();

  private final Checksums checksums =
      Checksums.open(
          engine, PATIENCE, Schedulers.parallel(), Schedulers.fromExecutor(comparing::add));

  private static TransferEngine engine() {
    return TransferEngineBuilder.create().backend("loopback").open().block(PATIENCE);
  }

  @AfterEach
  void close() {
    trainer.close().then(engine.close()).block(PATIENCE);
  }

  private static FilledBuffer filled(UpdateNumber update) {
    return new FilledBuffer("one", update, 1, 1, List.of());
  }

  /** All that there is to say of an update of one write: a trainer has drawn no sample of it. */
  private void say(UpdateNumber update) {
    SumMessage message = new SumMessage(update, "trainer", 1, 0, 0, List.of());
    trainer
        .send(trainer.peer(engine.address()), TrainerSums.CHANNEL, SumCodec.encode(message))
        .block(PATIENCE);
  }

  private void compare() throws InterruptedException {
    Runnable next = comparing.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    next.run();
  }

  @Test
  void whoReadsIsWaitedFor() throws Exception {
    assertThat(checksums.whenQuiet().toFuture()).isDone();
    UpdateNumber update = new UpdateNumber(1, 1, 1);
    CompletableFuture<Void> look = checksums.apply(filled(update)).toFuture();
    CompletableFuture<Void> quiet = checksums.whenQuiet().toFuture();
    say(update);
    assertThat(quiet).isNotDone();
    while (!look.isDone()) { // its sums are heard on another thread
      compare();
    }
    assertThat(look).isCompleted();
    quiet.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(checksums.whenQuiet().toFuture()).isDone();
  }

  @Test
  void whoWasCancelledOrHasFailedBeforeItReadIsNotWaitedFor() throws Exception {
    Disposable cancelled = checksums.apply(filled(new UpdateNumber(1, 1, 1))).subscribe();
    assertThat(checksums.whenQuiet().toFuture()).isNotDone();
    cancelled.dispose();
    assertThat(checksums.whenQuiet().toFuture()).isDone();
    CompletableFuture<Void> failed = checksums.apply(filled(new UpdateNumber(1, 1, 2))).toFuture();
    checksums.close();
    compare();
    assertThat(failed).isCompletedExceptionally();
    assertThat(checksums.whenQuiet().toFuture()).isDone();
  }
}
