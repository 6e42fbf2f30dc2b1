package io.reactivetransfer.engine.base;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** What is to be done when what the NICs have found by now was taken note of. */
public final class AfterPoll implements Executor {

  private final BooleanSupplier polled;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /**
   * Nothing yet.
   *
   * @param polled whether there are NICs that turns poll; if not, nothing waits for it
   */
  public AfterPoll(BooleanSupplier polled) {
    this.polled = polled;
  }

  @Override
  public void execute(Runnable action) {
    if (polled.getAsBoolean()) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  /** The NICs were polled. */
  public void run() {
    Runnable action;
    while ((action = waiting.poll()) != null) {
      action.run();
    }
  }

  /** Runs all, whatever happens in some of them. */
  public void runAll(Defects defects) {
    while (!waiting.isEmpty()) {
      defects.attempt("an action after polling", this::run);
    }
  }
}
