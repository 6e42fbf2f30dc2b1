package io.reactivetransfer.ibverbs.ffi;

import org.jspecify.annotations.Nullable;

/**
 * What a call gave, or why it did not.
 *
 * @param value null if it failed
 * @param error a negated errno, or 0
 */
public record Result<T>(@Nullable T value, int error) {

  static <T> Result<T> of(T value) {
    return new Result<>(value, 0);
  }

  static <T> Result<T> failed(int error) {
    return new Result<>(null, error);
  }
}
