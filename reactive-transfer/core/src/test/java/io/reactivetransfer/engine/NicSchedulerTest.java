package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.engine.base.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The contract of a Reactor scheduler, turned by hand. */
class NicSchedulerTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final List<String> done = new ArrayList<>();
  private Scheduler scheduler;

  @BeforeEach
  void open() {
    hand.open(1);
    scheduler = hand.engine().scheduler();
  }

  private Runnable task(String name) {
    return () -> done.add(name);
  }

  private void advance(long millis) {
    hand.advance(Duration.ofMillis(millis));
  }

  @Test
  void tasksRunInOrderOnTheWorker() {
    List<Boolean> inLoop = new ArrayList<>();
    scheduler.schedule(task("a"));
    scheduler.schedule(task("b"));
    scheduler.schedule(() -> inLoop.add(hand.loop.inLoop()));
    assertThat(done).isEmpty();
    hand.turn();
    assertThat(done).containsExactly("a", "b");
    assertThat(inLoop).containsExactly(true);
  }

  @Test
  void aTaskMayScheduleAnother() {
    scheduler.schedule(() -> {
      done.add("outer");
      scheduler.schedule(task("inner"));
    });
    hand.turn();
    assertThat(done).containsExactly("outer", "inner");
  }

  @Test
  void aDelayedTaskRunsWhenItsTimeHasCome() {
    scheduler.schedule(task("twenty"), 20, TimeUnit.MILLISECONDS);
    scheduler.schedule(task("ten"), 10, TimeUnit.MILLISECONDS);
    scheduler.schedule(task("past"), -5, TimeUnit.SECONDS);
    advance(9);
    assertThat(done).containsExactly("past");
    advance(1);
    assertThat(done).containsExactly("past", "ten");
    advance(100);
    assertThat(done).containsExactly("past", "ten", "twenty");
  }

  @Test
  void anEarlierOneDoesNotWaitForALaterOne() {
    scheduler.schedule(task("hour"), 1, TimeUnit.HOURS);
    hand.turn();
    scheduler.schedule(task("second"), 1, TimeUnit.SECONDS);
    hand.turn();
    advance(1_000);
    assertThat(done).containsExactly("second");
    hand.advance(Duration.ofHours(1));
    assertThat(done).containsExactly("second", "hour");
  }

  @Test
  void aTaskInTheFarthestFutureHoldsUpNobody() {
    scheduler.schedule(task("soon"), 1, TimeUnit.MILLISECONDS);
    hand.turn();
    scheduler.schedule(
        () -> scheduler.schedule(task("never"), Long.MAX_VALUE, TimeUnit.NANOSECONDS),
        1,
        TimeUnit.MILLISECONDS);
    scheduler.schedule(task("never"), Long.MAX_VALUE, TimeUnit.DAYS);
    hand.turn();
    advance(5);
    scheduler.schedule(task("late"), 1, TimeUnit.MILLISECONDS);
    scheduler.schedule(task("never"), Long.MAX_VALUE, TimeUnit.SECONDS);
    advance(5);
    assertThat(done).containsExactly("soon", "late");
  }

  @Test
  void aPeriodicTaskRunsAgainAndAgain() {
    Disposable periodic =
        scheduler.schedulePeriodically(task("tick"), 5, 10, TimeUnit.MILLISECONDS);
    advance(4);
    assertThat(done).isEmpty();
    advance(1);
    assertThat(done).hasSize(1);
    advance(10);
    assertThat(done).hasSize(2);
    advance(30);
    assertThat(done).hasSize(5);
    periodic.dispose();
    advance(1_000);
    assertThat(done).hasSize(5);
    assertThat(periodic.isDisposed()).isTrue();
  }

  /** Times are compared by their difference: that of 292 years and what is overdue overflows. */
  @Test
  void aPeriodThatIsNeverOverStopsNoOtherTask() {
    scheduler.schedulePeriodically(task("rare"), 1, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    scheduler.schedule(task("soon"), 2, TimeUnit.MILLISECONDS);
    hand.turn();
    hand.loop.standStill(Duration.ofMillis(5));
    advance(5);
    assertThat(done).containsExactly("rare", "soon");
  }

  @Test
  void aPeriodicTaskMayBeginAtOnceAndEndItself() {
    Disposable[] self = new Disposable[1];
    self[0] =
        scheduler.schedulePeriodically(
            () -> {
              done.add("tick");
              if (done.size() == 3) {
                self[0].dispose();
              }
            },
            0,
            1,
            TimeUnit.MILLISECONDS);
    hand.turn();
    assertThat(done).hasSize(1);
    advance(100);
    assertThat(done).hasSize(3);
  }

  @Test
  void whatIsDisposedDoesNotRun() {
    Disposable now = scheduler.schedule(task("now"));
    Disposable later = scheduler.schedule(task("later"), 1, TimeUnit.MILLISECONDS);
    now.dispose();
    hand.turn();
    later.dispose();
    later.dispose();
    advance(10);
    assertThat(done).isEmpty();
    assertThat(now.isDisposed()).isTrue();
    assertThat(later.isDisposed()).isTrue();
  }

  @Test
  void whatHasRunIsDisposed() {
    Disposable now = scheduler.schedule(task("now"));
    assertThat(now.isDisposed()).isFalse();
    hand.turn();
    assertThat(now.isDisposed()).isTrue();
  }

  @Test
  void disposingAWorkerCancelsItsOwnAndRefusesNew() {
    Scheduler.Worker worker = scheduler.createWorker();
    Scheduler.Worker other = scheduler.createWorker();
    worker.schedule(task("first"));
    hand.turn();
    worker.schedule(task("now"));
    worker.schedule(task("later"), 1, TimeUnit.MILLISECONDS);
    worker.schedulePeriodically(task("tick"), 0, 1, TimeUnit.MILLISECONDS);
    other.schedule(task("other"));
    other.schedule(task("other later"), 1, TimeUnit.MILLISECONDS);
    worker.dispose();
    advance(10);
    assertThat(done).containsExactly("first", "other", "other later");
    assertThat(worker.isDisposed()).isTrue();
    assertThat(other.isDisposed()).isFalse();
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> worker.schedule(task("new")));
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> worker.schedule(task("new"), 1, TimeUnit.MILLISECONDS));
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> worker.schedulePeriodically(task("new"), 1, 1, TimeUnit.SECONDS));
  }

  @Test
  void aWorkerKeepsItsOrder() {
    Scheduler.Worker worker = scheduler.createWorker();
    for (int i = 0; i < 5_000; i++) {
      worker.schedule(task("" + i));
    }
    hand.turn();
    assertThat(done).hasSize(5_000);
    for (int i = 0; i < 5_000; i++) {
      assertThat(done.get(i)).isEqualTo("" + i);
    }
  }

  @Test
  void aTaskThatThrowsHarmsNobody() {
    scheduler.schedule(() -> {
      throw new IllegalStateException("a task's own");
    });
    scheduler.schedule(() -> {
      throw new AssertionError("a task's own");
    });
    scheduler.schedule(task("next"));
    scheduler.schedulePeriodically(
        () -> {
          done.add("tick");
          throw new IllegalStateException("a task's own");
        },
        1,
        1,
        TimeUnit.MILLISECONDS);
    hand.turn();
    advance(3);
    assertThat(done).containsExactly("next", "tick", "tick", "tick");
    assertThat(hand.engine().isClosed()).isFalse();
  }

  @Test
  void disposingItByHandDoesNothing() {
    scheduler.dispose();
    assertThat(scheduler.isDisposed()).isFalse();
    scheduler.schedule(task("still"));
    hand.turn();
    assertThat(done).containsExactly("still");
  }

  @Test
  void afterTheCloseEverythingIsRejected() {
    Scheduler.Worker worker = scheduler.createWorker();
    scheduler.schedule(task("pending"), 1, TimeUnit.HOURS);
    scheduler.schedulePeriodically(task("periodic"), 1, 1, TimeUnit.HOURS);
    hand.turn();
    hand.close().assertComplete();
    assertThat(scheduler.isDisposed()).isTrue();
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> scheduler.schedule(task("late")));
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> scheduler.schedule(task("late"), 1, TimeUnit.SECONDS));
    assertThatExceptionOfType(RejectedExecutionException.class)
        .isThrownBy(() -> worker.schedule(task("late")));
    hand.advance(Duration.ofHours(2));
    assertThat(done).isEmpty();
    worker.dispose();
  }

  @Test
  void operatorsRunOnIt() {
    Probe<Integer> published = hand.probe(Flux.range(0, 1_000).publishOn(scheduler));
    Probe<Long> delayed = hand.probe(Mono.delay(Duration.ofMillis(3), scheduler));
    Probe<Long> interval = hand.probe(Flux.interval(Duration.ofMillis(2), scheduler).take(3));
    Probe<Integer> subscribed = hand.probe(Mono.fromCallable(() -> 7).subscribeOn(scheduler));
    hand.turn();
    assertThat(published.assertComplete().count()).isEqualTo(1_000);
    assertThat(subscribed.assertComplete().items()).containsExactly(7);
    advance(3);
    delayed.assertComplete();
    advance(3);
    interval.assertComplete();
  }
}
