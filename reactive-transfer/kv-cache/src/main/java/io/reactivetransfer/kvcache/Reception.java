package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One order on the decode side, from the subscription until its pages are the caller's again. Each
 * prefill node that serves it is a {@link Leg}; all of them must arrive. Several things may end it,
 * on several threads and at the same moment: all arrivals, a leg that fails, the deadline, a
 * cancel. The first one counts, and decides who has the pages from then on.
 */
final class Reception implements Answers.Waiting {

  /** Who waits for it. Hears one of the two, once; nothing after {@link #cancel()}. */
  interface Listener {

    /** All is here; the pages are the listener's. */
    void arrived(KvArrival arrival);

    /**
     * It ended early; the pages are not the listener's.
     *
     * @return whether somebody was told
     */
    boolean failed(Throwable reason);
  }

  private enum State {
    RUNNING,
    /** All is here; the pages are the receiver's. */
    ARRIVED,
    /** Ended early; the pages are held until nothing can write to them. */
    ENDED
  }

  private static final Logger LOG = Loggers.getLogger(Reception.class);

  /** How often in its time it is looked whether it can be done in time. */
  private static final int LOOKS = 16;

  private static final Listener NOBODY =
      new Listener() {
        @Override
        public void arrived(KvArrival arrival) {
          arrival.scopeEnded();
        }

        @Override
        public boolean failed(Throwable reason) {
          return false;
        }
      };

  private final KvDecode owner;
  private final KvOrder order;
  private final KvSpan span;
  private final Disposable.Composite running = Disposables.composite();
  private final Disposable.Swap looking = Disposables.swap();
  private final Sources sources;
  private final Pace pace;
  private final Sinks.Empty<Void> freed = Sinks.empty();

  /** What the caller is told of layers, and of the arrival behind them. */
  private final Turns told = new Turns();

  private volatile Listener listener = NOBODY;

  /** Null if nobody is told. Set before it starts, like the next one. */
  private @Nullable OperationRecording<KvRecorder.OrderRecorder> recording;

  private TraceContext traceContext = TraceContext.NONE;

  /** Guarded by this, like all below. */
  private State state = State.RUNNING;

  private List<Leg> legs = List.of();
  private int legsLeft;
  private boolean givenBack;
  private final Map<Integer, Integer> layersLeft = new HashMap<>();

  Reception(KvDecode owner, KvOrder order, KvSpan span) {
    this.owner = owner;
    this.order = order;
    this.span = span;
    this.pace = new Pace(order.deadline(), owner.cache().timers);
    this.sources = new Sources(owner, order, running, this::fail);
  }

  KvOrder order() {
    return order;
  }

  KvSpan span() {
    return span;
  }

  /** What goes with its requests. */
  TraceContext traceContext() {
    return traceContext;
  }

  /** Ended early; until its pages are back, and not just about to be: then its owner forgets it. */
  synchronized boolean isHeld() {
    return state == State.ENDED;
  }

  /** Completes when the pages are the caller's again. */
  Mono<Void> freed() {
    return freed.asMono();
  }

  /** Those of which something may come yet, of one that has ended early. */
  synchronized List<Leg> heldLegs() {
    return legs.stream().filter(leg -> !leg.isOver()).toList();
  }

  // ---- beginning

  /** Has this one told what becomes of it. Before it starts. */
  void recordedBy(KvRecorder.OrderRecorder recorder) {
    RecorderGuard guard = owner.cache().recording.guard();
    traceContext = guard.ask("traceContext", recorder::traceContext, TraceContext.NONE);
    recording = new OperationRecording<>(guard, recorder);
  }

  /** Begins: finds out what the prefill nodes have, then orders it of each. */
  void start(Listener waiting) {
    listener = waiting;
    try {
      long nanos = order.deadline().toNanos();
      running.add(owner.cache().timers.after(nanos, this::late));
      sources.find(this::allFound);
    } catch (Throwable failure) {
      fail(failure, order.prefills().getFirst()); // whatever it is: the pages must not be lost
    }
  }

  private void allFound() {
    try {
      begin();
    } catch (Throwable failure) {
      fail(failure, order.prefills().getFirst());
    }
  }

  private void begin() {
    List<Sources.Ready> all = sources.known();
    if (order.pages() != null) {
      owner.requireCover(all.stream().map(Sources.Ready::source).toList());
    } else if (all.size() > 1) {
      throw new IllegalArgumentException(
          "expected one prefill node for a tail alone, got " + all.size());
    }
    List<Leg> made = makeLegs(all);
    if (!take(made)) {
      made.forEach(Leg::close); // it has ended meanwhile
      return;
    }
    made.forEach(Leg::arm);
    running.add(looking);
    lookLater();
    made.forEach(owner.cache().outbox::add);
  }

  private List<Leg> makeLegs(List<Sources.Ready> all) {
    List<Leg> made = new ArrayList<>();
    try {
      for (Sources.Ready one : all) {
        boolean tail = order.tail() != null && made.isEmpty();
        Expected expected =
            order.onLayer() == null
                ? Expected.inAll(one.source(), span, tail)
                : Expected.byLayer(one.source(), span, tail, this::layerPart);
        ImmLease lease = owner.cache().engine.lease(expected.imms());
        made.add(new Leg(owner, this, one.source(), one.memory(), lease, expected));
      }
      return made;
    } catch (Throwable failure) {
      made.forEach(Leg::close);
      throw failure;
    }
  }

  private synchronized boolean take(List<Leg> made) {
    if (state != State.RUNNING) {
      return false;
    }
    legs = List.copyOf(made);
    legsLeft = legs.size();
    for (Leg leg : legs) {
      pace.expect(leg.expected().total());
      leg.expected().layers().forEach(layer -> layersLeft.merge(layer, 1, Integer::sum));
    }
    return true;
  }

  // ---- what comes

  @Override
  public void heard(Peer sender, KvMessage message) {
    if (message instanceof KvMessage.End end) {
      legsWith(sender).stream()
          .filter(leg -> leg.number() == end.id())
          .forEach(leg -> leg.ended(end));
    }
  }

  @Override
  public void notUnderstood(Peer sender, KvFormatException why) {
    legsWith(sender).forEach(leg -> leg.notUnderstood(why));
  }

  private synchronized List<Leg> legsWith(Peer sender) {
    return legs.stream().filter(leg -> leg.prefill().id().equals(sender.id())).toList();
  }

  /** So many arrivals more. */
  void came(long arrivals) {
    pace.came(arrivals);
  }

  /** One leg has all that it sends of a layer. */
  private void layerPart(int layer) {
    synchronized (this) {
      if (layersLeft.merge(layer, -1, Integer::sum) > 0) {
        return;
      }
    }
    IntConsumer onLayer = order.onLayer();
    if (onLayer != null) {
      told.run(() -> tell(onLayer, layer));
    }
  }

  private void tell(IntConsumer onLayer, int layer) {
    synchronized (this) {
      if (state == State.ENDED) {
        return;
      }
    }
    try {
      onLayer.accept(layer);
    } catch (Throwable thrown) {
      if (!failWith(thrown, null)) {
        Bulkhead.unheard(thrown);
      }
    }
  }

  /** One leg has all; or it was abandoned, and nothing of it can come any more. */
  void legDone() {
    boolean all = false;
    synchronized (this) {
      if (--legsLeft > 0) {
        return;
      }
      if (state == State.RUNNING) {
        state = State.ARRIVED;
        all = true;
      }
    }
    if (all) {
      tellEnd(null, true);
      running.dispose();
      // What was registered for it alone is of no use any more; whenQuiet will wait for that.
      Ending.of(sources.ended(), () -> {}, failure -> {});
      owner.finished(this, numbers());
      told.run(this::deliver);
    } else {
      giveBack();
    }
  }

  private void deliver() {
    KvArrival arrival;
    synchronized (this) {
      arrival =
          new KvArrival(
              legs.getFirst().number(),
              order,
              span,
              pace.total(),
              pace.untilFirst(),
              pace.sinceFirst(),
              this::released);
    }
    listener.arrived(arrival);
  }

  // ---- how it ends

  /** Nobody waits for it any more. From any thread; no effect when it has ended. */
  void cancel() {
    abandon(null, null);
  }

  /** It ends so, if it has not ended yet. */
  void fail(HandOverException failure) {
    failWith(failure, failure);
  }

  private void fail(Throwable cause, Peer prefill) {
    HandOverException.Node with = node(prefill);
    fail(
        cause instanceof IllegalArgumentException refused
            ? new HandOverException(
                HandOverException.Reason.REFUSED,
                with,
                number(prefill),
                HandOverException.textOf(refused),
                refused)
            : owner.cache().failure(cause, with, number(prefill)));
  }

  /** By the name that it was known by when this began: its owner may have forgotten it since. */
  private HandOverException.Node node(Peer prefill) {
    for (Sources.Ready one : sources.known()) {
      if (one.source().peer().id().equals(prefill.id())) {
        return one.source().with();
      }
    }
    KvSource known = owner.known(prefill);
    return known == null ? new HandOverException.Node("prefill", prefill, null) : known.with();
  }

  /** Whether somebody was told that it has ended for this reason. */
  private boolean failWith(Throwable reason, @Nullable HandOverException cause) {
    return abandon(reason, cause) && listener.failed(reason);
  }

  private void late() {
    fail(new DeadlineExceededException(pace.lateText()), awaited());
  }

  /** The first node of which something is missing. */
  private synchronized Peer awaited() {
    for (Leg leg : legs) {
      if (!leg.hasArrived()) {
        return leg.prefill();
      }
    }
    Peer unknown = sources.unknown();
    return unknown == null ? order.prefills().getFirst() : unknown;
  }

  /** How much is left of its time, in milliseconds; 1 when it is over. */
  Duration left() {
    return pace.left();
  }

  private void lookLater() {
    long look = Math.max(1, order.deadline().toNanos() / LOOKS);
    looking.update(owner.cache().timers.after(look, this::look));
  }

  /** Ends it early if at the rate so far it cannot be done in time. */
  private void look() {
    String infeasible = pace.infeasible();
    if (infeasible != null) {
      Peer awaited = awaited();
      fail(
          new HandOverException(
              HandOverException.Reason.INFEASIBLE, node(awaited), number(awaited), infeasible));
    }
    if (isRunning()) {
      lookLater();
    }
  }

  /** Under which number this node was asked; 0 if it was not. */
  private long number(Peer prefill) {
    return legsWith(prefill).stream().mapToLong(Leg::number).findFirst().orElse(0);
  }

  private synchronized List<Long> numbers() {
    return legs.stream().map(Leg::number).toList();
  }

  private synchronized boolean isRunning() {
    return state == State.RUNNING;
  }

  /**
   * Ends it early, if that was not done; says whether it was this call that did.
   *
   * @param reason null if it was cancelled
   * @param cause the reason, if it is one of a hand-over and not of the caller's own code
   */
  private boolean abandon(@Nullable Throwable reason, @Nullable HandOverException cause) {
    List<Leg> all;
    synchronized (this) {
      if (state != State.RUNNING) {
        return false;
      }
      state = State.ENDED;
      all = legs;
    }
    tellEnd(reason, false);
    running.dispose();
    Peer lost =
        cause != null && cause.reason() == HandOverException.Reason.PEER_LOST ? cause.peer() : null;
    if (lost != null) {
      owner.lost(lost);
    }
    all.forEach(leg -> leg.abandon(lost != null && lost.id().equals(leg.prefill().id())));
    if (all.isEmpty()) {
      giveBack();
    }
    return true;
  }

  /** Before anybody else hears of it. */
  private void tellEnd(@Nullable Throwable failure, boolean arrived) {
    OperationRecording<KvRecorder.OrderRecorder> recorded = recording;
    if (recorded != null) {
      recorded.first(recorder -> recorder.ended(endOf(failure, arrived)));
    }
  }

  private KvRecorder.OrderEnd endOf(@Nullable Throwable failure, boolean arrived) {
    PageList pages = order.pages();
    MemorySlice tail = order.tail();
    long bytes = owner.memory().layout().bytes(span) + (tail == null ? 0 : tail.length());
    return new EndedOrder(
        pace.sinceStart(),
        arrived ? pace.untilFirst() : null,
        pages == null ? 0 : pages.size(),
        arrived ? bytes : 0,
        failure,
        !arrived && failure == null);
  }

  /** An arrival is not needed any more. */
  private void released() {
    owner.leaves(this);
    giveBack();
  }

  /** Nothing can write any more, and nobody reads: the pages are the caller's again. */
  private void giveBack() {
    // Not before: who has the memory of the tail again may free it.
    Ending.of(
        sources.ended(),
        this::isBack,
        failure -> {
          // What the node was told of stays open, but nothing of it is on its way any more.
          LOG.warn("memory of hand-over {} was not closed: {}", numbers(), failure.toString());
          isBack();
        });
  }

  private void isBack() {
    boolean wasHeld;
    synchronized (this) {
      if (givenBack) {
        return;
      }
      givenBack = true;
      wasHeld = state == State.ENDED;
    }
    OperationRecording<KvRecorder.OrderRecorder> recorded = recording;
    if (wasHeld && recorded != null) {
      recorded.second(KvRecorder.OrderRecorder::pagesBack);
    }
    order.quiet();
    owner.left(this);
    owner.finished(this, numbers());
    freed.tryEmitEmpty();
  }
}
