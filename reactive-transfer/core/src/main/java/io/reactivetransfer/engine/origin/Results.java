package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Outcome;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;

/**
 * What a submission emits for its transfers.
 *
 * @param <T> the transfers
 * @param <R> what is emitted
 */
public sealed interface Results<T, R> {

  /** For what has ended: a transfer that is done, or what was made of one that is not. */
  R of(Object ended);

  /** For a transfer that is not done; asked only if {@link #each()}. */
  Object failed(Transfer transfer, TransferException failure);

  /** Whether every transfer has a result, so that the first failure does not end the stream. */
  boolean each();

  /** The transfers themselves; the first failure ends the stream. */
  record Done<T>() implements Results<T, T> {
    @Override
    @SuppressWarnings("unchecked") // nothing else was given
    public T of(Object ended) {
      return (T) ended;
    }

    @Override
    public Object failed(Transfer transfer, TransferException failure) {
      throw new IllegalStateException("a failed transfer is not emitted", failure);
    }

    @Override
    public boolean each() {
      return false;
    }
  }

  /** The outcome of each. */
  record Each<T extends Transfer>() implements Results<T, Outcome<T>> {
    @Override
    @SuppressWarnings("unchecked") // nothing else was given
    public Outcome<T> of(Object ended) {
      return ended instanceof Outcome<?> ? (Outcome<T>) ended : new Outcome<>((T) ended, null);
    }

    @Override
    public Object failed(Transfer transfer, TransferException failure) {
      return new Outcome<>(transfer, failure);
    }

    @Override
    public boolean each() {
      return true;
    }
  }
}
