package io.reactivetransfer.engine;

import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Defects;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/**
 * Tasks of users for a worker's thread, in order, between two turns of the NICs. They stand in a
 * queue of their own, so that one that throws is heard, and none needs an object around it.
 */
final class NicExecutor implements Executor {

  private static final int CHUNK = 64;

  private final MpscUnboundedVarHandleArrayQueue<Runnable> tasks =
      new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
  private final Commands commands;
  private final Defects defects;
  private final Runnable one = this::runOne;

  NicExecutor(Commands commands, Defects defects) {
    this.commands = commands;
    this.defects = defects;
  }

  @Override
  public void execute(Runnable task) {
    Objects.requireNonNull(task, "task");
    if (commands.haveEnded()) {
      throw new RejectedExecutionException("the engine is closed");
    }
    tasks.offer(task);
    commands.execute(one);
  }

  /** One for each that was handed in. */
  private void runOne() {
    Runnable task = tasks.poll();
    if (task == null) {
      return;
    }
    try {
      task.run();
    } catch (Throwable failure) {
      defects.failed("a task of its executor", failure);
    }
  }
}
