package io.reactivetransfer.engine.base;

import reactor.core.scheduler.Scheduler;

/** Where users are called: the one hand-over on the way up. From any thread. */
public final class SignalScheduler {

  private final Scheduler scheduler;
  private final Defects defects;

  /** On this scheduler of the user's. */
  public SignalScheduler(Scheduler scheduler, Defects defects) {
    this.scheduler = scheduler;
    this.defects = defects;
  }

  /** The scheduler itself. */
  public Scheduler get() {
    return scheduler;
  }

  /** For signals that come one after another. */
  public Scheduler.Worker createWorker() {
    return scheduler.createWorker();
  }

  /** Has it done there; throws if the scheduler is gone. */
  public void schedule(Runnable signal) {
    scheduler.schedule(signal);
  }

  /** Has something of a user's done there, or here if the scheduler is gone. */
  public void signal(Runnable signal) {
    Runnable guarded = () -> defects.attempt("a signal", signal);
    try {
      scheduler.schedule(guarded);
    } catch (Throwable failure) {
      failed(failure);
      guarded.run();
    }
  }

  /** The scheduler takes nothing more. */
  public void failed(Throwable failure) {
    defects.report(
        "the signal scheduler is disposed; signals come on the NIC's thread: " + failure);
  }
}
