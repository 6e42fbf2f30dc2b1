package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CpuPinning;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockingOperationError;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The engine on a thread of its own. */
class NicThreadTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final IdleStrategy SLEEPY =
      IdleStrategy.backOff().withSpins(0).withParks(Duration.ofHours(1), Duration.ofHours(1));

  /** Writes down who was pinned where. */
  private static final class RecordingPinning implements CpuPinning {
    final List<String> pinned = new ArrayList<>();
    RuntimeException failure;

    @Override
    public Availability availability() {
      return Availability.available();
    }

    @Override
    public void pinCurrentThread(int cpu) {
      pinned.add(Thread.currentThread().getName() + " to " + cpu);
      if (failure != null) {
        throw failure;
      }
    }
  }

  private final ScriptedBackend backend = new ScriptedBackend(null);
  private final RecordingPinning pinning = new RecordingPinning();
  private TransferEngine engine;

  private Mono<TransferEngine> opening(UnaryOperator<EngineOptions.Builder> options) {
    return TransferEngineBuilder.create()
        .backend(backend)
        .environment(
            EngineEnvironment.builder()
                .identities(() -> EngineIdentity.of(new EngineId(4, 4)))
                .pinning(pinning)
                .build())
        .options(options.apply(EngineOptions.builder()).build())
        .open();
  }

  private void open(UnaryOperator<EngineOptions.Builder> options) {
    engine = opening(options).block(LONG);
  }

  @AfterEach
  void close() {
    if (engine != null) {
      engine.close().block(LONG);
    }
    assertThat(backend.violations()).isEmpty();
    assertThat(backend.opened()).allMatch(ScriptedNic::isClosed);
  }

  private <T> T onThread(java.util.function.Supplier<T> task) {
    return Mono.fromSupplier(task).subscribeOn(engine.scheduler()).block(LONG);
  }

  private Thread thread() {
    return onThread(Thread::currentThread);
  }

  private void awaitParked(Thread thread) {
    await().atMost(LONG).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  // ---- pinning ----

  @Test
  void isPinnedWhenAskedBeforeItOpensAnything() {
    open(o -> o.cpu(3));
    assertThat(pinning.pinned).containsExactly(thread().getName() + " to 3");
    assertThat(thread().getName()).startsWith("transfer-nic-");
    assertThat(thread().isDaemon()).isTrue();
  }

  @Test
  void isNotPinnedUnasked() {
    open(UnaryOperator.identity());
    assertThat(pinning.pinned).isEmpty();
  }

  @Test
  void thatCannotBePinnedFailsTheOpening() {
    pinning.failure = new BackendException(22, "no CPU 3 here");
    assertThatExceptionOfType(BackendUnavailableException.class)
        .isThrownBy(() -> opening(o -> o.cpu(3)).block(LONG))
        .withMessageContaining("no CPU 3 here")
        .satisfies(e -> assertThat(e.code()).isEqualTo(22));
    assertThat(backend.journal()).as("no NIC was opened").isEmpty();
    String name = pinning.pinned.getFirst().split(" ")[0];
    await()
        .atMost(LONG)
        .until(() ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals(name)));
  }

  @Test
  void thatCannotBePinnedForLackOfAPinningSaysWhatToAdd() {
    Mono<TransferEngine> opening =
        TransferEngineBuilder.create()
            .backend(backend)
            .environment(EngineEnvironment.builder().build())
            .options(EngineOptions.builder().cpu(0).build())
            .open();
    assertThatExceptionOfType(BackendUnavailableException.class)
        .isThrownBy(() -> opening.block(LONG))
        .withMessageContaining("reactive-transfer-ffm");
  }

  // ---- idling ----

  @Test
  void parksWhenIdleAndWakesWhenRung() {
    open(o -> o.idle(SLEEPY));
    Thread thread = thread();
    awaitParked(thread);
    long polls = backend.opened().getFirst().polls();
    backend.opened().getFirst().context.doorbell().ring();
    await().atMost(LONG).until(() -> backend.opened().getFirst().polls() > polls);
    awaitParked(thread);
  }

  @Test
  void noRingIsLost() {
    open(o -> o.idle(SLEEPY));
    for (int i = 0; i < 1_000; i++) {
      assertThat(engine.counter(Imm.of(i)).discard().block(LONG)).isZero();
    }
  }

  @Test
  void aTimerEndsALongPark() {
    open(o -> o.idle(SLEEPY));
    CompletableFuture<Void> late = new CompletableFuture<>();
    engine.scheduler().schedule(() -> late.complete(null), 30, TimeUnit.MILLISECONDS);
    awaitParked(thread());
    assertThat(Mono.fromFuture(late).hasElement().block(LONG)).isFalse();
  }

  @Test
  void doesNotSpinForLongerThanItMay() {
    int turns = Integer.MAX_VALUE - 1; // for which it would spin for minutes
    open(o -> o.idle(SLEEPY.withSpins(turns).withMaxSpin(Duration.ofMillis(1))));
    awaitParked(thread());
  }

  @Test
  void spinsNoMoreTurnsThanItMay() {
    open(o -> o.idle(SLEEPY.withSpins(3).withMaxSpin(Duration.ofHours(1))));
    awaitParked(thread());
  }

  @Test
  void parksForeverLongerWhateverHasEndedTheSpin() {
    open(o ->
        o.livenessDeadline(Duration.ofHours(1)) // whose looks would be work
            .idle(
                IdleStrategy.backOff()
                    .withMaxSpin(Duration.ofNanos(1))
                    .withParks(Duration.ofNanos(1), Duration.ofHours(1))));
    ScriptedNic nic = backend.opened().getFirst();
    AtomicLong polls = new AtomicLong();
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> polls.getAndSet(nic.polls()) == polls.get()); // else it always polls anew
  }

  @Test
  void withTheSpinningStrategyItDoesNotPark() {
    open(o ->
        o.idle(
            IdleStrategy.spin()
                .withMaxSpin(Duration.ofNanos(1))
                .withParks(Duration.ofHours(1), Duration.ofHours(1))));
    ScriptedNic nic = backend.opened().getFirst();
    long polls = nic.polls();
    await().atMost(LONG).until(() -> nic.polls() > polls + 10_000);
  }

  @Test
  void backsOffWithinItsBounds() {
    open(o ->
        o.idle(
            IdleStrategy.backOff()
                .withSpins(3)
                .withParks(Duration.ofNanos(1), Duration.ofMillis(2))));
    ScriptedNic nic = backend.opened().getFirst();
    long polls = nic.polls();
    await().atMost(LONG).until(() -> nic.polls() > polls + 100); // nobody rings
  }

  // ---- what must not be done on it ----

  @Test
  void refusesToBeBlocked() {
    open(UnaryOperator.identity());
    Throwable failure =
        onThread(() -> {
          try {
            return Mono.never().block(Duration.ofSeconds(1));
          } catch (IllegalStateException e) {
            return e;
          }
        })
                instanceof Throwable caught
            ? caught
            : null;
    assertThat(failure)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not supported in thread transfer-nic");
  }

  @Test
  void isGuardedByBlockHound() {
    open(UnaryOperator.identity());
    Object failure =
        onThread(() -> {
          try {
            Thread.sleep(1);
            return "slept";
          } catch (InterruptedException | BlockingOperationError e) {
            return e;
          }
        });
    assertThat(failure).isInstanceOf(BlockingOperationError.class);
  }

  @Test
  void aTaskThatBlocksHarmsNobody() {
    open(UnaryOperator.identity());
    engine
        .scheduler()
        .schedule(() -> {
          try {
            Thread.sleep(1);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertThat(onThread(() -> "the next task")).isEqualTo("the next task");
  }

  // ---- the scheduler on a real thread ----

  @Test
  void tasksOfManyThreadsRunEachInItsOrder() throws InterruptedException {
    open(UnaryOperator.identity());
    int each = 2_000;
    List<int[]> seen = new ArrayList<>(); // touched by the NIC's thread only
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      int number = t;
      Scheduler.Worker worker = engine.scheduler().createWorker();
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < each; i++) {
                  int task = i;
                  worker.schedule(() -> seen.add(new int[] {number, task}));
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    List<int[]> all = onThread(() -> List.copyOf(seen));
    assertThat(all).hasSize(3 * each);
    int[] next = new int[3];
    for (int[] one : all) {
      assertThat(one[1]).isEqualTo(next[one[0]]++);
    }
  }

  @Test
  void delayedAndPeriodicTasksRunOnIt() {
    open(o -> o.idle(SLEEPY));
    Thread thread = thread();
    CompletableFuture<Thread> delayed = new CompletableFuture<>();
    engine
        .scheduler()
        .schedule(() -> delayed.complete(Thread.currentThread()), 5, TimeUnit.MILLISECONDS);
    assertThat(Mono.fromFuture(delayed).block(LONG)).isSameAs(thread);
    CompletableFuture<Void> thrice = new CompletableFuture<>();
    int[] ticks = new int[1];
    Disposable periodic =
        engine
            .scheduler()
            .schedulePeriodically(
                () -> {
                  if (++ticks[0] == 3) {
                    thrice.complete(null);
                  }
                },
                1,
                1,
                TimeUnit.MILLISECONDS);
    Mono.fromFuture(thrice).block(LONG);
    periodic.dispose();
  }

  @Test
  void endsWithTheEngine() throws InterruptedException {
    open(o -> o.idle(SLEEPY));
    Thread thread = thread();
    awaitParked(thread);
    engine.close().block(LONG);
    thread.join(LONG);
    assertThat(thread.isAlive()).isFalse();
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> engine.scheduler().schedule(() -> {}));
    assertThat(engine.scheduler().isDisposed()).isTrue();
    engine.close().block(LONG);
  }
}
