package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.NicWait;
import io.reactivetransfer.spi.NicWaits;
import java.util.HashSet;
import java.util.Set;

/**
 * File descriptors that the operating system knows nothing of, and what waits for them: so a NIC
 * within the JVM can have some.
 */
final class Descriptors implements NicWaits {

  private final Set<Integer> readable = new HashSet<>();
  private int last = 1_000_000;

  /** A new one, not readable. */
  synchronized int newDescriptor() {
    return ++last;
  }

  synchronized void set(int descriptor, boolean isReadable) {
    if (isReadable) {
      readable.add(descriptor);
      notifyAll();
    } else {
      readable.remove(descriptor);
    }
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public NicWait open() {
    return new Wait();
  }

  private synchronized boolean await(Set<Integer> watched, long nanos) {
    long deadline = System.nanoTime() + nanos;
    while (watched.stream().noneMatch(readable::contains)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  private final class Wait implements NicWait {
    private Set<Integer> watched = Set.of();

    @Override
    public void watch(int[] descriptors) {
      Set<Integer> next = new HashSet<>();
      for (int descriptor : descriptors) {
        next.add(descriptor);
      }
      watched = next;
    }

    @Override
    public boolean await(long nanos) {
      return Descriptors.this.await(watched, nanos);
    }

    @Override
    public void wake() {
      throw new UnsupportedOperationException("the kit turns by hand");
    }

    @Override
    public void close() {}
  }
}
