package io.reactivetransfer.engine;

import io.reactivetransfer.EngineStats;
import java.util.concurrent.atomic.AtomicLong;

/** What a worker counts: written by its thread alone, read by any. */
final class Counters {

  /** A counter with one writer: no locked instruction on the data path. */
  static final class Counter {
    private final AtomicLong value = new AtomicLong();

    void add(long delta) {
      value.setRelease(value.getPlain() + delta);
    }

    long get() {
      return value.getAcquire();
    }
  }

  final Counter transfersInFlight = new Counter();
  final Counter writesInFlight = new Counter();
  final Counter writesPosted = new Counter();
  final Counter bytesPosted = new Counter();
  final Counter arrivals = new Counter();
  final Counter openRegions = new Counter();
  final Counter pendingClaims = new Counter();
  final Counter unclaimedImms = new Counter();
  final Counter droppedImms = new Counter();

  void posted(long bytes) {
    writesInFlight.add(1);
    writesPosted.add(1);
    bytesPosted.add(bytes);
  }

  EngineStats snapshot() {
    return new EngineStats(
        transfersInFlight.get(),
        writesInFlight.get(),
        writesPosted.get(),
        bytesPosted.get(),
        arrivals.get(),
        openRegions.get(),
        pendingClaims.get(),
        unclaimedImms.get(),
        droppedImms.get());
  }
}
