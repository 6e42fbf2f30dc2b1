package io.reactivetransfer.moe;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * What is done later, unless it is disposed of before: then it holds nothing any more, whatever a
 * scheduler keeps. One that runs is not interrupted. Safe from any thread.
 */
final class Timer implements Runnable, Disposable {

  private final AtomicReference<@Nullable Runnable> event;
  private final Disposable.Swap task = Disposables.swap();

  Timer(Runnable event) {
    this.event = new AtomicReference<>(event);
  }

  /** A scheduler has it. */
  void scheduled(Disposable task) {
    this.task.update(task);
  }

  @Override
  public void run() {
    Runnable due = event.getAndSet(null);
    if (due != null) {
      due.run();
    }
  }

  @Override
  public void dispose() {
    if (event.getAndSet(null) != null) {
      task.dispose();
    }
  }

  @Override
  public boolean isDisposed() {
    return event.get() == null;
  }
}
