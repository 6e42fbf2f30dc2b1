package io.reactivetransfer.engine.base;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does something with each of several who wait, also where it throws with one of them: the others
 * would never be told.
 */
public final class ForAll {

  private ForAll() {}

  /**
   * Goes over those that there are now.
   *
   * @throws RuntimeException or an Error, the first that was thrown, when all have had their turn;
   *     the others are suppressed in it
   */
  public static <T> void of(Collection<T> items, Consumer<? super T> action) {
    @Nullable Throwable first = null;
    for (T item : List.copyOf(items)) {
      try {
        action.accept(item);
      } catch (RuntimeException | Error failure) {
        if (first == null) {
          first = failure;
        } else if (!failure.equals(first)) {
          first.addSuppressed(failure);
        }
      }
    }
    switch (first) {
      case null -> {}
      case Error error -> throw error;
      default -> throw (RuntimeException) first;
    }
  }
}
