package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.retry.Retry;

/**
 * One hand-over on the decode side, from the request to its one end. Several things may end it, on
 * several threads and at the same moment: all arrivals, a word of prefill, its loss, the deadline,
 * a cancel. The first one counts, and decides who has the pages from then on.
 */
final class Reception {

  /** Who waits for it. Hears one of the two, once; nothing after {@link #cancel()}. */
  interface Listener {

    /** All is here; the pages are the listener's. */
    void arrived(KvArrival arrival);

    /** It ended early; the pages are not the listener's. */
    void failed(Throwable reason);
  }

  private static final Logger LOG = Loggers.getLogger(Reception.class);

  /** After that time without an answer: the question, or the answer, may not have gone out. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  private static final Listener NOBODY =
      new Listener() {
        @Override
        public void arrived(KvArrival arrival) {
          arrival.scopeEnded();
        }

        @Override
        public void failed(Throwable reason) {}
      };

  private enum State {
    RUNNING,
    /** All is here; the pages are the receiver's. */
    ARRIVED,
    /** Ended early; the pages are held until nothing can write to them. */
    HELD,
    /** Ended early; the pages are back in the pool. */
    FREED
  }

  /** What became of the request. */
  private enum Request {
    NOT_SENT,
    /** It may have gone out. */
    SENDING,
    SENT,
    /** It was abandoned before, and its pages are free: it must not go out. */
    WITHDRAWN
  }

  private final KvDecode owner;
  private final long id;
  private final KvOrder order;
  private final PageReservation reservation;
  private final ImmLease lease;
  private final long arrivals;
  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
  private final Sinks.One<OldMessage.End> end = Sinks.one();
  private final Sinks.Empty<Void> freed = Sinks.empty();
  private final Disposable.Composite running = Disposables.composite();
  private final Disposable.Composite holding = Disposables.composite();
  private final Disposable.Swap landing = Disposables.swap();
  private final ImmCounter counter;
  private volatile Listener listener = NOBODY;
  private final AtomicReference<Request> request = new AtomicReference<>(Request.NOT_SENT);
  private volatile OldMessage.@Nullable End said;
  private volatile boolean firstClaimed;
  private volatile long startNanos;
  private volatile long firstNanos;

  Reception(KvDecode owner, long id, KvOrder order, PageReservation reservation, ImmLease lease) {
    this.owner = owner;
    this.id = id;
    this.order = order;
    this.reservation = reservation;
    this.lease = lease;
    this.arrivals = owner.memory.layout().arrivals(order.pages());
    this.counter = lease.counter().boundTo(order.prefill());
    this.holding.add(landing);
  }

  long id() {
    return id;
  }

  boolean isWith(Peer sender) {
    return order.prefill().id().equals(sender.id());
  }

  /** Until its pages are back, and not just about to be: then its owner forgets it. */
  boolean isHeld() {
    State now = state.get();
    return now == State.HELD || now == State.FREED;
  }

  MemoryRegion tailRegion() {
    return order.tail().region();
  }

  Mono<Void> freed() {
    return freed.asMono();
  }

  /** Prefill has stopped. */
  void ended(OldMessage.End message) {
    said = message;
    end.tryEmitValue(message);
  }

  /** Begins. The claim comes before the request: nothing can arrive unexpected. */
  void start(Listener waiting) {
    listener = waiting;
    startNanos = now();
    try {
      begin();
    } catch (Throwable failure) {
      fail(failure); // whatever it is: the pages must not be lost
    }
  }

  private void begin() {
    runs(Ending.of(counter.next(1), this::firstArrived, this::fail));
    runs(Ending.of(end.asMono().doOnNext(this::refused), () -> {}, this::fail));
    runs(
        Schedulers.parallel()
            .schedule(() -> fail(late()), order.deadline().toNanos(), TimeUnit.NANOSECONDS));
    if (state.get() == State.RUNNING) {
      runs(Ending.of(send(), () -> {}, this::fail));
    }
  }

  /** Nobody waits for it any more. From any thread; no effect when it has ended. */
  void cancel() {
    abandon(null);
  }

  /** What runs until the end, and no longer. */
  private void runs(Disposable part) {
    running.add(part);
  }

  /** Two claims, so that the time of the first arrival is known. */
  private void firstArrived() {
    firstNanos = now();
    firstClaimed = true;
    if (state.get() == State.RUNNING) {
      runs(Ending.of(counter.next(arrivals - 1), this::allArrived, this::fail));
    } else {
      awaitLanding(); // it was abandoned at the same moment: one arrival fewer is to be waited for
    }
  }

  private void allArrived() {
    if (state.compareAndSet(State.RUNNING, State.ARRIVED)) {
      running.dispose();
      owner.forget(this, lease);
      listener.arrived(
          new KvArrival(
              id,
              reservation,
              order.tail(),
              arrivals,
              Duration.ofNanos(firstNanos - startNanos),
              Duration.ofNanos(now() - firstNanos)));
    } else {
      free(); // it was abandoned at the same moment, and nothing is left that could come
    }
  }

  private void refused(OldMessage.End message) {
    fail(refusal(message));
  }

  private void fail(Throwable cause) {
    HandOverException failure = HandOverException.of(cause, "prefill", order.prefill(), id);
    if (abandon(failure)) {
      listener.failed(failure);
    }
  }

  private Mono<Void> send() {
    return Mono.defer(() -> {
      ByteBuffer bytes = encodeRequest();
      if (!request.compareAndSet(Request.NOT_SENT, Request.SENDING)) {
        return Mono.empty(); // the pages may be another's by now
      }
      return owner
          .engine
          .send(order.prefill(), KvInbox.TO_PREFILL, bytes)
          .doOnError(e -> request.set(Request.NOT_SENT))
          .doOnSuccess(done -> request.set(Request.SENT));
    });
  }

  private ByteBuffer encodeRequest() {
    MemorySlice tail = order.tail();
    ByteBuffer bytes =
        OldCodec.encode(
            new OldMessage.Request(
                id,
                lease.imm(),
                owner.memory.layout(),
                owner.memory.region().descriptor(),
                reservation.pages(),
                new OldMessage.Tail(tail.region().descriptor(), tail.offset(), tail.length()),
                order.deadline(),
                order.body()));
    int max = owner.engine.options().maxMessageBytes();
    if (bytes.remaining() > max) {
      throw new IllegalArgumentException(
          "expected a request of at most "
              + max
              + " bytes (EngineOptions.maxMessageBytes), got "
              + bytes.remaining()
              + " for "
              + order.pages()
              + " pages of 4 bytes each and a body of "
              + order.body().remaining());
    }
    return bytes;
  }

  private Throwable late() {
    String came = firstClaimed ? "not all of them came" : "none came";
    return new DeadlineExceededException(
        "expected " + arrivals + " arrivals within " + order.deadline() + ", " + came);
  }

  private Throwable refusal(OldMessage.End message) {
    HandOverException.Reason reason =
        switch (message.outcome()) {
          case REFUSED -> HandOverException.Reason.REFUSED;
          case CANCELLED -> HandOverException.Reason.CANCELLED;
          case FAILED, NOT_RUNNING -> HandOverException.Reason.FAILED;
        };
    String text = "prefill ended it (" + reason + "): " + message.text();
    return new HandOverException(reason, "prefill", order.prefill(), id, text, null);
  }

  /** Ends it early, if that was not done; says whether it was this call that did. */
  private boolean abandon(@Nullable Throwable cause) {
    if (!state.compareAndSet(State.RUNNING, State.HELD)) {
      return false;
    }
    running.dispose();
    takeBack(cause);
    return true;
  }

  /** Gives the pages back as soon as nothing can write to them any more. */
  private void takeBack(@Nullable Throwable cause) {
    boolean lost =
        cause instanceof HandOverException e && e.reason() == HandOverException.Reason.PEER_LOST;
    if (request.compareAndSet(Request.NOT_SENT, Request.WITHDRAWN)) {
      free();
      return;
    }
    if (lost) {
      prefillLost();
      return;
    }
    holding.add(Ending.of(owner.lossOf(order.prefill()), () -> {}, this::unanswered));
    awaitLanding();
  }

  private void awaitLanding() {
    if (state.get() == State.HELD) {
      landing.update(Ending.of(stopped().flatMap(this::landed), this::free, this::unanswered));
    }
  }

  /** What prefill says when it writes nothing more. */
  private Mono<OldMessage.End> stopped() {
    if (said != null) {
      return end.asMono();
    }
    ByteBuffer cancel = OldCodec.encode(new OldMessage.Cancel(id));
    return owner
        .engine
        .send(order.prefill(), KvInbox.TO_PREFILL, cancel)
        .onErrorResume(TransferRejectedException.class, this::sendLater)
        .then(end.asMono().timeout(ASK_AGAIN))
        .retryWhen(Retry.indefinitely().filter(TimeoutException.class::isInstance));
  }

  /** Too many messages may wait for this prefill node; that is no reason to lose pages. */
  private Mono<Void> sendLater(TransferRejectedException refusal) {
    return owner.engine.isClosed() ? Mono.error(refusal) : Mono.empty();
  }

  /** Completes when what prefill had posted has landed. */
  private Mono<Void> landed(OldMessage.End message) {
    if (message.quiet()) {
      return Mono.empty();
    }
    // Prefill got the request and runs it no more, without a word of failure: all of it went out.
    boolean complete =
        message.outcome() == OldMessage.Outcome.NOT_RUNNING && request.get() == Request.SENT;
    long counted = complete ? arrivals : message.arrivals();
    if (counted == OldMessage.End.UNKNOWN) {
      LOG.warn("{} cannot say whether hand-over {} still writes", order.prefill().address(), id);
      return Mono.never();
    }
    long missing = counted - (firstClaimed ? 1 : 0);
    return missing < 1
        ? Mono.empty()
        : lease
            .counter()
            .next(missing)
            .onErrorResume(TransferFailedException.class, e -> Mono.never());
  }

  /** Without its answer the pages stay held, unless nobody is left who could write. */
  private void unanswered(Throwable failure) {
    if (owner.engine.isClosed()) {
      free();
    } else if (failure instanceof PeerUnreachableException) {
      prefillLost();
    } else {
      LOG.warn("pages of hand-over {} stay held: {}", id, failure.toString());
    }
  }

  /** A process that was stopped may go on, and a NIC may have something of it in flight. */
  private void prefillLost() {
    if (owner.engine.fencesLostPeers()) {
      free();
    } else {
      LOG.warn(
          "pages of hand-over {} stay held until KvDecode.reclaim(): {} is lost, and backend {}"
              + " does not keep out what it may still write",
          id,
          order.prefill().address(),
          owner.engine.backend());
    }
  }

  void free() {
    if (state.compareAndSet(State.HELD, State.FREED)) {
      holding.dispose();
      reservation.release();
      owner.forget(this, lease);
      freed.tryEmitEmpty();
    }
  }

  private static long now() {
    return Schedulers.parallel().now(TimeUnit.NANOSECONDS);
  }
}
