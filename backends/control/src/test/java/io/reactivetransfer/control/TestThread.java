package io.reactivetransfer.control;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** A thread that runs what it is given, from any thread, which never has to wait for a lock. */
final class TestThread implements AutoCloseable {

  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Thread thread = Thread.ofPlatform().daemon().name("test-engine").start(this::run);
  private volatile boolean closed;

  void execute(Runnable task) {
    tasks.add(task);
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!closed) {
      Runnable task = tasks.poll();
      if (task == null) {
        LockSupport.park(this);
      } else {
        task.run();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
