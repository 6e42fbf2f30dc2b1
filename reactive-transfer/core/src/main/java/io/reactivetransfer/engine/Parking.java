package io.reactivetransfer.engine;

import io.reactivetransfer.spi.NicWait;
import java.util.concurrent.locks.LockSupport;

/** Waits for rings alone, where NICs must be polled. */
final class Parking implements NicWait {

  private final Thread thread;

  Parking(Thread thread) {
    this.thread = thread;
  }

  @Override
  public void watch(int[] descriptors) {
    throw new UnsupportedOperationException("expected no descriptors: nothing is watched here");
  }

  @Override
  public boolean await(long nanos) {
    LockSupport.parkNanos(this, nanos);
    return false;
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }

  @Override
  public void close() {}
}
