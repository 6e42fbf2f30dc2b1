package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.retry.Retry;

/**
 * The hand-over of KV caches on one engine: both roles, of any number of models, share it. Open one
 * for each engine before its address is given to others: it reads message channels 16 to 18, and
 * refuses requests for models that nobody has registered by then. Safe from any thread, never
 * blocks; signals come on the engine's signal scheduler, and deadlines on {@code
 * Schedulers.parallel()} unless another one is given.
 */
public final class KvCache implements Disposable {

  private static final Logger LOG = Loggers.getLogger(KvCache.class);

  static final String CLOSED = "this node's own engine is closed";

  /** How long a last word to decode may take before the caller gets his error without it. */
  private static final Duration LAST_WORD = Duration.ofSeconds(2);

  /** After that time without an answer: the question, or the answer, may not have gone out. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  /**
   * When a claim on a loss has failed for another reason: how long until there is another one. Of a
   * loss that begins and ends in between nothing is heard.
   */
  private static final Duration CLAIM_AGAIN = Duration.ofMillis(100);

  final TransferEngine engine;
  final String node;
  final KvCacheOptions options;
  final OrderIds ids;
  final KvTimers timers;
  final Recording recording;
  final Answers answers = new Answers();

  final Outbox outbox;

  /** Nobody ever sends this one: a claim on it, bound to a peer, ends when the peer is lost. */
  private final ImmLease watch;

  final Desk desk;
  private final Sinks.Empty<Void> closed = Sinks.empty();

  /** What runs, and keeps the channels open. Guarded by this, like the next ones. */
  private int running;

  private final Set<KvDecode> decodes = new LinkedHashSet<>();
  private @Nullable Throwable failure;
  private boolean disposed;
  private boolean reading = true;

  private final Disposable.Composite inboxes = Disposables.composite();

  private KvCache(TransferEngine engine, String node, KvCacheOptions options) {
    this.engine = engine;
    this.options = options;
    this.timers = new KvTimers(options.timers());
    this.recording = new Recording(options.recorder());
    this.node = KvName.require("node", node);
    this.ids = OrderIds.of(engine);
    this.outbox = new Outbox(ids::next, engine.options().maxWaitingMessages());
    this.watch = engine.lease();
    this.desk = new Desk(this, ids.ofOthers());
  }

  /** Begins to read messages. */
  private void read() {
    inboxes.add(KvInbox.open(engine, KvInbox.ANSWERS, Long.MAX_VALUE, answers));
    inboxes.add(KvInbox.open(engine, KvInbox.URGENT, Long.MAX_VALUE, desk.urgent()));
    inboxes.add(desk.open());
  }

  /** The same, and this node is called by its engine's address. */
  public static KvCache open(TransferEngine engine) {
    return open(engine, engine.address().toString());
  }

  /**
   * Opens it. There is one for each engine: the roles of a second one fail, and say so.
   *
   * @param nodeName what others call this node in their errors; 1 to 255 bytes of UTF-8 that can be
   *     shown
   */
  public static KvCache open(TransferEngine engine, String nodeName) {
    return open(engine, nodeName, KvCacheOptions.defaults());
  }

  /** The same with options. */
  public static KvCache open(TransferEngine engine, String nodeName, KvCacheOptions options) {
    KvCache cache =
        new KvCache(
            Objects.requireNonNull(engine, "engine"),
            nodeName,
            Objects.requireNonNull(options, "options"));
    if (cache.recording.isOn()) {
      cache.recording.tell(recorder -> recorder.opened(cache));
    }
    cache.read();
    cache.inboxes.add(Ending.of(engine.onClose(), cache::dispose, failed -> cache.dispose()));
    return cache;
  }

  /**
   * The same with {@linkplain KvCacheOptions.Builder#timers a scheduler and a clock of the
   * caller's}.
   */
  public static KvCache open(TransferEngine engine, String nodeName, Scheduler timers) {
    return open(engine, nodeName, KvCacheOptions.builder().timers(timers).build());
  }

  /**
   * The prefill side of a model: takes requests for it from now on.
   *
   * @param model by which decode nodes ask for it, 1 to 255 bytes of UTF-8 that can be shown
   * @param memory where the finished pages lie
   * @throws IllegalStateException if this node has that role of that model already, or this was
   *     disposed of
   * @throws IllegalArgumentException if the memory is another engine's, or closed
   */
  public KvPrefill prefill(String model, KvMemory memory) {
    requireOwn(memory);
    KvPrefill prefill = new KvPrefill(this, desk, KvName.require("model", model), memory);
    if (isDisposed()) {
      throw disposedError();
    }
    desk.add(prefill);
    if (isDisposed()) { // meanwhile, and so this one may not have been found
      prefill.dispose();
      throw disposedError();
    }
    if (recording.isOn()) {
      recording.tell(recorder -> recorder.prefillOpened(prefill));
    }
    return prefill;
  }

  /**
   * The decode side of a model.
   *
   * @param model by which prefill nodes know it
   * @param memory where arrivals go; its regions are open to remote writes
   * @throws IllegalArgumentException if they are not, or are another engine's, or closed
   */
  public KvDecode decode(String model, KvMemory memory) {
    requireOwn(memory);
    KvDecode decode = new KvDecode(this, KvName.require("model", model), memory);
    if (enter(decode)) {
      if (recording.isOn()) {
        recording.tell(recorder -> recorder.decodeOpened(decode));
      }
      Ending.of(decode.closed(), () -> leave(decode, null), failure -> leave(decode, failure));
    } else {
      decode.dispose();
    }
    return decode;
  }

  /** The engine whose memory it hands over. */
  public TransferEngine engine() {
    return engine;
  }

  /**
   * Takes no more orders and no more requests: all roles are disposed of, and requests that wait
   * are refused. What runs goes on, and messages are read until all of it has ended and no page is
   * held any more: see {@link #closed()}. The engine stays open: close it then, or open another one
   * of these, since nobody answers those who order from here meanwhile. The end of the engine does
   * the same.
   */
  @Override
  public void dispose() {
    List<KvDecode> all;
    synchronized (this) {
      disposed = true;
      all = List.copyOf(decodes);
    }
    desk.close();
    all.forEach(KvDecode::dispose);
    endReading();
  }

  @Override
  public synchronized boolean isDisposed() {
    return disposed;
  }

  /**
   * Completes when this was disposed of, all that ran has ended, and all that decode sides have
   * registered is closed ({@link KvDecode#closed()}). Then another one may be opened on the engine.
   * Fails with what one of them failed with. Each subscription waits for itself and closes nothing.
   */
  public Mono<Void> closed() {
    return Mono.from(Bulkhead.<Void>around(closed::asMono));
  }

  private void requireOwn(KvMemory memory) {
    for (MemoryRegion region : memory.regions()) {
      if (region.isClosed()) {
        throw new IllegalArgumentException("expected KV memory in open regions, got a " + region);
      }
      EngineId owner = region.engine();
      if (!owner.equals(engine.id())) {
        throw new IllegalArgumentException(
            "expected KV memory that is registered with this node's engine "
                + engine.id().toShortString()
                + ", got some of engine "
                + owner.toShortString());
      }
    }
  }

  /** A decode side is there until it is closed; false if nothing may begin any more. */
  private synchronized boolean enter(KvDecode decode) {
    return enter() && decodes.add(decode);
  }

  private void leave(KvDecode decode, @Nullable Throwable reason) {
    if (recording.isOn()) {
      recording.tell(recorder -> recorder.decodeClosed(decode));
    }
    synchronized (this) {
      decodes.remove(decode);
      if (failure == null) {
        failure = reason;
      }
    }
    leave();
  }

  /** Something begins that needs the messages; false if nothing may begin any more. */
  synchronized boolean enter() {
    if (disposed) {
      return false;
    }
    running++;
    return true;
  }

  /** It has ended. */
  void leave() {
    synchronized (this) {
      running--;
    }
    endReading();
  }

  /** Its immediate may be another's, when nobody waits for it any more nor ever will. */
  private void endReading() {
    Throwable reason;
    synchronized (this) {
      if (!reading || !disposed || running > 0) {
        return;
      }
      reading = false;
      reason = failure;
    }
    desk.fallSilent();
    inboxes.dispose();
    watch.close();
    if (recording.isOn()) {
      recording.tell(recorder -> recorder.closed(this));
    }
    if (reason == null) {
      closed.tryEmitEmpty();
    } else {
      closed.tryEmitError(reason);
    }
  }

  static IllegalStateException unreadable(Throwable cause) {
    return new IllegalStateException(
        "expected one KvCache on this engine, got another one that reads its messages already, or"
            + " did: "
            + cause.getMessage(),
        cause);
  }

  static IllegalStateException disposedError() {
    return new IllegalStateException("expected a KvCache that is in use, got one disposed of");
  }

  /** Says of any failure with whom it happened, and whose engine was closed. */
  HandOverException failure(Throwable cause, HandOverException.Node with, long requestId) {
    boolean hasEnded =
        cause instanceof TransferRejectedException || cause instanceof TransferFailedException;
    if (hasEnded && engine.isClosed()) {
      return new HandOverException(HandOverException.Reason.FAILED, with, requestId, CLOSED, cause);
    }
    return HandOverException.of(alone(cause), with, requestId);
  }

  /**
   * Never completes; fails when the peer is lost, or the engine closes. That a peer has given up
   * writes under more immediates than it names fails each claim that concerns it, and so does what
   * it has left in doubt; neither is a loss.
   */
  Mono<Void> lossOf(Peer peer) {
    return watch
        .counter()
        .boundTo(peer)
        .next(1)
        .onErrorMap(TransferFailedException.class, failure -> lossOr(peer, failure))
        .retryWhen(timers.again(CLAIM_AGAIN, this::isGivenUp))
        .onErrorMap(KvCache::alone);
  }

  /** A claim that has failed otherwise does not wait for the loss any more. */
  private static Throwable lossOr(Peer peer, TransferFailedException failure) {
    PeerUnreachableException loss = peer.present().lossCause();
    return loss == null ? failure : loss;
  }

  private boolean isGivenUp(Throwable failure) {
    return failure instanceof TransferFailedException && !engine.isClosed();
  }

  /** What a claim adds to the loss is how often that part was counted, which concerns nobody. */
  private static Throwable alone(Throwable failure) {
    return failure instanceof PeerUnreachableException
            && failure.getCause() instanceof PeerUnreachableException loss
        ? loss
        : failure;
  }

  /**
   * Tries to tell somebody; whoever cannot be told finds out by himself. Completes whatever
   * happens, and throws nothing: a hand-over ends behind it.
   */
  Mono<Void> tell(Peer peer, KvMessage message) {
    // Who waits no longer does not take it back: cache() goes on when it is cancelled.
    return timers
        .within(
            LAST_WORD,
            Mono.defer(() -> engine.send(peer, KvInbox.ANSWERS, KvCodec.encode(message))).cache())
        .doOnError(e ->
            Bulkhead.said(() -> LOG.debug("could not tell {}: {}", peer.address(), e.toString())))
        .onErrorComplete();
  }

  /** Asks, and asks again, until there is the answer or the peer is lost. */
  <T> Mono<T> ask(Peer peer, KvMessage question, Mono<T> answer) {
    return Mono.defer(() -> engine.send(peer, KvInbox.URGENT, KvCodec.encode(question)))
        .thenReturn(true)
        .onErrorResume(
            TransferRejectedException.class, refusal -> sendLater(refusal).thenReturn(false))
        // Not before it was reached: it may have been lost earlier, and be there again.
        .flatMap(sent ->
            timers.within(
                ASK_AGAIN,
                sent ? Mono.firstWithSignal(answer, lossOf(peer).then(Mono.<T>empty())) : answer))
        .retryWhen(Retry.indefinitely().filter(TimeoutException.class::isInstance));
  }

  /** Too many messages may wait for this node; that is no reason to lose pages. */
  private Mono<Void> sendLater(TransferRejectedException refusal) {
    return engine.isClosed() ? Mono.error(refusal) : Mono.empty();
  }
}
