package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * What became of one transfer of a stream; see {@link TransferEngine#submitEach}.
 *
 * @param transfer the caller's own object
 * @param failure why it is not done, or null if it is. A {@link TransferRejectedException} says
 *     that it was not posted, or not as a whole
 * @param <T> the kind of transfer
 */
public record Outcome<T extends Transfer>(T transfer, @Nullable TransferException failure) {

  /** Whether it is done. */
  public boolean isDone() {
    return failure == null;
  }
}
