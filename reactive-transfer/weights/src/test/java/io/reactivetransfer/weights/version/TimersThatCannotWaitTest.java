package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.weights.check.Checksums;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Without timers nothing would ever be given up: that is said, at once or as soon as it is so. */
@Timeout(60)
class TimersThatCannotWaitTest {

  private static final String SAYS = "expected timers that wait and take tasks, got ";

  private final LoopbackNetwork network = new LoopbackNetwork();
  private final TransferEngine engine = engine();
  private final TransferEngine other = engine();

  private TransferEngine engine() {
    return Cluster.await(
        TransferEngineBuilder.create()
            .backend(LoopbackBackend.builder().network(network).build())
            .open());
  }

  @AfterEach
  void close() {
    engine.close().block(Cluster.PATIENCE);
    other.close().block(Cluster.PATIENCE);
  }

  static Stream<Scheduler> timers() {
    Scheduler disposed = Schedulers.newSingle("disposed");
    disposed.dispose();
    return Stream.of(Schedulers.immediate(), disposed);
  }

  private Mono<UpdateResult> update(WeightsController controller, Duration deadline) {
    return controller.update(
        new WeightsUpdate(1, UpdateMode.IN_PLACE, Map.of("one", 1L), deadline),
        List.of(new RankMember("one", engine.peer(other.address()))),
        List.of(order -> Mono.never()));
  }

  @ParameterizedTest
  @MethodSource("timers")
  void anUpdateFailsAndNothingHasBegun(Scheduler timers) {
    WeightsController controller = WeightsController.open(engine, timers);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> update(controller, Cluster.PATIENCE).block(Cluster.PATIENCE))
          .isInstanceOf(RejectedExecutionException.class)
          .hasMessageStartingWith(SAYS + timers);
    }
    controller.close();
  }

  @ParameterizedTest
  @MethodSource("timers")
  void checksumsFailAndNothingIsWaitedFor(Scheduler timers) {
    Checksums checksums =
        Checksums.open(engine, Cluster.PATIENCE, timers, Schedulers.boundedElastic());
    FilledBuffer filled = new FilledBuffer("one", UpdateNumber.NONE, 1, 1, List.of());
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> checksums.apply(filled).block(Cluster.PATIENCE))
          .isInstanceOf(RejectedExecutionException.class)
          .hasMessageStartingWith(SAYS + timers);
    }
    checksums.close();
  }

  /** Runs what is due now, and what is due later when the test says so; then it takes no more. */
  private static final class Refusing implements Scheduler {

    private final BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();
    private volatile boolean isRefusing;

    @Override
    public Disposable schedule(Runnable task) {
      return Schedulers.immediate().schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      if (isRefusing) {
        throw new RejectedExecutionException("no more tasks");
      }
      later.add(task);
      return Disposables.single();
    }

    @Override
    public Worker createWorker() {
      return Schedulers.immediate().createWorker();
    }

    void runTheLast() throws InterruptedException {
      Runnable task = later.take();
      isRefusing = true;
      task.run();
    }
  }

  @Test
  void anUpdateEndsWhenItsTimersTakeNoMore() throws InterruptedException {
    Refusing timers = new Refusing();
    WeightsController controller = WeightsController.open(engine, timers);
    CompletableFuture<UpdateResult> update = update(controller, Cluster.PATIENCE).toFuture();
    timers.runTheLast();
    requireRefused(update);
    timers.isRefusing = false;
    CompletableFuture<UpdateResult> next = update(controller, Cluster.PATIENCE).toFuture();
    assertThat(next).as("one that could begin").isNotDone();
    next.cancel(true);
    controller.close();
  }

  @Test
  void checksumsEndWhenTheirTimersTakeNoMore() throws InterruptedException {
    Refusing timers = new Refusing();
    Checksums checksums = Checksums.open(engine, Cluster.PATIENCE, timers, Schedulers.immediate());
    CompletableFuture<Void> look =
        checksums.apply(new FilledBuffer("one", UpdateNumber.NONE, 1, 1, List.of())).toFuture();
    timers.runTheLast();
    requireRefused(look);
    checksums.close();
  }

  private static void requireRefused(CompletableFuture<?> end) {
    assertThat(end)
        .failsWithin(Cluster.PATIENCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(RejectedExecutionException.class)
        .withMessageStartingWith(SAYS)
        .withMessageContaining("no more tasks");
  }
}
