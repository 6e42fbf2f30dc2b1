package io.reactivetransfer.kvcache;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The prefill side: takes requests, and writes layer after layer into decode's pages as they are
 * finished. One object for one KV memory and any number of hand-overs. Safe from any thread, never
 * blocks; signals come on the engine's signal scheduler, and deadlines on {@code
 * Schedulers.parallel()}.
 *
 * <p>An engine can be this and {@link KvDecode} at once; there is one of each.
 */
public final class KvPrefill implements Disposable {

  /** Requests that may be open, running ones included; one more is refused. */
  public static final int MAX_OPEN_REQUESTS = 1_024;

  private static final Logger LOG = Loggers.getLogger(KvPrefill.class);

  /** How long a last word to decode may take before the caller gets his error without it. */
  private static final Duration LAST_WORD = Duration.ofSeconds(2);

  private record Key(EngineId decode, long id) {}

  final TransferEngine engine;
  final KvMemory memory;
  private final Map<Key, KvRequest> open = new ConcurrentHashMap<>();
  private final Sinks.Many<KvRequest> requests =
      Sinks.many().multicast().onBackpressureBuffer(MAX_OPEN_REQUESTS, false);
  private final AtomicBoolean beingRead = new AtomicBoolean();
  private final Disposable inbox;

  private KvPrefill(TransferEngine engine, KvMemory memory) {
    this.engine = engine;
    this.memory = memory;
    this.inbox = KvInbox.open(engine, KvInbox.TO_PREFILL, new Incoming());
  }

  /**
   * The prefill side on this engine. Reads message channel 16 of the engine from now on until it is
   * disposed of; all others are the application's, or other libraries'.
   *
   * @param memory where the finished pages lie. Decode has the same layers and page size; its pool
   *     may be larger or smaller
   */
  public static KvPrefill open(TransferEngine engine, KvMemory memory) {
    return new KvPrefill(engine, memory);
  }

  /**
   * The requests that decode nodes sent and that fit this memory; others are refused without a word
   * to the application. One subscriber at a time: another one gets an {@link
   * IllegalStateException}. Requests wait here, up to {@value #MAX_OPEN_REQUESTS}, while there is
   * no demand, and while one subscriber has gone and the next has not come; one that decode cancels
   * meanwhile is not emitted. Completes when the engine closes.
   *
   * <p>An error in the code behind ends that subscription, as Reactive Streams has it, and with it
   * what it had taken and not answered; {@link #serve} keeps the failure of one request apart from
   * the others.
   */
  public Flux<KvRequest> requests() {
    return Bulkhead.around(() -> {
      if (!beingRead.compareAndSet(false, true)) {
        return Flux.error(
            new IllegalStateException(
                "expected one subscriber of requests() at a time, got another one"));
      }
      return requests
          .asFlux()
          .filter(KvRequest::isOpen)
          .doOnTerminate(() -> beingRead.set(false))
          .doOnCancel(() -> beingRead.set(false));
    });
  }

  /**
   * Serves requests, up to {@value #MAX_OPEN_REQUESTS} at once, until the engine closes; then it
   * completes. Each one is given to {@code handler}, which answers it by {@link #handOver} or
   * {@link #refuse}; what it returns is subscribed to, and its elements are dropped. What fails,
   * fails for that request alone: whatever the handler throws, an error of what it returned, and an
   * end without an answer are logged, and refuse the request with that reason. When the time of a
   * request is over that was not answered, what the handler returned is cancelled. Cancelling
   * cancels all that runs. Subscribes to {@link #requests()}.
   */
  public Mono<Void> serve(Function<? super KvRequest, ? extends Publisher<?>> handler) {
    Objects.requireNonNull(handler, "handler");
    return requests().flatMap(request -> answered(request, handler), MAX_OPEN_REQUESTS, 1).then();
  }

  /** Never fails. */
  private Mono<Void> answered(
      KvRequest request, Function<? super KvRequest, ? extends Publisher<?>> handler) {
    return Bulkhead.<Object>around(() -> handler.apply(request))
        .takeUntilOther(unanswered(request))
        .then(Mono.defer(() -> refuse(request, "prefill's application ended without an answer")))
        .onErrorResume(failure -> {
          if (!(failure
              instanceof HandOverException)) { // which says where it came from, and is told
            Bulkhead.said(() -> LOG.warn("{} could not be served", request, failure));
          }
          return refuse(request, "prefill failed: " + HandOverException.textOf(failure));
        });
  }

  /**
   * Emits when the time of a request is over and nobody has answered it; else never ends. What a
   * handler throws on a thread of its own may be told to nobody, and must not hold a place for
   * ever.
   */
  private static Mono<Long> unanswered(KvRequest request) {
    return Mono.delay(request.remaining())
        .flatMap(over -> request.isTaken() ? Mono.never() : Mono.just(over));
  }

  /**
   * Hands over what a request asks for. On subscribe, which may happen once for each request: takes
   * the finished layers as the engine has room for them, writes each one when it comes, and the
   * tail when they are complete; then every page of every layer must have come once. Emits each
   * part that is done, in the order in which they are done; elements wait for demand, and slow
   * demand does not slow the transfer. Completes when all is done.
   *
   * <p>Ends with a {@link HandOverException} that names the decode node when that is lost or
   * cancels, when its deadline is over, and when a write or {@code finished} fails; decode is told.
   * Ended by an error, by completion or by a cancel: no more is posted. With an error or
   * completion, nothing of it reads the source memory any more; after a cancel, {@link
   * io.reactivetransfer.MemoryRegion#quiesced()} says so.
   *
   * @param request one that this object's {@link #requests()} or {@link #serve} emitted; another
   *     object's is an {@link IllegalArgumentException}, and stays open
   * @param pages the source pages in this memory, as many as the request wants, the same ones in
   *     each layer; leave them alone until the end
   * @param finished the layers, or chunks of them, as they are finished, in any order
   * @param tail what to write last, filled in by the time {@code finished} completes; no longer
   *     than {@link KvRequest#tailBytes()}
   */
  public Flux<KvWritten> handOver(
      KvRequest request, PageList pages, Publisher<FinishedLayer> finished, MemorySlice tail) {
    Objects.requireNonNull(finished, "finished");
    request.requireOf(this);
    HandOver.requireFits(this, request, pages, tail);
    return Flux.defer(() -> {
      HandOver handOver = new HandOver(this, request, new KvWrites(this, request, pages, tail));
      if (!request.take(handOver)) {
        return Flux.error(gone(request));
      }
      return handOver.start(finished);
    });
  }

  /**
   * Tells decode, on subscribe, that this request will not be served. Completes when the message is
   * on its way; has no effect on a request that was answered already.
   *
   * @param request one that this object's {@link #requests()} or {@link #serve} emitted; another
   *     object's is an {@link IllegalArgumentException}, and stays open
   * @param reason for people; at most 512 bytes of it are sent
   */
  public Mono<Void> refuse(KvRequest request, String reason) {
    request.requireOf(this);
    return Mono.defer(() -> {
      if (!request.isOpen() || request.endUnlessTaken() != null) {
        return Mono.empty();
      }
      forget(request);
      return tell(request.decode(), refusal(request.id(), reason));
    });
  }

  /**
   * Stops reading messages. Hand-overs that run go on, but do not hear of a cancel any more;
   * requests that wait are not emitted any more.
   */
  @Override
  public void dispose() {
    inbox.dispose();
    requests.tryEmitComplete();
  }

  @Override
  public boolean isDisposed() {
    return inbox.isDisposed();
  }

  /** A completion proves that nothing is on its way any more. */
  boolean quietWhenDone() {
    return engine.completionLevel() == CompletionLevel.DELIVERED;
  }

  void forget(KvRequest request) {
    open.remove(keyOf(request), request);
  }

  /**
   * Tries to tell decode; whoever cannot be told finds out by itself. Completes whatever happens,
   * and throws nothing: a hand-over ends behind it.
   */
  Mono<Void> tell(Peer decode, OldMessage message) {
    return Mono.defer(() -> engine.send(decode, KvInbox.TO_DECODE, OldCodec.encode(message)))
        .timeout(LAST_WORD)
        .doOnError(e ->
            Bulkhead.said(() -> LOG.debug("could not tell {}: {}", decode.address(), e.toString())))
        .onErrorComplete();
  }

  private static OldMessage.End refusal(long id, String reason) {
    return new OldMessage.End(id, OldMessage.Outcome.REFUSED, true, 0, reason);
  }

  private static Key keyOf(KvRequest request) {
    return new Key(request.decode().id(), request.id());
  }

  private static HandOverException gone(KvRequest request) {
    return new HandOverException(
        HandOverException.Reason.CANCELLED,
        "decode",
        request.decode(),
        request.id(),
        "expected a request that nobody answered or cancelled",
        null);
  }

  private final class Incoming implements KvInbox.Handler {

    @Override
    public void received(Peer sender, OldMessage message) {
      switch (message) {
        case OldMessage.Request request -> admit(new KvRequest(KvPrefill.this, sender, request));
        case OldMessage.Cancel cancel -> cancel(sender, cancel.id());
        case OldMessage.End end -> LOG.warn("{} sent the end of a hand-over", sender.address());
      }
    }

    @Override
    public void ended(@Nullable Throwable failure) {
      if (failure == null) {
        requests.tryEmitComplete();
      } else {
        requests.tryEmitError(failure);
      }
    }

    private void admit(KvRequest request) {
      String objection = HandOver.objection(KvPrefill.this, request);
      if (objection == null && open.size() >= MAX_OPEN_REQUESTS && !dropExpired()) {
        objection = "busy: " + MAX_OPEN_REQUESTS + " requests are open";
      }
      if (objection == null && open.putIfAbsent(keyOf(request), request) != null) {
        return; // the same request again: the first one is being answered
      }
      if (objection == null && requests.tryEmitNext(request).isFailure()) {
        forget(request);
        objection = "no more requests are taken";
      }
      if (objection != null) {
        tell(request.decode(), refusal(request.id(), objection)).subscribe();
      }
    }

    /** Makes room: decode has given up on what was not answered in time. */
    private boolean dropExpired() {
      return open.values()
          .removeIf(old -> old.remaining().isNegative() && old.endUnlessTaken() == null);
    }

    private void cancel(Peer sender, long id) {
      KvRequest request = open.get(new Key(sender.id(), id));
      HandOver running = request == null ? null : request.endUnlessTaken();
      if (running != null && running.stop(running.cancelled())) {
        return; // answers when what is in flight is done
      }
      if (request != null) {
        forget(request);
      }
      boolean untouched = request != null && running == null;
      OldMessage.Outcome outcome =
          untouched ? OldMessage.Outcome.CANCELLED : OldMessage.Outcome.NOT_RUNNING;
      tell(
              sender,
              new OldMessage.End(
                  id,
                  outcome,
                  untouched || quietWhenDone(),
                  untouched ? 0 : OldMessage.End.UNKNOWN,
                  "cancelled"))
          .subscribe();
    }
  }
}
