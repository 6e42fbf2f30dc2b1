package io.reactivetransfer.kvcache;

import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferFailedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What one prefill node sends of an order, from the request to its one end: under immediates of its
 * own, so that it can be known of each node when nothing of it can come any more. Several things
 * may end it, on several threads and at the same moment: all arrivals, a word of prefill, its loss,
 * the end of the whole order. The first one counts.
 */
final class Leg {

  private static final Logger LOG = Loggers.getLogger(Leg.class);

  private enum State {
    RUNNING,
    /** All is here. */
    ARRIVED,
    /** Ended early; something of it may come yet. */
    HELD,
    /** Ended early; nothing can come any more. */
    QUIET
  }

  /** What became of the request. */
  private enum Sent {
    NOT_YET,
    /** It may have gone out. */
    SENDING,
    DONE,
    /** It was abandoned before, and its pages are free: it must not go out. */
    WITHDRAWN
  }

  /** How long it is waited for what prefill says has gone out. */
  private static final Duration LANDING = Duration.ofSeconds(2);

  /** How long it is waited for what prefill says of writes that it has given up. */
  private static final Duration LAST_WORD = Duration.ofSeconds(1);

  private final KvDecode owner;
  private final Reception order;
  private final KvSource source;
  private final OwnMemory memory;
  private final ImmLease lease;
  private final Expected expected;
  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
  private final AtomicReference<Sent> sent = new AtomicReference<>(Sent.NOT_YET);
  private final Sinks.One<KvMessage.End> end = Sinks.one();
  private final Disposable.Composite running = Disposables.composite();
  private final Disposable.Composite holding = Disposables.composite();

  /** How long the request is that was sent, and may wait at prefill yet; 0 if there is none. */
  private final AtomicInteger unheard = new AtomicInteger();

  /** Arrivals that were claimed. */
  private final AtomicLong claimed = new AtomicLong();

  /** So many have come as prefill says that were sent, where it has stopped. */
  private final Sinks.Empty<Void> landed = Sinks.empty();

  /** How many that is; not known before. */
  private volatile long sentInAll = Long.MAX_VALUE;

  /** How long its request is, if that was looked up before it is sent; else 0. */
  private int length;

  private volatile long id;
  private volatile KvMessage.@Nullable End said;

  Leg(
      KvDecode owner,
      Reception order,
      KvSource source,
      OwnMemory memory,
      ImmLease lease,
      Expected expected) {
    this.owner = owner;
    this.order = order;
    this.source = source;
    this.memory = memory;
    this.lease = lease;
    this.expected = expected;
  }

  Peer prefill() {
    return source.peer();
  }

  /**
   * Sees to it that nothing of it can land, whatever prefill does; and then says so. A cancel does
   * not keep the pages from coming back: what was begun cannot be taken back.
   */
  Mono<Void> shutOut() {
    return Mono.defer(() -> {
      abandon(false); // its order has ended, and may not have come so far yet
      if (state.get() != State.HELD) {
        return Mono.empty();
      }
      Mono<Void> out =
          memory
              .lost(closed("its pages were reclaimed"))
              .then(Mono.<Void>fromRunnable(this::quiet))
              .cache();
      Ending.of(out, () -> {}, failure -> {});
      return out;
    });
  }

  Expected expected() {
    return expected;
  }

  HandOverException.Node with() {
    return source.with();
  }

  /** Whether all of it is there. */
  boolean hasArrived() {
    return state.get() == State.ARRIVED;
  }

  /** Whether nothing of it can come any more. */
  boolean isOver() {
    State now = state.get();
    return now == State.ARRIVED || now == State.QUIET;
  }

  /** What is lost is lost for the whole order. */
  private void fail(Throwable cause) {
    order.fail(owner.cache().failure(cause, with(), id));
  }

  /** Claims what it waits for. Comes before the request: nothing can arrive unexpected. */
  void arm() {
    expected.claims(this::claim);
    running.add(Ending.of(memory.end(), () -> {}, this::fail));
    running.add(Ending.of(end.asMono().doOnNext(this::refused), () -> {}, this::fail));
  }

  private void claim(int imm, long arrivals, Runnable met) {
    Mono<Void> claim = lease.counter(imm).boundTo(prefill()).next(arrivals);
    running.add(Ending.of(claim, () -> came(arrivals, met), this::claimFailed));
  }

  /** That prefill has given a write up is heard before the word that says why. */
  private void claimFailed(Throwable cause) {
    if (!(cause instanceof TransferFailedException)) {
      fail(cause);
    } else if (said == null) {
      running.add(owner.cache().timers.after(LAST_WORD.toNanos(), () -> fail(cause)));
    } // else that word ends it in this moment, on the thread that has brought it
  }

  private void came(long arrivals, Runnable met) {
    heard();
    order.came(arrivals);
    met.run();
    // Behind that: not all has arrived as long as somebody is told of a part of it, who may throw.
    if (count(arrivals) == expected.total()) {
      allArrived();
    }
  }

  /** So many more have come; how many in all. */
  private long count(long arrivals) {
    long all = claimed.addAndGet(arrivals);
    if (all >= sentInAll) {
      landed.tryEmitEmpty();
    }
    return all;
  }

  private void allArrived() {
    if (state.compareAndSet(State.RUNNING, State.ARRIVED)) {
      running.dispose();
      lease.close();
      order.legDone();
    } else {
      quiet(); // it was abandoned at the same moment, and nothing is left that could come
    }
  }

  /** Under which number its request was sent; 0 if it was not. */
  long number() {
    return id;
  }

  String model() {
    return owner.model();
  }

  /** How long its request can be at most. */
  int longest() {
    return owner.cache().engine.options().maxMessageBytes();
  }

  /** How long its request is, which takes time to say. Only in a turn of the outbox. */
  int length() {
    if (length == 0) {
      try {
        length = encodeRequest(0).remaining();
      } catch (Throwable failure) {
        return 1; // it fails when it is to be sent, and says so
      }
    }
    return length;
  }

  /**
   * Sends the request under this number, unless it was withdrawn.
   *
   * @return how long it is; 0 if there is none to be sent
   */
  int send(long number) {
    try {
      ByteBuffer bytes = encodeRequest(number);
      id = number;
      int sending = bytes.remaining();
      owner.cache().answers.add(number, order);
      if (sent.compareAndSet(
          Sent.NOT_YET, Sent.SENDING)) { // else the pages may be another's by now
        unheard.set(sending);
        if (state.get() == State.QUIET) {
          heard(); // it has ended since, and did not find this
        }
        Mono<Void> send =
            Mono.defer(() -> owner.cache().engine.send(prefill(), KvInbox.REQUESTS, bytes))
                .doOnError(e -> sent.set(Sent.NOT_YET))
                .doOnSuccess(done -> sent.set(Sent.DONE))
                .doFinally(end -> owner.cache().outbox.left(this, sending));
        running.add(Ending.of(send, () -> {}, this::fail));
        return sending;
      }
      owner.cache().answers.remove(number, order);
    } catch (Throwable failure) {
      fail(failure);
    }
    return 0;
  }

  /** Something was heard of the request, or it is over: it does not wait at prefill any more. */
  private void heard() {
    int waited = unheard.getAndSet(0);
    if (waited > 0) {
      owner.cache().outbox.heard(this, waited);
    }
  }

  private ByteBuffer encodeRequest(long number) {
    TraceContext trace = order.traceContext();
    ByteBuffer bytes = KvCodec.encode(request(number, TraceContext.NONE));
    int max = longest();
    // Better no trace than no order.
    if (!trace.isEmpty() && bytes.remaining() + trace.encoded().remaining() <= max) {
      bytes = KvCodec.encode(request(number, trace));
    }
    if (bytes.remaining() > max) {
      throw new IllegalArgumentException(
          "expected a request of at most "
              + max
              + " bytes (EngineOptions.maxMessageBytes), got "
              + bytes.remaining()
              + ", of which the body takes "
              + order.order().body().remaining()
              + " and each page of the "
              + order.order()
              + " takes 4");
    }
    return bytes;
  }

  private KvMessage.Request request(long number, TraceContext trace) {
    KvOrder wanted = order.order();
    return new KvMessage.Request(
        number,
        owner.cache().node,
        owner.model(),
        new KvMessage.Target(
            owner.memory().layout(), memory.regions(), wanted.pages(), memory.tail()),
        new KvMessage.Imms(lease.imm(), lease.size()),
        expected.total(),
        source.mapping().checksum(),
        order.span(),
        order.left(),
        trace,
        wanted.body());
  }

  /** Prefill has stopped. */
  void ended(KvMessage.End message) {
    heard();
    said = message;
    end.tryEmitValue(message);
  }

  private void refused(KvMessage.End message) {
    HandOverException.Reason reason =
        switch (message.outcome()) {
          case REFUSED -> HandOverException.Reason.REFUSED;
          case CANCELLED -> HandOverException.Reason.CANCELLED;
          case DEADLINE -> HandOverException.Reason.DEADLINE;
          case FAILED, NOT_RUNNING -> HandOverException.Reason.FAILED;
        };
    String text = HandOverException.endOfPrefill(reason, message.text());
    if (reason == HandOverException.Reason.REFUSED) {
      owner.forget(source); // it may have another layout by now
    }
    fail(new HandOverException(reason, with(), id, text));
  }

  /** It speaks another version of the protocol. */
  void notUnderstood(KvFormatException why) {
    String text = "it does not speak this version: " + why.getMessage();
    fail(new HandOverException(HandOverException.Reason.REFUSED, with(), id, text));
  }

  /** The order has ended early. Sees to it that nothing more comes, and then says so. */
  void abandon(boolean lost) {
    if (!state.compareAndSet(State.RUNNING, State.HELD)) {
      return;
    }
    running.dispose();
    if (sent.compareAndSet(Sent.NOT_YET, Sent.WITHDRAWN)) {
      owner.cache().outbox.remove(this);
      quiet();
    } else if (lost) {
      prefillLost();
    } else {
      holding.add(Ending.of(owner.cache().lossOf(prefill()), () -> {}, this::unanswered));
      awaitLanding();
    }
  }

  private void awaitLanding() {
    holding.add(Ending.of(stopped().flatMap(this::landed), this::quiet, this::unanswered));
  }

  /** What prefill says when it writes nothing more. */
  private Mono<KvMessage.End> stopped() {
    return said != null
        ? end.asMono()
        : owner.cache().ask(prefill(), new KvMessage.Cancel(id), end.asMono());
  }

  /** Completes when what prefill had posted has landed. */
  private Mono<Void> landed(KvMessage.End message) {
    // Only where the NIC keeps out what was given up a write that has failed cannot land any more.
    boolean mayLand = message.writeFailed() && !owner.cache().engine.fencesLostPeers();
    if (message.quiet() && !mayLand) {
      return Mono.empty();
    }
    // Prefill got the request and runs it no more, without a word of failure: all of it went out.
    boolean complete =
        message.outcome() == KvMessage.Outcome.NOT_RUNNING && sent.get() == Sent.DONE;
    long counted = complete ? expected.total() : message.arrivals();
    if (counted == KvMessage.End.UNKNOWN || counted > expected.total()) {
      // Nobody can say what may land yet: it is shut out.
      return memory.lost(closed("it cannot say what of an order that has ended may land"));
    }
    sentInAll = counted;
    if (claimed.get() >= counted) {
      return Mono.empty();
    }
    return owner
        .cache()
        .timers
        .within(LANDING, Mono.firstWithSignal(landed.asMono(), arrivals()))
        .onErrorResume(
            Leg::isMissing,
            e -> memory.lost(closed("what it has sent of an order that has ended did not come")));
  }

  /** What other orders that run with this node end with. */
  private static TransferFailedException closed(String reason) {
    return new TransferFailedException(
        "what this prefill node was told of the memory was closed: " + reason);
  }

  /** A NIC that has said that a write is done may lose it yet; so it is not waited for for ever. */
  private static boolean isMissing(Throwable failure) {
    return failure instanceof TransferFailedException || failure instanceof TimeoutException;
  }

  /**
   * Counts what comes, under whichever of its immediates, as long as it is waited for; never
   * completes. Subscribed to once: of two one might take what the other waits for.
   */
  private Mono<Void> arrivals() {
    return Flux.range(0, lease.size())
        .flatMap(imm -> lease.counter(imm).boundTo(prefill()).every(1), lease.size())
        .doOnNext(one -> count(1))
        .then();
  }

  /** Without its answer the pages stay held, unless nobody is left who could write. */
  private void unanswered(Throwable failure) {
    if (owner.cache().engine.isClosed()) {
      engineCloses();
    } else if (failure instanceof PeerUnreachableException) {
      prefillLost();
    } else {
      LOG.warn("pages of hand-over {} stay held: {}", id, failure.toString());
    }
  }

  /** Until it has closed, its NICs may take something in. */
  private void engineCloses() {
    holding.add(
        Ending.of(
            owner.cache().engine.close(),
            this::quiet,
            failure -> LOG.warn("pages of hand-over {} stay held: {}", id, failure.toString())));
  }

  /** A process that was stopped may go on, and a NIC may have something of it in flight. */
  private void prefillLost() {
    Throwable loss = new PeerUnreachableException("it was lost while another order ran with it");
    holding.add(Ending.of(memory.lost(loss), this::quiet, this::unanswered));
  }

  /** It never begins. */
  void close() {
    lease.close();
  }

  /** Nothing of it can come any more. */
  void quiet() {
    if (state.compareAndSet(State.HELD, State.QUIET)) {
      heard();
      holding.dispose();
      lease.close();
      order.legDone();
    }
  }
}
