package io.reactivetransfer.examples.moe;

import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Stands in for an accelerator: does one piece of work after the other, each of which takes its
 * time, and none of it on the host's cores.
 */
final class TimedDevice {

  private long freeAt = System.nanoTime();

  /** Hands a piece of work over when it is subscribed to; completes when that is done. */
  Mono<Void> work(long nanos) {
    return Mono.defer(() -> Mono.delay(Duration.ofNanos(untilDone(nanos))).then());
  }

  private synchronized long untilDone(long nanos) {
    long now = System.nanoTime();
    freeAt = Math.max(freeAt, now) + nanos;
    return freeAt - now;
  }
}
