package io.reactivetransfer.moe;

/**
 * What a lane copies or computes in each step, on the scheduler of the options; then it goes on in
 * a turn. Made once for all steps.
 */
final class Work implements Runnable {

  private final Group group;
  private final Runnable task;
  private final Runnable then;
  private final Runnable schedule = this::schedule;
  private final Runnable done = this::done;

  /**
   * Not begun.
   *
   * @param task on the scheduler
   * @param then in a turn, unless the group has failed meanwhile
   */
  Work(Group group, Runnable task, Runnable then) {
    this.group = group;
    this.task = task;
    this.then = then;
  }

  /** Begins; only when it is not under way. In a turn. */
  void begin() {
    group.workBegins();
    group.turns.handOverAfterwards(schedule);
  }

  private void schedule() {
    try {
      if (group.worksOnNicThread) {
        group.engine.executor().execute(this); // behind what was just given to the NIC
      } else {
        group.options.scheduler().schedule(this);
      }
    } catch (Throwable e) {
      group.turns.run(() -> group.workFailed(e));
    }
  }

  @Override
  public void run() {
    try {
      task.run();
    } catch (Throwable e) {
      // Whatever it is, such as memory that was freed meanwhile, it ends the group and is heard.
      group.turns.run(() -> group.workFailed(e));
      return;
    }
    group.turns.run(done);
  }

  private void done() {
    if (group.workEnds()) {
      then.run();
    }
  }
}
