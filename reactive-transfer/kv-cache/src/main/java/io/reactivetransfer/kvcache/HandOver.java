package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

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

  /** What is wrong with a request, or null: its numbers come from another process. */
  static @Nullable String objection(KvPrefill owner, KvRequest request) {
    OldLayout ours = owner.memory.layout();
    OldMessage.Request message = request.message();
    OldLayout theirs = message.layout();
    if (ours.layers() != theirs.layers() || ours.pageBytes() != theirs.pageBytes()) {
      return "expected "
          + ours.layers()
          + " layers of pages of "
          + ours.pageBytes()
          + " bytes, got "
          + theirs.layers()
          + " layers and "
          + theirs.pageBytes()
          + " bytes";
    }
    for (RegionDescriptor region :
        new RegionDescriptor[] {message.memory(), message.tail().region()}) {
      if (!region.owner().engine().equals(request.decode().id())) {
        return "expected memory of the one who asks, got a " + region;
      }
      try {
        owner.engine.remote(region);
      } catch (TransferException e) {
        return HandOverException.textOf(e);
      }
    }
    return null;
  }

  static void requireFits(KvPrefill owner, KvRequest request, PageList pages, MemorySlice tail) {
    if (pages.size() != request.pages()) {
      throw new IllegalArgumentException(
          "expected " + request.pages() + " source pages, got " + pages.size());
    }
    int poolPages = owner.memory.layout().poolPages();
    if (pages.largest() >= poolPages) {
      throw new IllegalArgumentException(
          "expected source pages of 0 to " + (poolPages - 1) + ", got " + pages.largest());
    }
    if (tail.length() > request.tailBytes()) {
      throw new IllegalArgumentException(
          "expected a tail of at most " + request.tailBytes() + " bytes, got " + tail.length());
    }
  }

  Flux<KvWritten> start(Publisher<FinishedLayer> finished) {
    Flux<Transfer> all =
        Bulkhead.<FinishedLayer>around(() -> finished)
            .map(writes::pages)
            .concatWith(Mono.fromSupplier(writes::tail))
            .takeUntilOther(stopped.asMono());
    Duration remaining = request.remaining();
    if (!remaining.isPositive()) {
      remaining = Duration.ofMillis(1);
    }
    Disposable deadline =
        Schedulers.parallel()
            .schedule(() -> stop(late()), remaining.toNanos(), TimeUnit.NANOSECONDS);
    owner
        .engine
        .submit(all, remaining)
        .doOnTerminate(deadline::dispose)
        .subscribe(
            done -> progress.tryEmitNext(writes.written(done)), this::failed, this::finished);
    return Bulkhead.around(
        progress.asFlux().doOnCancel(() -> stop(cancelledHere())), thrown -> stop(thrownHere()));
  }

  /** Posts nothing more. Whether decode hears of it: not if all had been done already. */
  synchronized boolean stop(HandOverException why) {
    if (complete) {
      return false;
    }
    if (reason == null) {
      reason = why;
      stopped.tryEmitEmpty();
    }
    return true;
  }

  /** Decode does not want it any more. */
  HandOverException cancelled() {
    return because(HandOverException.Reason.CANCELLED, "decode cancelled it");
  }

  private HandOverException cancelledHere() {
    return because(HandOverException.Reason.CANCELLED, "prefill cancelled it");
  }

  /** By whoever watches it; he gets what he has thrown when nothing reads his memory any more. */
  private HandOverException thrownHere() {
    return because(HandOverException.Reason.CANCELLED, "prefill's application has thrown an error");
  }

  private HandOverException late() {
    return because(
        HandOverException.Reason.DEADLINE,
        "expected to be done within " + request.message().deadline() + ", got only so far");
  }

  private HandOverException because(HandOverException.Reason why, String text) {
    return new HandOverException(why, "decode", request.decode(), request.id(), text, null);
  }

  private void finished() {
    HandOverException why;
    synchronized (this) {
      why = reason;
      complete = why == null;
    }
    if (why == null) {
      owner.forget(request);
      progress.tryEmitComplete();
    } else {
      end(OldMessage.Outcome.CANCELLED, writes.arrivals(), why);
    }
  }

  private void failed(Throwable cause) {
    HandOverException failure =
        HandOverException.of(cause, "decode", request.decode(), request.id());
    stop(failure);
    end(OldMessage.Outcome.FAILED, OldMessage.End.UNKNOWN, failure);
  }

  /** Decode first: whoever gets the error may close the engine at once. */
  private void end(OldMessage.Outcome outcome, long arrivals, HandOverException why) {
    Throwable cause = why.getCause();
    String text = HandOverException.textOf(cause == null ? why : cause);
    OldMessage.End message =
        new OldMessage.End(request.id(), outcome, owner.quietWhenDone(), arrivals, text);
    owner
        .tell(request.decode(), message)
        .subscribe(
            done -> {},
            never -> {},
            () -> {
              owner.forget(request);
              progress.tryEmitError(why);
            });
  }
}
