package io.reactivetransfer.staging;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a NIC may do now or later, and refuse by an exception either way. */
final class Futures {

  private Futures() {}

  static <T> CompletableFuture<T> of(Supplier<? extends CompletionStage<? extends T>> begin) {
    CompletableFuture<T> future = new CompletableFuture<>();
    try {
      var _ =
          begin
              .get()
              .whenComplete((value, failure) -> {
                if (failure == null) {
                  future.complete(value);
                } else {
                  future.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  /** What a future has failed with. */
  static Throwable why(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** What must be there by now. */
  static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("expected something that is there by now, got nothing");
    }
    return value;
  }
}
