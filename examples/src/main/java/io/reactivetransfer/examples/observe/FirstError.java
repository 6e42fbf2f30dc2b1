package io.reactivetransfer.examples.observe;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What has first failed among streams of a {@link Scenario} that are to go on until its end. */
final class FirstError implements Consumer<Throwable> {

  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  @Override
  public void accept(Throwable error) {
    first.compareAndSet(null, error);
  }

  /**
   * Goes on if nothing has failed.
   *
   * @throws IllegalStateException if something has
   */
  void check() {
    Throwable error = first.get();
    if (error != null) {
      throw new IllegalStateException(
          "expected all streams of the scenario to go on, one has failed: " + error, error);
    }
  }
}
