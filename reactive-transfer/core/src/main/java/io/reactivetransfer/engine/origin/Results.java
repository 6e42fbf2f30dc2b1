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

  /** For a transfer that is done. */
  R done(T transfer);

  /** For one that is not; asked only if {@link #each()}. */
  R failed(T transfer, TransferException failure);

  /** Whether every transfer has a result, so that the first failure does not end the stream. */
  boolean each();

  /** The transfers themselves; the first failure ends the stream. */
  record Done<T>() implements Results<T, T> {
    @Override
    public T done(T transfer) {
      return transfer;
    }

    @Override
    public T failed(T transfer, TransferException failure) {
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
    public Outcome<T> done(T transfer) {
      return new Outcome<>(transfer, null);
    }

    @Override
    public Outcome<T> failed(T transfer, TransferException failure) {
      return new Outcome<>(transfer, failure);
    }

    @Override
    public boolean each() {
      return true;
    }
  }
}
