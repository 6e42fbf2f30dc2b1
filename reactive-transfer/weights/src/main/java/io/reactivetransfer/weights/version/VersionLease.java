package io.reactivetransfer.weights.version;

import io.reactivetransfer.Memory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The right to read one version of the weights: none of its bytes changes until this is closed.
 * Take one for each batch and close it behind the batch, since a flip or the next update may wait
 * for it. Safe from any thread.
 */
public final class VersionLease implements AutoCloseable {

  private static final VarHandle IS_CLOSED;

  static {
    try {
      IS_CLOSED =
          MethodHandles.lookup().findVarHandle(VersionLease.class, "isClosed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String rank;
  private final Gate gate;

  @SuppressWarnings("unused") // by its handle
  private boolean isClosed;

  VersionLease(String rank, Gate gate) {
    this.rank = rank;
    this.gate = gate;
  }

  /** The version, as the application named it. */
  public long version() {
    return gate.version;
  }

  /**
   * The update that has written it; the same on all ranks that flipped together, and on no others.
   */
  public UpdateNumber update() {
    return gate.update;
  }

  /** In which buffer it lies: 0 or 1. */
  public int buffer() {
    return gate.buffer;
  }

  /**
   * The memory of that buffer, as it was given to the rank.
   *
   * @throws IllegalStateException if this is closed: the next update may write there
   */
  public List<Memory> regions() {
    if (isClosed()) {
      throw new IllegalStateException(
          "expected a lease that is open, got a "
              + this
              + ": close it behind the last byte that is read, and take another one for the next"
              + " batch");
    }
    return gate.regions;
  }

  private boolean isClosed() {
    return (boolean) IS_CLOSED.getAcquire(this);
  }

  /** Gives it back. Closing again does nothing; does not block. */
  @Override
  public void close() {
    if (IS_CLOSED.compareAndSet(this, false, true)) {
      gate.leave();
    }
  }

  /** Of which version at which rank, and whether it is closed. */
  @Override
  public String toString() {
    return (isClosed() ? "closed" : "open")
        + " lease of version "
        + gate.version
        + " at rank "
        + rank;
  }
}
