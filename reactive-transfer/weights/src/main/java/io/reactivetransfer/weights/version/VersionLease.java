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

  private final Gate gate;

  @SuppressWarnings("unused") // by its handle
  private boolean isClosed;

  VersionLease(Gate gate) {
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

  /** The memory of that buffer, as it was given to the rank. */
  public List<Memory> regions() {
    return gate.regions;
  }

  /** Gives it back. Closing again does nothing; does not block. */
  @Override
  public void close() {
    if (IS_CLOSED.compareAndSet(this, false, true)) {
      gate.leave();
    }
  }
}
