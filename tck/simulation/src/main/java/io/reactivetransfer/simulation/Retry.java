package io.reactivetransfer.simulation;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Someone who submits the same transfer again under the same immediate until it is done, and those
 * who claim it. Where the immediate is in doubt, or the outcome unknown because it was cancelled,
 * its targets discard before that.
 */
final class Retry {

  private static final int MAX_ATTEMPTS = 6;
  private static final int MAX_CLAIMS = 12;
  private static final long MAX_PAUSE_NANOS = 400_000;
  private static final long MAX_HASTE_NANOS = 200_000;

  private final Node node;
  private final World world;
  private final SplittableRandom random;
  private Volley volley;
  private int attempts;
  private int discards;
  private boolean over;

  private Retry(Node node, Volley volley, SplittableRandom random) {
    this.node = node;
    this.world = node.world();
    this.volley = volley;
    this.random = random;
  }

  static void begin(Node node, TransferEngine engine, SplittableRandom random) {
    int imm = node.world().takeRetryImm();
    Volley volley = VolleyMaker.makeCounted(node, engine, imm, random);
    if (volley == null) {
      return;
    }
    Retry retry = new Retry(node, volley, random.split());
    for (Count count : volley.arrivals().keySet()) {
      count.repeated();
      retry.claimLater(count, volley.arrivals().get(count), 0);
    }
    retry.attempt();
  }

  // ---- the origin ----

  private void attemptLater() {
    node.act(random.nextLong(MAX_PAUSE_NANOS), this::attempt);
  }

  private void attempt() {
    TransferEngine engine = node.engine();
    MemoryRegion source = volley.region();
    if (world.isGivenUp()
        || !node.isUp()
        || engine == null
        || source == null
        || source.isClosed()) {
      over = true;
      return;
    }
    boolean last = ++attempts == MAX_ATTEMPTS;
    if (attempts > 1) {
      volley = volley.again();
    }
    volley.keepSource(!last);
    boolean hasty = !last && random.nextInt(3) > 0;
    long deadline = hasty ? random.nextLong(1, MAX_HASTE_NANOS) : world.forecast().deadlineNanos();
    Attempt attempt = new Attempt(this, deadline);
    engine.submit(volley.transfer, Duration.ofNanos(deadline)).subscribe(attempt);
    if (!last && random.nextInt(6) == 0) {
      node.act(random.nextLong(MAX_PAUSE_NANOS), attempt::cancel);
    }
  }

  private static final class Attempt extends SubmitProbe {
    private final Retry retry;

    Attempt(Retry retry, long deadlineNanos) {
      super(retry.node, retry.volley, deadlineNanos, ALL);
      this.retry = retry;
    }

    @Override
    void cancel() {
      boolean open = !isOver();
      super.cancel();
      if (open && isCancelled()) {
        retry.cancelled();
      }
    }

    @Override
    void end(@Nullable Throwable error) {
      super.end(error);
      retry.ended(error);
    }
  }

  private void ended(@Nullable Throwable error) {
    if (error == null || attempts == MAX_ATTEMPTS || node.isClosing()) {
      over = true;
    } else if (error instanceof TransferRejectedException || isDoubted()) {
      node.act(random.nextLong(MAX_PAUSE_NANOS), this::discardAll);
    } else {
      attemptLater();
    }
  }

  private boolean isDoubted() {
    return volley.arrivals().keySet().stream().anyMatch(Count::isDoubted);
  }

  /** What was posted goes on; when it is over, whatever it has counted is dropped. */
  private void cancelled() {
    MemoryRegion region = volley.region();
    if (region == null || region.isClosed() || volley.transfer instanceof Signal) {
      over = true; // a signal has no source that could tell when it is over
      return;
    }
    region
        .quiesced()
        .subscribe(
            new Probe<Void>(node, "quiesced before a retry", true) {
              @Override
              void end(@Nullable Throwable error) {
                // arrivals that are there, and not counted yet, are counted by then
                node.act(MAX_PAUSE_NANOS, Retry.this::discardAll);
              }
            });
  }

  // ---- the targets ----

  /** Has all targets begin anew, and then submits again; if one of them never does, that is it. */
  private void discardAll() {
    discards = volley.arrivals().size();
    volley.arrivals().keySet().forEach(count -> count.target.act(0, () -> discard(count)));
  }

  private void discard(Count count) {
    TransferEngine engine = count.target.engine();
    if (count.target.isUp() && engine != null) {
      engine
          .counter(Imm.of(count.imm))
          .discard()
          .subscribe(
              new Probe<Long>(count.target, "discard before a retry", true) {
                @Override
                void end(@Nullable Throwable error) {
                  count.discarded();
                  if (--discards == 0) {
                    attemptLater();
                  }
                }
              });
    }
  }

  private void claimLater(Count count, int arrivals, int claims) {
    count.target.act(random.nextLong(MAX_PAUSE_NANOS), () -> claim(count, arrivals, claims + 1));
  }

  private void claim(Count count, int arrivals, int claims) {
    TransferEngine engine = count.target.engine();
    if (count.target.isUp() && engine != null && !world.isGivenUp()) {
      engine
          .counter(Imm.of(count.imm))
          .next(arrivals)
          .cast(Object.class)
          .subscribe(new Waiter(this, count, arrivals, claims));
    }
  }

  /** Claims all arrivals of one attempt, again and again. */
  private static final class Waiter extends ClaimProbe {
    private final Retry retry;
    private final Count count;
    private final int arrivals;
    private final int claims;

    Waiter(Retry retry, Count count, int arrivals, int claims) {
      super(count, arrivals, false, java.util.List.of(), 0, ALL);
      this.retry = retry;
      this.count = count;
      this.arrivals = arrivals;
      this.claims = claims;
    }

    @Override
    void end(@Nullable Throwable error) {
      super.end(error);
      if (error instanceof TransferFailedException && claims < MAX_CLAIMS && !retry.over) {
        retry.claimLater(count, arrivals, claims);
      }
    }
  }
}
