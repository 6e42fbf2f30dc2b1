package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How tests wait for the end of something, or for nothing to happen. */
public final class Waiting {

  private Waiting() {}

  /** The error that ends it, no later than this long from now. */
  public static Throwable failure(CompletableFuture<?> future, Duration within) {
    return future
        .handle((value, error) -> {
          assertThat(error).as("expected an error, got " + value).isNotNull();
          return error;
        })
        .orTimeout(within.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** Nothing comes of it for this long. */
  public static void silence(CompletableFuture<?> future, Duration length) {
    assertThatThrownBy(() -> future.get(length.toMillis(), TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
  }
}
