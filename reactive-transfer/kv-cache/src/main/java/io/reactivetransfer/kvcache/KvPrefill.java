package io.reactivetransfer.kvcache;

import io.reactivetransfer.Change;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The prefill side of a model: takes requests, and writes layer after layer into decode's pages as
 * they are finished. Any number of hand-overs run at once. Made by {@link KvCache#prefill}; safe
 * from any thread, never blocks.
 */
public final class KvPrefill implements Disposable {

  private static final Logger LOG = Loggers.getLogger(KvPrefill.class);

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private static final String SERVES_NO_MORE = "prefill serves no more";

  private final LogLimit warnings = new LogLimit(LOG);
  private final KvCache cache;
  private final Desk desk;
  private final String model;
  private final KvMemory memory;
  private final KnownMappings mappings = new KnownMappings();
  private final RequestQueue waiting;
  private final AtomicBoolean disposed = new AtomicBoolean();

  KvPrefill(KvCache cache, Desk desk, String model, KvMemory memory) {
    this.cache = cache;
    this.desk = desk;
    this.model = model;
    this.memory = Objects.requireNonNull(memory, "memory");
    this.waiting = new RequestQueue(desk::left);
  }

  /** Whose prefill side it is. */
  public KvCache cache() {
    return cache;
  }

  /** The model whose requests it takes. */
  public String model() {
    return model;
  }

  /** Where the finished pages lie. */
  public KvMemory memory() {
    return memory;
  }

  /**
   * The requests that decode nodes sent and that fit this memory; others are refused without a word
   * to the application. One subscriber at a time: another one gets an {@link
   * IllegalStateException}. Requests wait while there is no demand, and while one subscriber has
   * gone and the next has not come: some here, the rest at those who sent them; decode nodes take
   * turns, and those of one node come in the order in which it sent them. One that decode cancels
   * meanwhile, whose time is over, or whose sender is lost, is not emitted. Completes when this is
   * disposed of, or the engine closes.
   *
   * <p>An error in the code behind ends that subscription, as Reactive Streams has it, and with it
   * what it had taken and not answered; {@link #serve} keeps the failure of one request apart from
   * the others.
   */
  public Flux<KvRequest> requests() {
    return Bulkhead.around(() -> waiting);
  }

  /**
   * Serves requests until this is disposed of or the engine closes; then it completes. Each one is
   * given to {@code handler}, which answers it by {@link #handOver} or {@link #refuse}; what it
   * returns is subscribed to, and its elements are dropped. What fails, fails for that request
   * alone: whatever the handler throws, an error of what it returned, also one that a hand-over
   * failed with here, and an end without an answer are logged, some lines at a time and then how
   * many were left out, and refuse the request with that reason unless it was answered. When decode
   * cancels a request that was not answered yet, or is lost, or its time is over, what the handler
   * returned is cancelled. Cancelling cancels all that runs, and refuses what was not answered.
   * Subscribes to {@link #requests()}.
   *
   * <p>The handler is called, and what it returned is subscribed to, for one request after the
   * other, mostly on a thread of the engine's signal scheduler: it must not block. Compute on a
   * scheduler of your own ({@code subscribeOn}), and emit the layers from there.
   *
   * <p>What the handler returned is subscribed to in the context of Reactor of whoever has
   * subscribed to this, with what {@link KvRecorder.RequestRecorder#context} adds to it for that
   * request.
   *
   * @param concurrency how many are served at once, at least 1; more wait until one has ended, and
   *     are not refused
   */
  public Mono<Void> serve(
      int concurrency, Function<? super KvRequest, ? extends Publisher<?>> handler) {
    Objects.requireNonNull(handler, "handler");
    if (concurrency < 1) {
      throw new IllegalArgumentException(
          "expected to serve 1 or more requests at once, got " + concurrency);
    }
    return requests()
        .flatMap(request -> answered(request, handler), concurrency, 1)
        // One that meets a cancel: it was taken, and nobody will subscribe to its answer.
        .doOnDiscard(KvRequest.class, lost -> refuse(lost, SERVES_NO_MORE).subscribe())
        .then();
  }

  /** Never fails. */
  private Mono<Void> answered(
      KvRequest request, Function<? super KvRequest, ? extends Publisher<?>> handler) {
    Flux<Object> answer = Bulkhead.around(() -> handler.apply(request));
    RequestRecording recording = request.recording();
    return (recording == null ? answer : answer.contextWrite(recording::context))
        .takeUntilOther(request.abandoned())
        .then(Mono.defer(() -> unanswered(request)))
        .onErrorResume(failure -> {
          if (isOwn(failure)) {
            warnings.warn(() -> request + " could not be served", failure);
          }
          return refuse(request, "prefill failed: " + HandOverException.textOf(failure));
        })
        .doOnCancel(() -> refuse(request, SERVES_NO_MORE).subscribe());
  }

  private Mono<Void> unanswered(KvRequest request) {
    if (request.isOpen()) {
      warnings.warn(() ->
          request
              + " was not answered: expected it to be handed over or refused, got the end of what"
              + " its handler returned");
    }
    return refuse(request, "prefill's application ended without an answer");
  }

  /**
   * Whether something has failed here: it is not the other side's cancel, loss or deadline, nor the
   * end of the engine.
   */
  private boolean isOwn(Throwable failure) {
    return !(failure instanceof HandOverException told)
        || (told.reason() == HandOverException.Reason.FAILED && !cache.engine.isClosed());
  }

  /**
   * Hands over what a request asks for. On subscribe, which may happen once for each request: takes
   * the finished layers as the engine has room for them, writes each one when it comes, and the
   * tail when they are complete; then every token of every layer must have come once. Emits each
   * layer, or chunk of one, when it is done, in the order in which they are done; elements wait for
   * demand, and slow demand does not slow the transfer. Completes when all is done.
   *
   * <p>Ends with a {@link HandOverException} that names the decode node when that is lost or
   * cancels, when its deadline is over, and when a write or {@code finished} fails; decode is told.
   * A request that was handed over or refused before is such an error, too, and keeps the answer
   * that it has. Ended by an error, by completion or by a cancel: no more is posted. With an error
   * or completion, nothing of it reads the source memory any more; after a cancel, {@link
   * KvRequest#quiet()} says so.
   *
   * <p>What does not fit is thrown by this call and does not come as a signal: a handler that has
   * taken pages by then gives them back itself, or calls this within {@link Flux#using}, which
   * does.
   *
   * @param request one that this object's {@link #requests()} or {@link #serve} emitted; another
   *     object's is an {@link IllegalArgumentException}, and stays open
   * @param pages the source pages in this memory, {@link KvRequest#pages()} of them, the same ones
   *     in each layer, of which the first holds the first token that is wanted; leave them alone
   *     until the end, and after a cancel until {@link KvRequest#quiet()}
   * @param finished the layers, or chunks of them, as they are finished, in any order; layers that
   *     decode does not want are skipped. Subscribed to in the context of Reactor of whoever has
   *     subscribed to what this returns. See {@link FinishedLayer#counted} for a counter that
   *     something else drives, such as a {@linkplain io.reactivetransfer.TransferEngine#watch
   *     watched word}
   * @param tail what to write last, filled in by the time {@code finished} completes; no longer
   *     than {@link KvRequest#tailBytes()}; one of a closed region, or of another engine, is an
   *     {@link IllegalArgumentException}
   */
  public Flux<KvWritten> handOver(
      KvRequest request, PageList pages, Publisher<FinishedLayer> finished, MemorySlice tail) {
    Objects.requireNonNull(pages, "pages");
    Objects.requireNonNull(tail, "tail");
    return handOver(request, pages, tail, finished);
  }

  /** The same for a request that {@linkplain KvRequest#wantsTail() wants no tail}. */
  public Flux<KvWritten> handOver(
      KvRequest request, PageList pages, Publisher<FinishedLayer> finished) {
    Objects.requireNonNull(pages, "pages");
    return handOver(request, pages, null, finished);
  }

  /** The same for a request that wants a tail only. */
  public Flux<KvWritten> handOver(KvRequest request, MemorySlice tail) {
    Objects.requireNonNull(tail, "tail");
    return handOver(request, null, tail, Flux.empty());
  }

  private Flux<KvWritten> handOver(
      KvRequest request,
      @Nullable PageList pages,
      @Nullable MemorySlice tail,
      Publisher<FinishedLayer> finished) {
    Objects.requireNonNull(finished, "finished");
    request.requireOf(this);
    KvWrites.requireFits(request, pages, tail);
    return Flux.deferContextual(context -> {
      HandOver handOver = new HandOver(this, request, new KvWrites(this, request, pages, tail));
      if (!request.take(handOver)) {
        return Flux.error(request.whyNotOpen());
      }
      return handOver.start(finished, context);
    });
  }

  /**
   * Finished layers for {@link #handOver} by a word that the model raises: to 3 when the first
   * three layers of this side's layout are finished. Begin with 0, for each request anew.
   *
   * @param word 8 bytes in native byte order, see {@link
   *     io.reactivetransfer.TransferEngine#watch(MemorySegment)}
   */
  public Flux<FinishedLayer> watched(KvRequest request, MemorySegment word) {
    Flux<Long> changes = cache.engine.watch(word).map(Change::current);
    // What it was when it was subscribed to is no change; so it is read, after that.
    Mono<Long> now = Mono.fromSupplier(() -> (long) WORD.getAcquire(word, 0L));
    return FinishedLayer.counted(Flux.merge(changes, now), request);
  }

  /**
   * Tells decode, on subscribe, that this request will not be served. Completes when the message is
   * on its way, which a cancel does not hold back; has no effect on a request that was answered
   * already.
   *
   * @param request one that this object's {@link #requests()} or {@link #serve} emitted; another
   *     object's is an {@link IllegalArgumentException}, and stays open
   * @param reason for people; at most 512 bytes of it are sent
   */
  public Mono<Void> refuse(KvRequest request, String reason) {
    Objects.requireNonNull(reason, "reason");
    request.requireOf(this);
    return Mono.defer(() -> {
      if (!request.refuse()) {
        return Mono.empty();
      }
      // It is refused now: who loses interest in that must not keep decode from hearing of it.
      Mono<Void> said =
          desk.over(
                  request,
                  request.refusal(reason),
                  () -> request.because(HandOverException.Reason.REFUSED, reason))
              .cache();
      said.subscribe();
      return said;
    });
  }

  /**
   * Takes no more requests: those that wait are refused, and so are those that come. What was taken
   * goes on.
   */
  @Override
  public void dispose() {
    if (disposed.compareAndSet(false, true)) {
      desk.remove(this);
      noMore(null);
    }
  }

  @Override
  public boolean isDisposed() {
    return disposed.get();
  }

  /** No more will come: it was disposed of, the engine closed, or its messages are another's. */
  void noMore(@Nullable Throwable reason) {
    for (KvRequest left : waiting.end(reason)) {
      desk.left(left, false); // first: who hears that it is refused may send another one
      left.dropped(RequestQueue.NO_MORE);
    }
  }

  /**
   * What a message asks for.
   *
   * @param bytes how long the message is
   * @throws IllegalArgumentException if it cannot be served: its numbers come from another process
   * @throws TransferException if its memory cannot be written to from here
   */
  KvRequest check(Peer sender, KvMessage.Request message, int bytes) {
    KvMessage.Target target = message.target();
    List<RegionDescriptor> regions = new ArrayList<>(target.regions());
    KvMessage.Tail tail = target.tail();
    if (tail != null) {
      regions.add(tail.region());
    }
    for (RegionDescriptor region : regions) {
      if (!region.owner().engine().equals(sender.id())) {
        throw new IllegalArgumentException("expected memory of the one who asks, got a " + region);
      }
      cache.engine.remote(region);
    }
    KvMapping mapping = target.pages() == null ? null : mapping(target.layout());
    KvSpan span = message.span();
    requireRoom(span);
    long arrivals =
        (mapping == null ? 0 : mapping.arrivals(span.firstToken(), span.tokens()))
            + (tail == null ? 0 : 1);
    requireSameLayouts(mapping, message);
    if (message.arrivals() != arrivals) {
      throw new IllegalArgumentException(
          "expected a request for "
              + arrivals
              + " arrivals of "
              + memory.layout()
              + ", got "
              + message.arrivals()
              + "; it may have been made for another layout");
    }
    if (mapping != null) {
      requireCountable(mapping, span);
    }
    return new KvRequest(this, sender, message, bytes, mapping);
  }

  /**
   * Refuses what was counted for other layouts: their units may be as many, and lie elsewhere.
   *
   * @param mapping null if no pages are wanted, and so no layout matters
   */
  private void requireSameLayouts(@Nullable KvMapping mapping, KvMessage.Request message) {
    if (mapping != null && message.layouts() != mapping.checksum()) {
      throw new IllegalArgumentException(
          "expected a request that was counted for the layouts of both sides (checksum %08x), got"
                  .formatted(mapping.checksum())
              + " one that was counted for others (%08x): this prefill node may have been"
                  .formatted(message.layouts())
              + " opened again with another layout; order again, which asks for it anew. It is "
              + memory.layout());
    }
  }

  /** Refuses more tokens than this side has pages for, before anything is computed of each. */
  private void requireRoom(KvSpan span) {
    KvLayout own = memory.layout();
    long pages = span.pages(own.pageTokens());
    if (pages > own.pages()) {
      throw new IllegalArgumentException(
          "expected tokens that fit into the "
              + own.pages()
              + " pages of this prefill node, got "
              + span
              + ", which take "
              + pages);
    }
  }

  /** Refuses what the NICs here cannot count, while decode can still order it elsewhere. */
  private void requireCountable(KvMapping mapping, KvSpan span) {
    if (cache.engine.completionLevel() == CompletionLevel.DELIVERED) {
      return;
    }
    for (PagedWrite.Rows rows : mapping.longestUnits(span)) {
      if (!cache.engine.canCount(rows)) {
        throw new IllegalArgumentException(
            "expected pages that the NICs of this prefill node can count, got some that lie in "
                + rows.count()
                + " rows of "
                + rows.length()
                + " bytes: nobody knows when all rows have come over NICs that say "
                + cache.engine.completionLevel()
                + "; use layouts in which they lie together on both sides, or in at most 8 rows");
      }
    }
  }

  private KvMapping mapping(KvLayout target) {
    KvMapping known = mappings.of(target);
    return known == null ? KvMapping.between(memory.layout(), target) : known;
  }

  /** Has it wait until it is taken; whether it does. */
  boolean keep(KvRequest request) {
    KvMapping mapping = request.mapping();
    if (mapping != null) {
      mappings.add(mapping);
    }
    if (!waiting.add(request)) {
      request.dropped(RequestQueue.NO_MORE);
      return false;
    }
    if (!request.isOpen() && waiting.remove(request)) {
      return false; // it was cancelled before it could be found there
    }
    return true;
  }

  /** How many layouts of decode nodes are kept. */
  int layoutsKept() {
    return mappings.size();
  }

  /** Whether there is somebody to take requests, at once or when he asks for more. */
  boolean isRead() {
    return waiting.isRead();
  }

  /** How many requests wait until they are taken. */
  int waiting() {
    return waiting.size();
  }

  /**
   * It is over before the application has answered.
   *
   * @param word what decode is told; null for nothing
   * @param why for the recorder
   */
  void over(KvRequest request, KvMessage.@Nullable End word, HandOverException why) {
    if (waiting.remove(request)) {
      desk.left(request, false);
    }
    desk.over(request, word, () -> why).subscribe();
  }

  Desk desk() {
    return desk;
  }

  /** The model and the node. */
  @Override
  public String toString() {
    return "prefill of model " + model + " on " + cache.node;
  }
}
