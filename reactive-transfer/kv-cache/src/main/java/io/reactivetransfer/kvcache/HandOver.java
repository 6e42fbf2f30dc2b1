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

  private final KvPrefill owner;
  private final KvRequest request;
  private final KvWrites writes;
  private final Sinks.Empty<Void> stopped = Sinks.empty();
  private final Sinks.Many<KvWritten> progress = Sinks.many().unicast().onBackpressureBuffer();

  /** Why it shall end early; the first reason counts. Guarded by this, like the next one. */
  private @Nullable HandOverException reason;

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
            .takeUntilOther(stopped.asMono());
    Duration remaining = request.remaining();
    if (!remaining.isPositive()) {
      remaining = Duration.ofMillis(1);
    }
    owner
        .cache()
        .engine
        .submit(all, remaining)
        .subscribe(this::written, this::failed, this::finished);
    return Bulkhead.around(
        progress.asFlux().doOnCancel(() -> stop(cancelledHere())), thrown -> stop(thrownHere()));
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
    synchronized (this) {
      why = reason;
      complete = why == null;
    }
    if (why == null) {
      owner.desk().over(request, null).subscribe();
      progress.tryEmitComplete();
    } else {
      end(KvMessage.Outcome.CANCELLED, writes.arrivals(), why);
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
