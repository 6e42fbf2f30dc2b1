package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Transfer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

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

  /**
   * Ends the stream of writes: when all that was taken is done, or with an error when the time is
   * over. The engine gives each write a time of its own, from when it takes it; but it breaks off
   * what is left of a stream that fails, and so of one that has not ended until then.
   */
  private final Sinks.Empty<Transfer> end = Sinks.empty();

  /** Writes that were taken and are not done, and one as long as others may come. */
  private final AtomicLong left = new AtomicLong(1);

  private final Disposable.Swap timeLimit = Disposables.swap();
  private final Sinks.Many<KvWritten> progress = Sinks.many().unicast().onBackpressureBuffer();

  /** Ends when nothing reads the source memory any more. */
  private final Sinks.Empty<Void> quiet = Sinks.empty();

  /** Why it shall end early; the first reason counts. Guarded by this, like the next one. */
  private @Nullable HandOverException reason;

  private KvMessage.Outcome outcome = KvMessage.Outcome.CANCELLED;

  private boolean complete;

  /**
   * Of what is done. Belongs to the signals of the stream of writes, the last of which ends all.
   */
  private long bytes;

  /** When the finished layers had completed, if somebody is told of that. */
  private volatile long computedNanos;

  HandOver(KvPrefill owner, KvRequest request, KvWrites writes) {
    this.owner = owner;
    this.request = request;
    this.writes = writes;
  }

  /**
   * Begins.
   *
   * @param context in which the layers are subscribed to
   */
  Flux<KvWritten> start(Publisher<FinishedLayer> finished, ContextView context) {
    Flux<Transfer> all =
        timed(Bulkhead.<FinishedLayer>around(() -> finished))
            .concatMapIterable(writes::layer, 1)
            .concatWith(Flux.defer(() -> Flux.fromIterable(writes.tail())))
            .onErrorResume(cause -> {
              brokeDown(cause);
              return Flux.empty();
            })
            .takeUntilOther(stopped.asMono())
            .doOnNext(this::taken)
            .concatWith(
                Mono.defer(() -> {
                  lessLeft();
                  return end.asMono();
                }))
            // Whoever watches may go on after an error of his own, but not leave out one of these.
            .onErrorStop();
    Duration deadline = deadline();
    try {
      timeLimit.update(owner.cache().timers.after(deadline.toNanos(), () -> late(deadline)));
    } catch (Throwable cause) {
      return notStarted(cause); // of the application's timers, for instance
    }
    owner
        .cache()
        .engine
        .submit(all, deadline)
        .subscribe(this::written, this::failed, this::finished, Context.of(context));
    // Behind the cancel of the progress: the end that it brings about is no signal to anybody.
    Flux<KvWritten> watched =
        progress
            .asFlux()
            .doFinally(end -> {
              if (end == SignalType.CANCEL) {
                stop(cancelledHere());
              }
            });
    return Bulkhead.around(watched, thrown -> stop(thrownHere()));
  }

  /** Looks at the clock only for a recorder. */
  private Flux<FinishedLayer> timed(Flux<FinishedLayer> layers) {
    return owner.cache().recording.isOn()
        ? layers.doOnComplete(() -> computedNanos = owner.cache().timers.nanos())
        : layers;
  }

  /** For how long all layers have been finished. */
  Duration sinceComputed() {
    return owner.cache().timers.since(computedNanos);
  }

  /** Bytes that were written. */
  long bytes() {
    return bytes;
  }

  /** The request was taken, and nothing was posted. */
  private Flux<KvWritten> notStarted(Throwable cause) {
    quiet.tryEmitEmpty();
    end(KvMessage.Outcome.FAILED, 0, HandOverException.of(cause, request.with(), request.id()));
    return progress.asFlux();
  }

  /**
   * When what the engine has taken is broken off, all of it at once. The request stops this at its
   * deadline anyhow; where it takes counts, or a revocation, to know that nothing more lands, what
   * was taken is given time to be done, and counted in full.
   */
  private Duration deadline() {
    Duration remaining = request.remaining();
    if (!remaining.isPositive()) {
      remaining = Duration.ofMillis(1);
    }
    boolean endsAtOnce = owner.desk().quietWhenDone() && owner.cache().engine.fencesLostPeers();
    return endsAtOnce ? remaining : remaining.plus(TO_BE_COUNTED);
  }

  private void taken(Transfer write) {
    writes.taken(write);
    left.incrementAndGet();
  }

  private void written(Transfer done) {
    KvWritten part = writes.written(done);
    if (part != null) {
      bytes += part.bytes();
      progress.tryEmitNext(part);
    }
    lessLeft();
  }

  private void lessLeft() {
    if (left.decrementAndGet() == 0) {
      end.tryEmitEmpty();
    }
  }

  private void late(Duration deadline) {
    end.tryEmitError(
        new DeadlineExceededException(
            "expected all writes to be done within " + deadline + ", got only so far"));
  }

  /** Completes when nothing of it reads the source memory any more, and nothing will. */
  Mono<Void> quiet() {
    return quiet.asMono();
  }

  /** Posts nothing more. Whether decode hears of it: not if all had been done already. */
  boolean stop(HandOverException why) {
    return stop(why, isLate(why) ? KvMessage.Outcome.DEADLINE : KvMessage.Outcome.CANCELLED);
  }

  /** What decode is told, and why, are of one and the same end. */
  private boolean stop(HandOverException why, KvMessage.Outcome how) {
    synchronized (this) {
      if (complete) {
        return false;
      }
      if (reason != null) {
        return true;
      }
      reason = why;
      outcome = how;
    }
    stopped.tryEmitEmpty();
    return true;
  }

  private static boolean isLate(HandOverException why) {
    return why.reason() == HandOverException.Reason.DEADLINE;
  }

  /**
   * What computes the layers has failed, and no write: what was posted is done as ever, and counted
   * as often as is said. The engine would break it off, and nobody could say how often it counts.
   */
  private void brokeDown(Throwable cause) {
    stop(HandOverException.of(cause, request.with(), request.id()), KvMessage.Outcome.FAILED);
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
    timeLimit.dispose();
    quiet.tryEmitEmpty();
    HandOverException why;
    KvMessage.Outcome how;
    synchronized (this) {
      why = reason;
      how = outcome;
      complete = why == null;
    }
    if (why == null) {
      owner
          .desk()
          .done(request, writes.arrivals())
          .subscribe(done -> {}, never -> {}, progress::tryEmitComplete);
    } else {
      end(how, writes.arrivals(), why);
    }
  }

  private void failed(Throwable cause) {
    if (left.get() == 0) {
      finished(); // all was done before the engine had heard that nothing more comes
      return;
    }
    timeLimit.dispose();
    quietAfterFailure();
    HandOverException failure = HandOverException.of(cause, request.with(), request.id());
    stop(failure);
    KvMessage.Outcome how = isLate(failure) ? KvMessage.Outcome.DEADLINE : KvMessage.Outcome.FAILED;
    // What the engine was never given was not written, be it that it had no room for the stream.
    end(how, writes.arrivals() == 0 ? 0 : KvMessage.End.UNKNOWN, failure);
  }

  /**
   * A stream that fails has waited for what was in flight. But when the engine has closed, only its
   * regions know whether a NIC is left that could not be closed, and reads them yet.
   */
  private void quietAfterFailure() {
    if (owner.cache().engine.isClosed()) {
      Ending.of(writes.sourcesQuiesced(), quiet::tryEmitEmpty, quiet::tryEmitError);
    } else {
      quiet.tryEmitEmpty();
    }
  }

  /** Decode first: whoever gets the error may close the engine at once. */
  private void end(KvMessage.Outcome outcome, long arrivals, HandOverException why) {
    Throwable cause = why.getCause();
    String text = HandOverException.textOf(cause == null ? why : cause);
    KvMessage.End word =
        new KvMessage.End(request.id(), outcome, owner.desk().quietWhenDone(), arrivals, text);
    Mono<Void> over =
        why.reason() == HandOverException.Reason.PEER_LOST
            ? owner.desk().lost(request, word, why)
            : owner.desk().over(request, word, () -> why);
    over.subscribe(done -> {}, never -> {}, () -> progress.tryEmitError(why));
  }
}
