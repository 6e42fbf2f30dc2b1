package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.simulation.Referee;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * One order of whichever node is there, each attempt of which is a {@link Trip}. What must be true
 * of it: nobody is asked twice, or who was not named, or more of them than was said, or while
 * another one may yet do it, or once it has ended or arrived; the one with the fewest orders is
 * asked; and it is given up in time, and not while somebody is left to ask.
 */
final class RoutedTrip implements CoreSubscriber<Integer> {

  /** So much time must be left for another node to be asked. */
  private static final long WORTH_A_TRY_NANOS = 10_000_000;

  private final Decoding decoding;
  private final KvNode node;
  private final KvWorld world;
  private final Referee referee;
  private final Routes routes;
  private final TripPlan plan;
  private final SplittableRandom random;
  private final int number;
  private final Set<KvNode> asked = new HashSet<>();
  private long beganNanos;
  private long stoppedBefore;
  private @Nullable Subscription subscription;
  private @Nullable Trip attempt;
  private int disposalsBefore;
  private boolean arrived;
  private boolean ended;

  RoutedTrip(Routes routes, int number, SplittableRandom random) {
    this.decoding = routes.decoding();
    this.node = decoding.node;
    this.world = node.world();
    this.referee = world.referee();
    this.routes = routes;
    this.number = number;
    this.random = random;
    this.plan = TripPlan.draw(world.forecast().calm(), false, random);
  }

  // ---- what its maker does ----

  /** Begins. Called on a thread of its process. */
  void begin() {
    beganNanos = referee.nanos();
    stoppedBefore = node.stoppedNanos();
    disposalsBefore = node.disposals();
    referee.note(node.index(), "routed order", number);
    routes.begins(this);
    routes
        .routing()
        .receive(Duration.ofNanos(plan.deadlineNanos()), this::order, this::use)
        .subscribe(this);
    if (plan.cancelsSometime()) {
      long atMost = 1L << random.nextInt(8, plan.use() == TripPlan.Use.HANG ? 28 : 22);
      node.act(random.nextLong(atMost), this::cancel);
    }
  }

  private KvOrder.Builder order(Peer peer) {
    KvNode prefill = world.known(peer.id());
    requireAllowed(prefill);
    Trip before = attempt;
    attempt = null;
    if (before != null) {
      before.failedOver();
      routes.failed(before.books().prefills().getFirst(), referee.nanos() - before.ageNanos());
    }
    routes.requireBest(prefill, asked, this + " asks " + prefill);
    asked.add(prefill);
    TransferEngine engine = node.engine();
    if (engine == null) {
      throw new IllegalStateException("who orders has closed");
    }
    Trip next =
        new Trip(
            decoding,
            List.of(prefill),
            plan.within(leftNanos()),
            world.trips().size(),
            random.split());
    world.trips().add(next);
    KvOrder.Builder builder = next.beginAsAttempt(engine);
    next.onSubscribe(cancelling());
    attempt = next;
    return builder;
  }

  private void requireAllowed(KvNode prefill) {
    String what = this + " asks " + prefill;
    referee.require(!ended, what + ", and has ended");
    referee.require(!arrived, what + ", and has arrived");
    referee.require(!asked.contains(prefill), what + " twice");
    referee.require(routes.nodes().contains(prefill), what + ", of which nobody told it");
    referee.require(
        asked.size() < routes.attempts(), what + ", and was to ask " + routes.attempts());
  }

  /** An attempt is cancelled by a cancel of all. */
  private Subscription cancelling() {
    return new Subscription() {
      @Override
      public void request(long n) {
        // All of it was requested when it began.
      }

      @Override
      public void cancel() {
        end();
        Subscription source = subscription;
        if (source != null) {
          source.cancel();
        }
      }
    };
  }

  private void cancel() {
    Trip now = attempt;
    if (now != null && !ended) {
      now.cancel();
    } else if (!ended) {
      referee.note(node.index(), "cancel of a routed order", number);
      cancelling().cancel();
    }
  }

  private void end() {
    Trip last = attempt;
    if (last != null && !arrived && last.mayHaveFailed()) {
      routes.doubts(last.books().prefills().getFirst());
    }
    ended = true;
    routes.ends(this);
  }

  // ---- what comes of it ----

  private Mono<Integer> use(KvArrival arrival) {
    arrived = true;
    Trip now = attempt;
    if (now == null) {
      referee.violated(this + " has arrived, and nobody was asked");
      return Mono.empty();
    }
    routes.arrived(now.books().prefills().getFirst());
    return now.use(arrival);
  }

  @Override
  public void onSubscribe(Subscription source) {
    subscription = source;
    source.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(Integer value) {
    Trip now = attempt;
    if (now == null) {
      referee.violated(this + " got " + value + ", and nobody was asked");
    } else {
      now.onNext(value);
    }
  }

  @Override
  public void onComplete() {
    over();
    referee.require(arrived, this + " is complete, and has not arrived");
    Trip now = attempt;
    if (now != null) {
      now.onComplete();
    }
  }

  @Override
  public void onError(Throwable failure) {
    over();
    requireInTime();
    if (failure instanceof HandOverException handOver) {
      requireNobodyLeft(handOver);
    }
    Trip now = attempt;
    if (now != null) {
      now.onError(failure);
    } else if (!Trip.isOwn(failure) && !mayBeGone()) {
      referee.require(
          failure instanceof HandOverException handOver
              && handOver.peer() == null
              && handOver.reason() == HandOverException.Reason.DEADLINE,
          this + " has asked nobody, and failed: " + failure);
    }
  }

  private void over() {
    referee.note(node.index(), "end of a routed order", number);
    referee.require(!ended, this + " ended twice, or after it was cancelled");
    end();
  }

  /** Who would do it was asked, or could not be. */
  private void requireNobodyLeft(HandOverException failure) {
    if (arrived || mayBeGone() || (attempt != null && !isOfNode(failure))) {
      return;
    }
    boolean hasTime = leftNanos() > WORTH_A_TRY_NANOS;
    KvNode left =
        asked.size() < routes.attempts() && (hasTime || attempt == null)
            ? routes.nodes().stream()
                .filter(other -> !asked.contains(other))
                .findFirst()
                .orElse(null)
            : null;
    referee.require(left == null, this + " gave up, and did not ask " + left + ": " + failure);
    referee.require(
        !hasTime || asked.size() == routes.attempts() || routes.isComplete(),
        this + " gave up, and another node might have come: " + failure);
  }

  /** Whether it is the node that has failed, and not this one, or the time that was too short. */
  private static boolean isOfNode(HandOverException failure) {
    return failure.reason() != HandOverException.Reason.INFEASIBLE
        && !String.valueOf(failure.getMessage()).startsWith("hand-over with"); // nothing was sent
  }

  /** Whether its decode side may have been closed. */
  private boolean mayBeGone() {
    return node.isClosing() || !node.isOpen() || node.disposals() != disposalsBefore;
  }

  private void requireInTime() {
    referee.require(arrived || !isLate(), this + " was not over when its deadline was");
  }

  private boolean isLate() {
    long slack = world.forecast().slackNanos() + node.stoppedNanos() - stoppedBefore;
    return -leftNanos() > slack;
  }

  // ---- what others want to know ----

  /** Whom it has asked, and who has neither done it nor, as far as is known, failed. */
  @Nullable KvNode askedNow() {
    Trip now = attempt;
    return now == null || arrived || ended ? null : now.books().prefills().getFirst();
  }

  boolean mayHaveFailed() {
    Trip now = attempt;
    return now != null && now.mayHaveFailed();
  }

  boolean isOver() {
    return ended || node.isKilled();
  }

  /** Whether it should have ended by now. */
  boolean isOverdue() {
    return !isOver() && !arrived && isLate();
  }

  private long leftNanos() {
    return plan.deadlineNanos() - (referee.nanos() - beganNanos);
  }

  @Override
  public String toString() {
    return "routed order " + number + " of " + node;
  }
}
