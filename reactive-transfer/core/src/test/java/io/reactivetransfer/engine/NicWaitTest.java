package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.ScriptedWaits.ScriptedWait;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A thread of its own that waits for its NICs instead of polling them. */
class NicWaitTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  /** Parks so long that whoever parks is noticed. */
  private static final IdleStrategy SLEEPY =
      IdleStrategy.backOff().withSpins(0).withParks(Duration.ofHours(1), Duration.ofHours(1));

  private static final IdleStrategy NERVOUS =
      IdleStrategy.backOff().withSpins(0).withParks(Duration.ofNanos(1), Duration.ofMillis(1));

  private final ScriptedBackend backend = new ScriptedBackend(null);
  private final ScriptedWaits waits = new ScriptedWaits();
  private TransferEngine engine;

  private void open(IdleStrategy idle) {
    engine =
        TransferEngineBuilder.create()
            .backend(backend)
            .environment(
                EngineEnvironment.system().toBuilder()
                    .identities(() -> EngineIdentity.of(new EngineId(4, 4)))
                    .waits(waits)
                    .build())
            .options(EngineOptions.builder().idle(idle).build())
            .open()
            .block(LONG);
  }

  /** Opened, and asleep on descriptors 5 and up. */
  private ScriptedWait openWaiting() {
    open(SLEEPY);
    allow();
    return waits.only();
  }

  /** From now on all NICs can be waited for; it waits. */
  private void allow() {
    backend.opened().forEach(nic -> nic.descriptors = new int[] {5 + nic.index});
    nic().context.doorbell().ring();
    awaitWaiting();
  }

  private static ConditionFactory await() {
    return Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .atMost(LONG);
  }

  private void awaitWaiting() {
    await().until(() -> !waits.opened.isEmpty() && waits.only().isWaiting());
  }

  private ScriptedNic nic() {
    return backend.opened().getFirst();
  }

  /** Runs the test's hands on the NIC's thread. */
  private <T> T onThread(java.util.function.Supplier<T> task) {
    return Mono.fromSupplier(task).subscribeOn(engine.scheduler()).block(LONG);
  }

  @AfterEach
  void close() {
    if (engine != null) {
      engine.close().block(LONG);
    }
    assertThat(backend.violations()).isEmpty();
    assertThat(backend.opened()).allMatch(ScriptedNic::isClosed);
    assertThat(waits.opened).allMatch(wait -> wait.closed);
  }

  // ---- waiting ----

  @Test
  void waitsOnceInsteadOfPollingAThousandTimes() {
    ScriptedWait wait = openWaiting();
    long polls = nic().polls();
    int awaits = wait.awaits.get();
    CompletableFuture<Void> later = new CompletableFuture<>();
    long begin = System.nanoTime();
    engine.scheduler().schedule(() -> later.complete(null), 300, TimeUnit.MILLISECONDS);
    Mono.fromFuture(later).block(LONG);
    double millis = (System.nanoTime() - begin) / 1e6; // more than 300 on a busy machine
    assertThat((nic().polls() - polls) / millis).as("turns in a millisecond").isLessThan(0.1);
    assertThat(wait.awaits.get() - awaits).isPositive();
    assertThat(wait.longestNanos).isLessThanOrEqualTo(NicThread.LONGEST_WAIT_NANOS);
  }

  @Test
  void aReadableDescriptorIsPolledForAtOnce() {
    ScriptedWait wait = openWaiting();
    int wakes = wait.wakes.get();
    for (int i = 1; i <= 20; i++) {
      awaitWaiting();
      long polls = nic().polls();
      wait.readable();
      await().until(() -> nic().polls() > polls);
    }
    assertThat(wait.found).as("waits that a descriptor ended").hasValue(20);
    assertThat(wait.wakes.get()).as("rings").isEqualTo(wakes);
  }

  @Test
  void aRingEndsTheWait() {
    ScriptedWait wait = openWaiting();
    for (int i = 0; i < 1_000; i++) {
      assertThat(engine.counter(Imm.of(i)).discard().block(LONG)).isZero();
    }
    assertThat(wait.longestNanos).isPositive();
  }

  @Test
  void ringsWhileItIsAwakeWakeNobody() {
    ScriptedWait wait = openWaiting();
    int wakes =
        onThread(() -> {
          int before = wait.wakes.get();
          for (int i = 0; i < 100; i++) {
            nic().context.doorbell().ring();
          }
          return wait.wakes.get() - before;
        });
    assertThat(wakes).isZero();
  }

  @Test
  void aTimerEndsTheWait() {
    openWaiting();
    CompletableFuture<Void> late = new CompletableFuture<>();
    engine.scheduler().schedule(() -> late.complete(null), 30, TimeUnit.MILLISECONDS);
    assertThat(Mono.fromFuture(late).hasElement().block(LONG)).isFalse();
  }

  @Test
  void aNicThatHasSomethingIsPolledFirst() {
    ScriptedWait wait = openWaiting();
    int awaits = wait.awaits.get();
    long polls =
        onThread(() -> {
          nic().waitRefusals = 1_000;
          return nic().polls();
        });
    await().until(() -> nic().waitRefusals == 0);
    awaitWaiting();
    assertThat(nic().polls() - polls).isGreaterThanOrEqualTo(1_000);
    assertThat(wait.awaits.get() - awaits).as("waits between").isLessThan(100);
  }

  @Test
  void descriptorsThatChangeAreWatchedAndOthersNot() {
    backend.count = 2;
    ScriptedWait wait = openWaiting();
    assertThat(wait.watched()).containsExactly("[5, 6]");
    onThread(() -> backend.opened().getLast().descriptors = new int[] {7, 8});
    awaitWaiting();
    await().until(() -> wait.watched().size() == 2);
    assertThat(wait.now()).containsExactly(5, 7, 8);
  }

  @Test
  void endsWhileItWaits() {
    ScriptedWait wait = openWaiting();
    engine.close().block(LONG);
    assertThat(wait.closed).isTrue();
  }

  // ---- polling as before ----

  @Test
  void oneNicThatMustBePolledHasAllPolled() {
    backend.count = 2;
    open(NERVOUS);
    nic().descriptors = new int[] {5};
    assertPolls();
    assertThat(waits.opened).isEmpty();
  }

  @Test
  void pollsWhereWaitsAreUnavailable() {
    waits.availability = Availability.unavailable("none here", "none");
    open(NERVOUS);
    nic().descriptors = new int[] {5};
    assertPolls();
    assertThat(waits.opened).isEmpty();
  }

  @Test
  void pollsAfterAWaitCouldNotBeOpened() {
    waits.openFailure = new BackendException(24, "no descriptor left (told to fail)");
    open(NERVOUS);
    nic().descriptors = new int[] {5};
    assertPolls();
  }

  @Test
  void pollsAfterAWaitHasFailed() {
    waits.awaitFailure = new BackendException(9, "descriptor 5 is not open (told to fail)");
    open(NERVOUS);
    nic().descriptors = new int[] {5};
    assertPolls();
    assertThat(waits.only().awaits).hasValue(0);
  }

  @Test
  void pollsWhenANicCannotPrepare() {
    open(NERVOUS);
    nic().prepareFailure = new BackendException(5, "no notification (told to fail)");
    nic().descriptors = new int[] {5};
    assertPolls();
    assertThat(waits.only().awaits).hasValue(0);
  }

  @Test
  void neverWaitsWhenItShallSpin() {
    open(IdleStrategy.spin());
    nic().descriptors = new int[] {5};
    long polls = nic().polls();
    await().until(() -> nic().polls() > polls + 10_000);
    assertThat(waits.opened).isEmpty();
  }

  @Test
  void aNicThatThrowsClosesTheEngine() {
    ScriptedWait wait = openWaiting();
    nic().prepareFailure = new IllegalStateException("told to throw");
    wait.readable();
    await().until(() -> engine.isClosed());
  }

  private void assertPolls() {
    long polls = nic().polls();
    await().until(() -> nic().polls() > polls + 300); // nobody rings
  }
}
