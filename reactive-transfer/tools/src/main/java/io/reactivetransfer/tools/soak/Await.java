package io.reactivetransfer.tools.soak;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Waits for answers; one that does not come in time is lost. */
record Await(Duration limit) {

  /** The answer, which must be no error. */
  <T> @Nullable T value(Mono<T> mono, String what, Object place) throws InterruptedException {
    try {
      return end(mono.toFuture(), what, place);
    } catch (ExecutionException e) {
      throw failed(e, what, place);
    }
  }

  /** The same for one that was asked for. */
  void success(CompletableFuture<?> future, String what, Object place) throws InterruptedException {
    try {
      end(future, what, place);
    } catch (ExecutionException e) {
      throw failed(e, what, place);
    }
  }

  /** Either end will do; returns the error, if it is one. */
  @Nullable Throwable anyEnd(CompletableFuture<?> future, String what, Object place)
      throws InterruptedException {
    try {
      end(future, what, place);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private <T> @Nullable T end(CompletableFuture<@Nullable T> future, String what, Object place)
      throws InterruptedException, ExecutionException {
    try {
      return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw SoakFailure.at(
          place, what + " to end within " + limit.toSeconds() + " s", "no answer", null);
    }
  }

  private static SoakFailure failed(ExecutionException e, String what, Object place) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return cause instanceof SoakFailure failure
        ? failure
        : SoakFailure.at(place, what + " to succeed", cause.toString(), cause);
  }
}
