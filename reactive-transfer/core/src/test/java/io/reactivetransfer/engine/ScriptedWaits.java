package io.reactivetransfer.engine;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.NicWait;
import io.reactivetransfer.spi.NicWaits;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Waits without an operating system: a descriptor becomes readable when the test says so. */
final class ScriptedWaits implements NicWaits {

  final List<ScriptedWait> opened = new CopyOnWriteArrayList<>();
  volatile Availability availability = Availability.available();
  volatile BackendException openFailure;
  volatile BackendException awaitFailure;

  @Override
  public Availability availability() {
    return availability;
  }

  @Override
  public NicWait open() {
    if (openFailure != null) {
      throw openFailure;
    }
    ScriptedWait wait = new ScriptedWait();
    opened.add(wait);
    return wait;
  }

  /** The only one that was opened. */
  ScriptedWait only() {
    return opened.getFirst();
  }

  /** What one thread waits with. */
  final class ScriptedWait implements NicWait {

    private final Thread thread = Thread.currentThread();
    private volatile boolean woken;
    private volatile boolean readable;
    private volatile boolean waiting;
    final List<int[]> watched = new CopyOnWriteArrayList<>();
    final AtomicInteger awaits = new AtomicInteger();
    final AtomicInteger wakes = new AtomicInteger();
    final AtomicInteger found = new AtomicInteger();
    volatile long longestNanos;
    volatile boolean closed;

    /** Whether the thread is in there. */
    boolean isWaiting() {
      return waiting;
    }

    int[] now() {
      return watched.getLast();
    }

    /** What was watched, in order, as text. */
    List<String> watched() {
      return watched.stream().map(Arrays::toString).toList();
    }

    /** Makes a descriptor readable, once. */
    void readable() {
      readable = true;
      LockSupport.unpark(thread);
    }

    @Override
    public void watch(int[] descriptors) {
      watched.add(descriptors.clone());
    }

    @Override
    public boolean await(long nanos) {
      if (awaitFailure != null) {
        throw awaitFailure;
      }
      long end = System.nanoTime() + nanos;
      awaits.incrementAndGet();
      longestNanos = Math.max(longestNanos, nanos);
      waiting = true;
      long left = nanos;
      while (!woken && !readable && left > 0) {
        LockSupport.parkNanos(this, left);
        left = end - System.nanoTime();
      }
      waiting = false;
      if (readable) {
        found.incrementAndGet();
      }
      boolean any = woken || readable;
      woken = false;
      readable = false;
      return any;
    }

    @Override
    public void wake() {
      wakes.incrementAndGet();
      woken = true;
      LockSupport.unpark(thread);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
