package io.reactivetransfer.kvcache;

import io.reactivetransfer.Transfer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * One hand-over on the prefill side. However it ends, it first lets finish what the engine has
 * taken: only then it can tell decode, truthfully, that nothing more comes.
 */
final class HandOver {

  /** Longer than writes take that were taken in time. */
  private static final Duration TO_BE_COUNTED = Duration.ofSeconds(2);

  private final KvPrefill owner;
  private final KvRequest request;
  private final KvWrites writes;
  private final Sinks.Empty<Void> stopped = Sinks.empty();
  private final Sinks.Many<KvWritten> progress = Sinks.many().unicast().onBackpressureBuffer();

  /** Why it shall end early; the first reason counts. Guarded by this, like the next one. */
  private @Nullable HandOverException reason;

  private KvMessage.Outcome outcome = KvMessage.Outcome.CANCELLED;

  private boolean complete;

  HandOver(KvPrefill owner, KvRequest request, KvWrites writes) {
    this.owner = owner;
    this.request = request;
    this.writes = writes;
  }

  Flux<KvWritten> start(Publisher<FinishedLayer> finished) {
    Flux<Transfer> all =
        Bulkhead.<FinishedLayer>around(() -> finished)
            .concatMapIterable(writes::layer, 1)
            .concatWith(Flux.defer(() -> Flux.fromIterable(writes.tail())))
            .onErrorResume(cause -> {
              brokeDown(cause);
              return Flux.empty();
            })
            .takeUntilOther(stopped.asMono())
            .doOnNext(writes::taken);
    owner
        .cache()
        .engine
        .submit(all, deadline())
        .subscribe(this::written, this::failed, this::finished);
    return Bulkhead.around(
        progress.asFlux().doOnCancel(() -> stop(cancelledHere())), thrown -> stop(thrownHere()));
  }

  /**
   * When the engine breaks off what it has taken. The request stops this at its deadline anyhow;
   * where it takes counts, or a revocation, to know that nothing more lands, what was taken is
   * given time to be done, and counted in full.
   */
  private Duration deadline() {
    Duration remaining = request.remaining();
    if (!remaining.isPositive()) {
      remaining = Duration.ofMillis(1);
    }
    boolean endsAtOnce = owner.desk().quietWhenDone() && owner.cache().engine.fencesLostPeers();
    return endsAtOnce ? remaining : remaining.plus(TO_BE_COUNTED);
  }

  private void written(Transfer done) {
    KvWritten part = writes.written(done);
    if (part != null) {
      progress.tryEmitNext(part);
    }
  }

  /** Posts nothing more. Whether decode hears of it: not if all had been done already. */
  boolean stop(HandOverException why) {
    synchronized (this) {
      if (complete) {
        return false;
      }
      if (reason != null) {
        return true;
      }
      reason = why;
    }
    stopped.tryEmitEmpty();
    return true;
  }

  /**
   * What computes the layers has failed, and no write: what was posted is done as ever, and counted
   * as often as is said. The engine would break it off, and nobody could say how often it counts.
   */
  private void brokeDown(Throwable cause) {
    synchronized (this) {
      if (reason == null) {
        outcome = KvMessage.Outcome.FAILED;
      }
    }
    stop(HandOverException.of(cause, request.with(), request.id()));
  }

  private HandOverException cancelledHere() {
    return request.because(HandOverException.Reason.CANCELLED, "prefill cancelled it");
  }

  /** By whoever watches it; he gets what he has thrown when nothing reads his memory any more. */
  private HandOverException thrownHere() {
    return request.because(
        HandOverException.Reason.CANCELLED, "prefill's application has thrown an error");
  }

  private void finished() {
    HandOverException why;
    KvMessage.Outcome how;
    synchronized (this) {
      why = reason;
      how = outcome;
      complete = why == null;
    }
    if (why == null) {
      owner.desk().done(request, writes.arrivals());
      progress.tryEmitComplete();
    } else {
      end(how, writes.arrivals(), why);
    }
  }

  private void failed(Throwable cause) {
    HandOverException failure = HandOverException.of(cause, request.with(), request.id());
    stop(failure);
    end(KvMessage.Outcome.FAILED, KvMessage.End.UNKNOWN, failure);
  }

  /** Decode first: whoever gets the error may close the engine at once. */
  private void end(KvMessage.Outcome outcome, long arrivals, HandOverException why) {
    Throwable cause = why.getCause();
    String text = HandOverException.textOf(cause == null ? why : cause);
    KvMessage.End word =
        new KvMessage.End(request.id(), outcome, owner.desk().quietWhenDone(), arrivals, text);
    owner
        .desk()
        .over(request, word)
        .subscribe(done -> {}, never -> {}, () -> progress.tryEmitError(why));
  }
}
