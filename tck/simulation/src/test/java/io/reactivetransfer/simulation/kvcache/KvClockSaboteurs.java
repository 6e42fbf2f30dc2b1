package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.simulation.ForwardingCalls;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;

/** What is wrong with the time. */
final class KvClockSaboteurs {

  private KvClockSaboteurs() {}

  static final class NoTimers implements Tampering {
    @Override
    public Scheduler timers(Scheduler sound) {
      return new Scheduler() {
        @Override
        public Disposable schedule(Runnable task) {
          return sound.schedule(task);
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
          return Disposables.disposed();
        }

        @Override
        public long now(TimeUnit unit) {
          return sound.now(unit);
        }

        @Override
        public Worker createWorker() {
          return sound.createWorker();
        }
      };
    }
  }

  /** The clock is wrong, and what is due later runs as ever. */
  static Tampering clock(LongUnaryOperator wrong) {
    return new Tampering() {
      @Override
      public Scheduler timers(Scheduler sound) {
        return ForwardingCalls.of(
            Scheduler.class,
            sound,
            "now",
            args ->
                ((TimeUnit) args[0])
                    .convert(
                        wrong.applyAsLong(sound.now(TimeUnit.NANOSECONDS)), TimeUnit.NANOSECONDS));
      }
    };
  }

  /** What is due later comes later than that. */
  static Tampering late(long nanos) {
    return new Tampering() {
      @Override
      public Scheduler timers(Scheduler sound) {
        return ForwardingCalls.of(
            Scheduler.class,
            sound,
            "schedule",
            args ->
                args.length == 1
                    ? sound.schedule((Runnable) args[0])
                    : sound.schedule(
                        (Runnable) args[0],
                        ((TimeUnit) args[2]).toNanos((Long) args[1]) + nanos,
                        TimeUnit.NANOSECONDS));
      }
    };
  }
}
