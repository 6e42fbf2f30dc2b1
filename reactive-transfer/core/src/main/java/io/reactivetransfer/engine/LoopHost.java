package io.reactivetransfer.engine;

import io.reactivetransfer.spi.WorkerLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Has a backend's own loop give the turns: one for each ring of the doorbell, and when a timer is
 * due. What is handed down within a turn has the next one at once, without another task.
 */
final class LoopHost implements WorkerHost {

  /** Turns of one task; further ones come behind what the loop itself has to do. */
  private static final int MAX_TURNS = 2;

  /** A turn with more to do than this has made the loop's own work wait for long enough. */
  private static final int SHORT = 64;

  private final WorkerLoop loop;
  private final AtomicBoolean queued = new AtomicBoolean();
  private final Runnable turn = this::turn;
  private @Nullable Worker worker;

  /** Written on the loop only, and believed there only. */
  private boolean inTurn;

  /** Whether there was a ring within the present turn. */
  private boolean again;

  private boolean alarmSet;
  private long alarmAt;
  private volatile boolean stopped;

  LoopHost(WorkerLoop loop) {
    this.loop = loop;
  }

  @Override
  public void start(Worker worker) {
    this.worker = worker;
    ring();
  }

  @Override
  public boolean inWorker() {
    return loop.inLoop();
  }

  @Override
  public void ring() {
    if (inTurn && loop.inLoop()) {
      again = true;
      return;
    }
    // What was left for the turn may be a write that is delayed behind the read of queued: then a
    // turn that has begun would be taken for one that will.
    VarHandle.fullFence();
    if (!stopped && !queued.get() && queued.compareAndSet(false, true)) {
      try {
        loop.execute(turn);
      } catch (RuntimeException | Error e) {
        queued.set(false); // the next ring asks again
        throw e;
      }
    }
  }

  private void turn() {
    queued.set(false);
    Worker current = worker;
    if (stopped || current == null) {
      return;
    }
    int work = turns(current);
    try {
      if (work > 0 || again) {
        ring(); // behind what the loop itself has to do
      } else if (!stopped) {
        setAlarm(current);
      }
    } catch (RuntimeException | Error e) {
      current.breakDown(e); // nobody would ring again, or when the alarm's time has come
    }
  }

  /** Returns how much there was to do in the last one. */
  private int turns(Worker current) {
    int work;
    int left = MAX_TURNS;
    inTurn = true;
    try {
      do {
        again = false;
        work = current.doWork();
      } while (--left > 0 && again && work <= SHORT && !stopped);
    } finally {
      inTurn = false;
    }
    return work;
  }

  /** For the first timer, unless one is set that is not later. */
  private void setAlarm(Worker current) {
    long begun = current.timers().turnNanos(); // the clock costs as much as the rest of this
    long nanos = current.nanosToNextTimer(begun);
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    long due = begun + nanos;
    if (!alarmSet || due - alarmAt < 0) {
      alarmSet = true;
      alarmAt = due;
      loop.schedule(() -> alarm(due), Math.max(0, due - current.timers().now()));
    }
  }

  private void alarm(long due) {
    if (due == alarmAt) {
      alarmSet = false;
    }
    ring();
  }

  @Override
  public CompletionStage<Void> halt() {
    stopped = true;
    return loop.close();
  }
}
