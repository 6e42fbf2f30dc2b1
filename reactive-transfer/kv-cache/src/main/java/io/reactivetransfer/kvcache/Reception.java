package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
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

    /** It ended early; the pages are not the listener's. */
    void failed(Throwable reason);
  }

  /** What one leg needs before it can begin. */
  private record Ready(KvSource source, OwnMemory memory) {}

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
        public void failed(Throwable reason) {}
      };

  private final KvDecode owner;
  private final KvOrder order;
  private final KvSpan span;
  private final AtomicReferenceArray<@Nullable Ready> ready;
  private final Disposable.Composite running = Disposables.composite();
  private final Disposable.Swap looking = Disposables.swap();
  private final Sinks.Empty<Void> freed = Sinks.empty();

  /** What the caller is told of layers, and of the arrival behind them. */
  private final Turns told = new Turns();

  private volatile Listener listener = NOBODY;
  private final long startNanos;

  /** Guarded by this, like all below. */
  private State state = State.RUNNING;

  private List<Leg> legs = List.of();
  private int notReady;
  private int legsLeft;
  private boolean givenBack;
  private long id;
  private long total;
  private long arrived;
  private long firstNanos;
  private final Map<Integer, Integer> layersLeft = new HashMap<>();

  Reception(KvDecode owner, KvOrder order, KvSpan span) {
    this.owner = owner;
    this.order = order;
    this.span = span;
    this.startNanos = now();
    this.notReady = order.prefills().size();
    this.ready = new AtomicReferenceArray<>(notReady);
  }

  KvOrder order() {
    return order;
  }

  KvSpan span() {
    return span;
  }

  /** Ended early; until its pages are back, and not just about to be: then its owner forgets it. */
  synchronized boolean isHeld() {
    return state == State.ENDED;
  }

  /** Completes when the pages are the caller's again. */
  Mono<Void> freed() {
    return freed.asMono();
  }

  synchronized List<Leg> heldLegs() {
    return legs.stream().filter(Leg::isHeld).toList();
  }

  // ---- beginning

  /** Begins: finds out what the prefill nodes have, then orders it of each. */
  void start(Listener waiting) {
    listener = waiting;
    try {
      long nanos = order.deadline().toNanos();
      running.add(owner.cache().timers.after(nanos, this::late));
      for (int i = 0; i < order.prefills().size() && isRunning(); i++) {
        prepare(i, order.prefills().get(i));
      }
    } catch (Throwable failure) {
      fail(failure, order.prefills().getFirst()); // whatever it is: the pages must not be lost
    }
  }

  private void prepare(int index, Peer prefill) {
    if (owner.known(prefill) == null) { // else its own claims will tell of its loss
      running.add(Ending.of(owner.cache().lossOf(prefill), () -> {}, e -> fail(e, prefill)));
    }
    Mono<Ready> all =
        owner
            .source(prefill)
            .flatMap(source ->
                owner
                    .memoryFor(prefill, index == 0 ? order.tail() : null)
                    .map(memory -> new Ready(source, memory)))
            .doOnNext(found -> isReady(index, found));
    running.add(Ending.of(all, this::isReady, e -> fail(e, prefill)));
  }

  private void isReady(int index, Ready found) {
    ready.set(index, found);
    if (!isRunning()) { // nobody was told of it, nor will be
      Ending.of(found.memory().ended(), () -> {}, failure -> {});
    }
  }

  private void isReady() {
    synchronized (this) {
      if (--notReady > 0) {
        return;
      }
    }
    try {
      begin();
    } catch (Throwable failure) {
      fail(failure, order.prefills().getFirst());
    }
  }

  private void begin() {
    List<Ready> all = new ArrayList<>();
    for (int i = 0; i < ready.length(); i++) {
      Ready one = ready.get(i);
      if (one != null) {
        all.add(one);
      }
    }
    if (order.pages() != null) {
      owner.requireCover(all.stream().map(Ready::source).toList());
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
    owner.cache().outbox.inTurn(this::send);
  }

  private List<Leg> makeLegs(List<Ready> all) {
    List<Leg> made = new ArrayList<>();
    try {
      for (Ready one : all) {
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
      total += leg.expected().total();
      leg.expected().layers().forEach(layer -> layersLeft.merge(layer, 1, Integer::sum));
    }
    return true;
  }

  /** When it is its turn, so that numbers go up in the order in which they are sent. */
  private void send() {
    List<Leg> all;
    long number;
    synchronized (this) {
      if (state != State.RUNNING) {
        return;
      }
      number = owner.cache().ids.next();
      id = number;
      all = legs;
      owner.cache().answers.add(number, this);
    }
    for (Leg leg : all) {
      leg.number(number);
      owner.cache().outbox.add(leg);
    }
  }

  // ---- what comes

  @Override
  public void heard(Peer sender, KvMessage message) {
    if (message instanceof KvMessage.End end) {
      legsWith(sender).forEach(leg -> leg.ended(end));
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
  synchronized void came(long arrivals) {
    if (arrived == 0) {
      firstNanos = now();
    }
    arrived += arrivals;
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
      running.dispose();
      owner.finished(this, number());
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
              id,
              order,
              span,
              total,
              Duration.ofNanos(firstNanos - startNanos),
              Duration.ofNanos(now() - firstNanos),
              this::giveBack);
    }
    listener.arrived(arrival);
  }

  // ---- how it ends

  /** Nobody waits for it any more. From any thread; no effect when it has ended. */
  void cancel() {
    abandon(null);
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
                number(),
                HandOverException.textOf(refused),
                refused)
            : HandOverException.of(cause, with, number()));
  }

  private HandOverException.Node node(Peer prefill) {
    KvSource known = owner.known(prefill);
    return known == null ? new HandOverException.Node("prefill", prefill, null) : known.with();
  }

  private boolean failWith(Throwable reason, @Nullable HandOverException cause) {
    boolean first = abandon(cause);
    if (first) {
      listener.failed(reason);
    }
    return first;
  }

  private void late() {
    String came;
    long expected;
    synchronized (this) {
      expected = total;
      came = arrived == 0 ? "none came" : "not all of them came";
    }
    fail(
        new DeadlineExceededException(
            expected == 0
                ? "expected an answer within " + order.deadline() + ", none came"
                : "expected " + expected + " arrivals within " + order.deadline() + ", " + came),
        awaited());
  }

  /** The first node of which something is missing. */
  private synchronized Peer awaited() {
    for (Leg leg : legs) {
      if (!leg.hasArrived()) {
        return leg.prefill();
      }
    }
    for (int i = 0; i < ready.length(); i++) {
      if (ready.get(i) == null) {
        return order.prefills().get(i);
      }
    }
    return order.prefills().getFirst();
  }

  private void lookLater() {
    long look = Math.max(1, order.deadline().toNanos() / LOOKS);
    looking.update(owner.cache().timers.after(look, this::look));
  }

  private void look() {
    estimate();
    if (isRunning()) {
      lookLater();
    }
  }

  /** Ends it early if at the rate so far it would take twice as long as there is left. */
  private void estimate() {
    long nanos = order.deadline().toNanos();
    long left;
    long needed;
    synchronized (this) {
      long since = now() - firstNanos;
      if (arrived == 0 || since < nanos / 8) {
        return;
      }
      // It is only known in parts how much has come.
      long came = Math.min(total, arrived + Math.ceilDiv(total, 8));
      left = nanos - (now() - startNanos);
      needed = (long) ((double) since * (total - came) / came);
    }
    if (needed / 2 > left) {
      HandOverException infeasible =
          new HandOverException(
              HandOverException.Reason.INFEASIBLE,
              node(awaited()),
              number(),
              "expected it to take at most "
                  + Duration.ofNanos(Math.max(0, left)).toMillis()
                  + " ms more, got a rate at which it takes some "
                  + Duration.ofNanos(needed).toMillis()
                  + " ms");
      fail(infeasible);
    }
  }

  private synchronized long number() {
    return id;
  }

  private synchronized boolean isRunning() {
    return state == State.RUNNING;
  }

  /** Ends it early, if that was not done; says whether it was this call that did. */
  private boolean abandon(@Nullable HandOverException cause) {
    List<Leg> all;
    synchronized (this) {
      if (state != State.RUNNING) {
        return false;
      }
      state = State.ENDED;
      all = legs;
    }
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

  /** Nothing can write any more, and nobody reads: the pages are the caller's again. */
  private void giveBack() {
    List<OwnMemory> memories = new ArrayList<>();
    for (int i = 0; i < ready.length(); i++) {
      Ready one = ready.get(i);
      if (one != null) {
        memories.add(one.memory());
      }
    }
    // Where the NIC keeps out what was given up, nothing is left that could come: no need to wait.
    boolean waits = !owner.cache().engine.fencesLostPeers();
    Ending.of(
        Flux.fromIterable(memories).concatMap(OwnMemory::ended),
        this::isBack,
        failure -> {
          // What the node was told of stays open, but nothing of it is on its way any more.
          LOG.warn("memory of hand-over {} was not closed: {}", number(), failure.toString());
          isBack();
        });
    if (!waits) {
      isBack();
    }
  }

  private void isBack() {
    synchronized (this) {
      if (givenBack) {
        return;
      }
      givenBack = true;
    }
    order.quiet();
    owner.finished(this, number());
    freed.tryEmitEmpty();
  }

  private long now() {
    return owner.cache().timers.nanos();
  }
}
