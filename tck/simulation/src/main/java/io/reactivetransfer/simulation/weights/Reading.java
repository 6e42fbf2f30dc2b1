package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.version.NotServingException;
import io.reactivetransfer.weights.version.VersionLease;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One batch of a reader: it takes a lease, reads all that it shows, and again before it ends. */
final class Reading {

  /** So long a batch takes at most. */
  private static final int LONGEST_BITS = 21;

  private static final int SHORTEST_BITS = 8;

  private final Life life;
  private final Serving serving;
  private final long nanos;

  private Reading(Life life, SplittableRandom random) {
    this.life = life;
    this.serving = life.serving;
    this.nanos = random.nextLong(1L << random.nextInt(SHORTEST_BITS, LONGEST_BITS));
  }

  /** One in some way. Called on a thread of the process. */
  static void begin(Life life, SplittableRandom random) {
    Reading reading = new Reading(life, random);
    switch (random.nextInt(4)) {
      case 0 -> reading.scope();
      case 1 -> reading.whenServing();
      default -> reading.now();
    }
  }

  private void now() {
    VersionLease lease = life.rank.tryLease();
    if (lease != null) {
      hold(lease);
    }
  }

  private void whenServing() {
    life.rank
        .serving()
        .subscribe(
            new Waiter<Void>(serving.node, "wait for a version", false) {
              @Override
              void end(@Nullable Throwable failure) {
                serving
                    .world
                    .referee()
                    .require(
                        failure == null || failure instanceof NotServingException,
                        this + " failed: " + failure);
                if (failure == null) {
                  now();
                }
              }
            });
  }

  private void scope() {
    life.rank
        .read(lease -> {
          begun(lease);
          return Mono.delay(Duration.ofNanos(nanos), serving.node.scheduler())
              .doOnTerminate(() -> ended(lease))
              .then(Mono.<Integer>empty());
        })
        .subscribe(new Waiter<>(serving.node, "batch", false));
  }

  private void hold(VersionLease lease) {
    begun(lease);
    serving.node.act(
        nanos,
        () -> {
          ended(lease);
          lease.close();
        });
  }

  private void begun(VersionLease lease) {
    serving.leaseOpened(lease.buffer());
    life.readingBegan();
    serving.verify(lease, "leases");
  }

  private void ended(VersionLease lease) {
    serving.verify(lease, "has leased");
    serving.leaseClosed(lease.buffer());
    life.readingEnded();
  }
}
