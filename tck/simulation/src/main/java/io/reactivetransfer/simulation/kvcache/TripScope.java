package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.KvArrival;
import java.time.Duration;
import java.util.SplittableRandom;
import reactor.core.publisher.Mono;

/** The scope in which one order's arrival is used. */
final class TripScope {

  private static final long LONGEST_USE_NANOS = 1_000_000;

  private final Trip trip;
  private final TripPages pages;
  private final SplittableRandom random;
  private boolean kept;

  TripScope(Trip trip, TripPages pages, SplittableRandom random) {
    this.trip = trip;
    this.pages = pages;
    this.random = random;
  }

  /** Whether the pages were taken out of it. */
  boolean isKept() {
    return kept;
  }

  Mono<Integer> of(KvArrival arrival) {
    trip.step(TripPlan.Step.IN_USE);
    // Not if it was cancelled while it was used: then nobody may have it any more.
    if (trip.plan().use() == TripPlan.Use.KEEP && !trip.isCancelled()) {
      arrival.keep();
      kept = true;
      trip.node().act(random.nextLong(LONGEST_USE_NANOS), () -> release(arrival));
    }
    return scope()
        .doOnSubscribe(begun -> trip.step(TripPlan.Step.SCOPE_BEGUN))
        .doOnTerminate(this::over)
        .doOnCancel(this::over);
  }

  private Mono<Integer> scope() {
    return switch (trip.plan().use()) {
      case AT_ONCE, KEEP -> Mono.just(trip.number);
      case LATER ->
          Mono.delay(Duration.ofNanos(random.nextLong(LONGEST_USE_NANOS)), trip.node().scheduler())
              .publishOn(trip.node().scheduler())
              .map(later -> {
                if (!trip.isEnded()) {
                  pages.requireFilled("is in use");
                }
                return trip.number;
              });
      case EMPTY -> Mono.empty();
      case ERROR -> Mono.error(new IllegalStateException("who uses it fails"));
      case THROWS -> {
        over();
        throw new IllegalStateException("who uses it breaks down");
      }
      case HANG -> Mono.never();
    };
  }

  private void over() {
    if (pages.isInUse() && !kept) {
      pages.scopeOver("is at the end of its scope");
    }
  }

  private void release(KvArrival arrival) {
    if (pages.isInUse()) {
      pages.scopeOver("was kept");
      arrival.release();
    }
  }
}
