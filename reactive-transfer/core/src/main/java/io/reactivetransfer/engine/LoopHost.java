package io.reactivetransfer.engine;

import io.reactivetransfer.spi.WorkerLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Has a backend's own loop give the turns: one for each ring of the doorbell, and when a timer is
 * due.
 */
final class LoopHost implements WorkerHost {

  private final WorkerLoop loop;
  private final AtomicBoolean queued = new AtomicBoolean();
  private final Runnable turn = this::turn;
  private @Nullable Worker worker;
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
    int work = current.doWork();
    try {
      if (work > 0) {
        ring(); // behind what the loop itself has to do
      } else if (!stopped) {
        setAlarm(current);
      }
    } catch (RuntimeException | Error e) {
      current.breakDown(e); // nobody would ring again, or when the alarm's time has come
    }
  }

  /** For the first timer, unless one is set that is not later. */
  private void setAlarm(Worker current) {
    long nanos = current.nanosToNextTimer();
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    long due = current.timers().now() + nanos;
    if (!alarmSet || due - alarmAt < 0) {
      alarmSet = true;
      alarmAt = due;
      loop.schedule(() -> alarm(due), nanos);
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
