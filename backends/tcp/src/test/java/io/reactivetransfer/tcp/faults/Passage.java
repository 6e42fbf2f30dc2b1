package io.reactivetransfer.tcp.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How bytes get through a {@link Cable} at present. */
final class Passage {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Direction> stalled = EnumSet.noneOf(Direction.class);
  private final Map<Direction, Tap> taps = new EnumMap<>(Direction.class);
  private Random random = new Random(0);
  private long maxDelayNanos;
  private long bytesPerSecond;
  private int maxPiece;

  void stall(Direction direction) {
    change(() -> stalled.add(direction));
  }

  void delay(Duration most, Random seeded) {
    change(() -> {
      random = seeded;
      maxDelayNanos = most.toNanos();
    });
  }

  void throttle(long bytes) {
    change(() -> bytesPerSecond = bytes);
  }

  void crumble(int most, Random seeded) {
    change(() -> {
      random = seeded;
      maxPiece = most;
    });
  }

  void tap(Direction direction, Tap tap) {
    change(() -> taps.put(direction, tap));
  }

  void mend() {
    change(() -> {
      stalled.clear();
      taps.clear();
      maxDelayNanos = 0;
      bytesPerSecond = 0;
      maxPiece = 0;
    });
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns when this direction is not stalled. */
  void await(Direction direction) {
    lock.lock();
    try {
      while (stalled.contains(direction)) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Passes these bytes on, as slowly and in as many pieces as it is now. */
  void pass(Direction direction, long position, byte[] bytes, int length, OutputStream out)
      throws IOException {
    for (int at = 0; at < length; ) {
      int piece = piece(length - at);
      Tap tap = tap(direction);
      if (tap != null) {
        tap.passes(position + at, bytes, at, piece);
      }
      hold(piece);
      await(direction);
      out.write(bytes, at, piece);
      at += piece;
    }
  }

  private int piece(int length) {
    lock.lock();
    try {
      return maxPiece == 0 ? length : Math.min(length, 1 + random.nextInt(maxPiece));
    } finally {
      lock.unlock();
    }
  }

  private Tap tap(Direction direction) {
    lock.lock();
    try {
      return taps.get(direction);
    } finally {
      lock.unlock();
    }
  }

  /** For as long as a piece is to be delayed, or until that is over. */
  private void hold(int piece) {
    lock.lock();
    try {
      long nanos = maxDelayNanos == 0 ? 0 : random.nextLong(maxDelayNanos);
      if (bytesPerSecond > 0) {
        nanos += TimeUnit.SECONDS.toNanos(piece) / bytesPerSecond;
      }
      while (nanos > 0 && (maxDelayNanos > 0 || bytesPerSecond > 0)) {
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      lock.unlock();
    }
  }
}
