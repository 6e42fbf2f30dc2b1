package io.reactivetransfer.simulation;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Where a stream of transfers comes from: makes each when it is asked for it, at once or after a
 * while, and completes or breaks in the end.
 */
final class Upstream implements Publisher<Transfer>, Subscription {

  /** How it breaks. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken() {
      super("upstream is broken", null, false, false);
    }
  }

  private static final long MAX_PAUSE_NANOS = 20_000;

  private final StreamProbe probe;
  private final Node node;
  private final TransferEngine engine;
  private final int imm;
  private final boolean prompt;
  private final boolean breaks;
  private final SplittableRandom random;
  private @Nullable Subscriber<? super Transfer> subscriber;
  private int left;
  private long demand;
  private boolean emitting;
  private boolean over;

  Upstream(StreamProbe probe, TransferEngine engine, int imm, SplittableRandom random) {
    this.probe = probe;
    this.node = probe.node;
    this.engine = engine;
    this.imm = imm;
    this.random = random;
    this.left = random.nextInt(20);
    this.prompt = random.nextBoolean();
    this.breaks = random.nextInt(8) == 0;
    probe.upstream(this);
  }

  @Override
  public void subscribe(Subscriber<? super Transfer> subscriber) {
    this.subscriber = subscriber;
    subscriber.onSubscribe(this);
    if (left == 0) {
      finish(subscriber);
    }
  }

  @Override
  public void request(long n) {
    Referee referee = node.world().referee();
    referee.require(n > 0, probe + " asks upstream for " + n);
    demand += n;
    referee.require(
        demand + probe.inFlight() <= Math.max(0, probe.requested() - probe.received()),
        probe + " asks upstream for more than it was asked for");
    referee.require(
        demand + probe.inFlight() <= engine.options().window(),
        probe + " asks upstream for more than its window");
    if (prompt) {
      emitAll();
    } else {
      node.act(random.nextLong(MAX_PAUSE_NANOS), this::emitAll);
    }
  }

  private void emitAll() {
    Subscriber<? super Transfer> downstream = subscriber;
    if (emitting || downstream == null) {
      return;
    }
    emitting = true;
    while (demand > 0 && left > 0 && !over) {
      Volley volley = VolleyMaker.make(node, engine, imm, random);
      if (volley == null) {
        left = 0;
        break;
      }
      demand--;
      left--;
      probe.issue(volley);
      downstream.onNext(volley.transfer);
    }
    emitting = false;
    if (left == 0) {
      finish(downstream);
    }
  }

  /** Whether it will emit nothing any more, also because nobody subscribed to it. */
  boolean isOver() {
    return over || subscriber == null;
  }

  private void finish(Subscriber<? super Transfer> downstream) {
    if (over) {
      return;
    }
    over = true;
    if (breaks) {
      downstream.onError(new Broken());
    } else {
      downstream.onComplete();
    }
  }

  @Override
  public void cancel() {
    over = true;
  }
}
