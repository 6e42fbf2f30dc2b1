package io.reactivetransfer.cuda;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Where signals come, but for those that are held: as behind one that does not return. */
final class HeldSignals implements Executor {

  private final Executor thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private volatile boolean isHeld;

  Scheduler scheduler() {
    return Schedulers.fromExecutor(this);
  }

  void hold() {
    isHeld = true;
  }

  int count() {
    return held.size();
  }

  void letGo() {
    isHeld = false;
    for (Runnable signal = held.poll(); signal != null; signal = held.poll()) {
      thread.execute(signal);
    }
  }

  @Override
  public void execute(Runnable signal) {
    if (isHeld) {
      held.add(signal);
    } else {
      thread.execute(signal);
    }
  }
}
