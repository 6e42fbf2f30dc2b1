package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.test.scheduler.VirtualTimeScheduler;

/** What is left of the time of an order, and whether that is enough. */
class PaceTest {

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final Pace pace = new Pace(Duration.ofSeconds(16), new KvTimers(time));

  /** Or prefill would end before decode does what decode calls its deadline. */
  @Test
  void aPartOfAMillisecondIsAWholeOne() {
    assertThat(pace.left()).isEqualTo(Duration.ofSeconds(16));
    time.advanceTimeBy(Duration.ofNanos(1));
    assertThat(pace.left()).isEqualTo(Duration.ofSeconds(16));
    time.advanceTimeBy(Duration.ofNanos(999_999));
    assertThat(pace.left()).isEqualTo(Duration.ofMillis(15_999));
    time.advanceTimeBy(Duration.ofSeconds(20));
    assertThat(pace.left()).isEqualTo(Duration.ofMillis(1));
  }

  /** The time of day may be set back, and a meter takes no time that is less than none. */
  @Test
  void noTimeIsNegativeWhereAClockIsSetBack() {
    AtomicLong clock = new AtomicLong(1_000);
    Scheduler setBack =
        new Scheduler() {
          @Override
          public Disposable schedule(Runnable task) {
            return time.schedule(task);
          }

          @Override
          public Worker createWorker() {
            return time.createWorker();
          }

          @Override
          public long now(TimeUnit unit) {
            return unit.convert(clock.get(), TimeUnit.NANOSECONDS);
          }
        };
    Pace jumps = new Pace(Duration.ofSeconds(16), new KvTimers(setBack));
    clock.set(400);
    jumps.expect(1);
    jumps.came(1);
    clock.set(300);
    assertThat(jumps.untilFirst()).isZero();
    assertThat(jumps.sinceFirst()).isZero();
    assertThat(jumps.sinceStart()).isZero();
  }

  @Test
  void saysWhatIsLateOfWhat() {
    assertThat(pace.lateText()).isEqualTo("expected an answer within PT16S, none came");
    pace.expect(30);
    pace.expect(10);
    assertThat(pace.lateText()).isEqualTo("expected 40 arrivals within PT16S, none came");
    pace.came(1);
    assertThat(pace.lateText())
        .isEqualTo("expected 40 arrivals within PT16S, 1 or a few more came");
  }

  @Test
  void whatCannotBeDoneInTwiceTheTimeThatIsLeftIsInfeasible() {
    pace.expect(80);
    time.advanceTimeBy(Duration.ofSeconds(4));
    assertThat(pace.infeasible()).isNull(); // nothing came, and it may come at once
    pace.came(10);
    time.advanceTimeBy(Duration.ofMillis(1_999));
    assertThat(pace.infeasible()).isNull(); // too early to say
    time.advanceTimeBy(Duration.ofMillis(4_001));
    // 20 of 80 in 6 s, so 18 s for the others; there are 6.
    assertThat(pace.infeasible())
        .isEqualTo(
            "expected it to take at most 6000 ms more, got a rate at which it takes some 18000 ms");
    pace.came(30);
    assertThat(pace.infeasible()).isNull();
  }

  /** There is no time left that it would not be enough for. */
  @Test
  void whatIsLateIsNotInfeasible() {
    pace.expect(80);
    pace.came(10);
    time.advanceTimeBy(Duration.ofSeconds(16));
    assertThat(pace.infeasible()).isNull();
    time.advanceTimeBy(Duration.ofSeconds(8));
    assertThat(pace.infeasible()).isNull();
  }
}
