package io.reactivetransfer.tck;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Hooks;

/** Records what Reactor had to drop, and what no one caught, while a test runs. */
final class Dropped implements AutoCloseable {

  private final List<String> all = new CopyOnWriteArrayList<>();
  private final Thread.@Nullable UncaughtExceptionHandler before;

  private Dropped() {
    before = Thread.getDefaultUncaughtExceptionHandler();
  }

  static Dropped record() {
    Dropped dropped = new Dropped();
    Hooks.onErrorDropped(error -> dropped.all.add("an error was dropped: " + error));
    Hooks.onNextDropped(value -> dropped.all.add("an element was dropped: " + value));
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, error) -> dropped.all.add("uncaught on " + thread.getName() + ": " + error));
    return dropped;
  }

  List<String> all() {
    return List.copyOf(all);
  }

  @Override
  public void close() {
    Hooks.resetOnErrorDropped();
    Hooks.resetOnNextDropped();
    Thread.setDefaultUncaughtExceptionHandler(before);
  }
}
