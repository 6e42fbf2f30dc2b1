package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvSpan;
import io.reactivetransfer.simulation.Referee;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * One order, from when its pages are taken until they are back, and what must be true of it
 * meanwhile: it ends once, in time, and for a reason; its pages come back once, when nothing can
 * write to them; and what it is given is what prefill wrote.
 */
final class Trip implements CoreSubscriber<Integer> {

  /** The one page of a tail. */
  static final KvSpan TAIL = new KvSpan(0, 1);

  private static final long MILLI = 1_000_000;

  /** Where an order may be cancelled, besides at any time. */
  enum Step {
    REQUESTED,
    LAYER_SENT,
    LAYER_HERE,
    IN_USE,
    SCOPE_BEGUN,
    PAGES_BACK
  }

  /** What is made of an arrival. */
  private enum Use {
    AT_ONCE,
    LATER,
    EMPTY,
    ERROR,
    THROWS,
    KEEP,
    HANG
  }

  /** Whose the pages are. */
  private enum State {
    NEW,
    ORDERED,
    ARRIVED,
    SCOPE_OVER,
    BACK
  }

  final int number;
  final Decoding decoding;
  private final KvNode node;
  private final Referee referee;
  private final SplittableRandom random;
  private final List<KvNode> prefills;
  private final boolean incomplete;
  private final KvSpan span;
  private final boolean wantsTail;
  private final long deadlineNanos;
  private final Use use;
  private final boolean cancels;
  private final @Nullable Step cancelStep;
  private final boolean layers;
  private final boolean throwsAtLayer;
  private final Set<KvNode> requestedOf = new HashSet<>();
  private final Set<KvNode> unanswered = new HashSet<>();
  private final BitSet layersHere = new BitSet();
  private @Nullable Subscription subscription;
  private @Nullable Lot pages;
  private @Nullable Lot tail;
  private State state = State.NEW;
  private int tailLength;
  private long beganNanos;
  private long stoppedBefore;
  private int[] disposalsBefore = {};
  private boolean kept;
  private boolean cancelled;
  private boolean ended;
  private boolean reclaimed;

  /**
   * An order of a node that is up.
   *
   * @param prefills who is to serve it: one of each rank, unless it is incomplete
   */
  Trip(
      Decoding decoding,
      List<KvNode> prefills,
      boolean incomplete,
      int number,
      SplittableRandom random) {
    this.decoding = decoding;
    this.node = decoding.node;
    this.referee = node.world().referee();
    this.number = number;
    this.random = random;
    boolean calm = node.world().forecast().calm();
    boolean tailOnly = random.nextInt(8) == 0;
    this.prefills = tailOnly ? prefills.subList(0, 1) : List.copyOf(prefills);
    this.incomplete = incomplete && !tailOnly;
    this.wantsTail = tailOnly || random.nextInt(3) == 0;
    this.span =
        tailOnly
            ? new KvSpan(0, 0)
            : new KvSpan(random.nextBoolean() ? 0 : random.nextInt(9), 1 + random.nextInt(12));
    boolean hasty = !calm && random.nextInt(8) == 0;
    this.deadlineNanos =
        calm
            ? 2_000 * MILLI
            : hasty ? random.nextLong(1, 4) * MILLI : random.nextLong(20, 200) * MILLI;
    Use drawn = Use.values()[random.nextInt(Use.values().length)];
    this.use = random.nextBoolean() ? Use.AT_ONCE : drawn;
    this.cancels = use == Use.HANG || random.nextInt(3) == 0;
    this.cancelStep = random.nextBoolean() ? null : Step.values()[random.nextInt(6)];
    this.layers = !tailOnly && random.nextInt(3) == 0;
    this.throwsAtLayer = layers && random.nextInt(10) == 0;
  }

  // ---- what its maker does ----

  /** Begins when there are pages. Called on a thread of its process. */
  void begin() {
    KvDecode decode = decoding.decode();
    TransferEngine engine = node.engine();
    if (!node.isUp() || decode == null || engine == null) {
      giveUp();
      return;
    }
    pages = span.tokens() == 0 ? null : decoding.target.take(number, span);
    tail = wantsTail ? decoding.tails.take(number, TAIL) : null;
    if ((span.tokens() > 0 && pages == null) || (wantsTail && tail == null)) {
      giveLots();
      decoding.await(this);
      return;
    }
    state = State.ORDERED;
    beganNanos = referee.nanos();
    stoppedBefore = stoppedNanos();
    disposalsBefore = disposals();
    referee.note(node.index(), "order", number);
    node.world().tampering().received(decode.receive(order(engine), this::use)).subscribe(this);
    if (cancels && (cancelStep == null || use == Use.HANG)) {
      long atMost = 1L << random.nextInt(8, use == Use.HANG ? 28 : 22);
      node.act(random.nextLong(atMost), this::cancel);
    }
  }

  private KvOrder order(TransferEngine engine) {
    List<Peer> peers = new ArrayList<>();
    for (KvNode prefill : prefills) {
      TransferEngine other = prefill.engine();
      if (other == null) {
        throw new IllegalStateException(prefill + " has no engine yet");
      }
      peers.add(engine.peer(other.address()));
    }
    Runnable whenQuiet = node.world().tampering().whenQuiet(this::back);
    KvOrder.Builder builder;
    if (pages != null) {
      builder =
          KvOrder.into(peers.getFirst(), pages.pages, whenQuiet)
              .firstToken(span.firstToken())
              .tokens(span.tokens());
      if (tail != null) {
        builder.tail(tailSlice(tail));
      }
    } else if (tail != null) {
      builder = KvOrder.tailOnly(peers.getFirst(), tailSlice(tail), whenQuiet);
    } else {
      throw new IllegalStateException("an order for nothing");
    }
    builder.from(peers.subList(1, peers.size()).toArray(Peer[]::new));
    if (layers) {
      builder.onLayer(this::layer);
    }
    ByteBuffer body = ByteBuffer.allocate(Integer.BYTES + random.nextInt(600));
    return builder.deadline(Duration.ofNanos(deadlineNanos)).body(body.putInt(0, number)).build();
  }

  private MemorySlice tailSlice(Lot of) {
    return decoding
        .tails
        .strips()
        .getFirst()
        .region()
        .slice((long) of.pages.get(0) * KvNode.TAIL_BYTES, KvNode.TAIL_BYTES);
  }

  /** There will be no pages for it, or nobody to order with. */
  void giveUp() {
    state = State.BACK;
    ended = true;
  }

  private void cancel() {
    Subscription source = subscription;
    if (source != null && !isEnded()) {
      referee.note(node.index(), "cancel", number);
      cancelled = true;
      source.cancel();
    }
  }

  /** The order is at this step; on whichever node that is. */
  void step(Step step) {
    if (cancels && step == cancelStep) {
      if (step.compareTo(Step.LAYER_HERE) >= 0 && random.nextBoolean()) {
        cancel();
      } else {
        node.act(random.nextLong(1_000), this::cancel);
      }
    }
  }

  /** Its pages may be taken back by force: that ends it, too. */
  void reclaimed() {
    reclaimed = true;
  }

  // ---- what prefill does ----

  /** A prefill node has got its request. */
  void requested(KvNode prefill, KvRequest request) {
    referee.require(prefills.contains(prefill), prefill + " got order " + number + " of others");
    referee.require(
        requestedOf.add(prefill), prefill + " got the request of order " + number + " twice");
    boolean fits =
        request.span().tokens() == span.tokens()
            && (span.tokens() == 0 || request.span().equals(span))
            && request.decode().id().equals(node.id())
            && request.model().equals(decoding.model)
            && request.wantsTail() == (wantsTail && prefill == prefills.getFirst());
    referee.require(fits, request + " is not what order " + number + " asked for");
    step(Step.REQUESTED);
  }

  /** A prefill node's application has answered; or breaks down, now or later. */
  void answered(KvNode prefill, boolean badly) {
    if (badly) {
      unanswered.add(prefill);
    }
  }

  /** Prefill writes so many bytes of the tail. */
  void tailWritten(int length) {
    tailLength = length;
  }

  // ---- what comes of it ----

  @Override
  public void onSubscribe(Subscription source) {
    subscription = source;
    source.request(Long.MAX_VALUE);
  }

  private void layer(int layer) {
    referee.note(node.index(), "layer " + layer, number);
    referee.require(!isEnded(), this + " was told of a layer after its end");
    referee.require(
        state == State.ORDERED && !layersHere.get(layer), this + " was told of a layer twice");
    layersHere.set(layer);
    Lot lot = pages;
    if (lot != null) {
      decoding.target.requireFilled(lot, layer, "layer " + layer + " of " + this + " is here");
    }
    step(Step.LAYER_HERE);
    if (throwsAtLayer) {
      throw new IllegalStateException("who looks at layers breaks down");
    }
  }

  private Mono<Integer> use(KvArrival arrival) {
    referee.note(node.index(), "arrived", number);
    referee.require(state == State.ORDERED, this + " arrived twice, or too late");
    referee.require(!ended, this + " arrived after its end");
    requireInTime();
    state = State.ARRIVED;
    referee.require(
        !layers || layersHere.cardinality() == decoding.shape.layers(),
        this + " arrived, and was told of layers " + layersHere);
    referee.require(
        span.tokens() == 0 || arrival.span().equals(span), this + " arrived as " + arrival.span());
    close(pages);
    close(tail);
    requireFilled("arrived");
    step(Step.IN_USE);
    if (kept()) {
      arrival.keep();
      kept = true;
      node.act(random.nextLong(MILLI), () -> release(arrival));
    }
    return scope()
        .doOnSubscribe(begun -> step(Step.SCOPE_BEGUN))
        .doOnTerminate(this::scopeOver)
        .doOnCancel(this::scopeOver);
  }

  /** Not if it was cancelled while it was used: then nobody may have it any more. */
  private boolean kept() {
    return use == Use.KEEP && !cancelled;
  }

  private Mono<Integer> scope() {
    return switch (use) {
      case AT_ONCE, KEEP -> Mono.just(number);
      case LATER ->
          Mono.delay(Duration.ofNanos(random.nextLong(MILLI)), node.scheduler())
              .publishOn(node.scheduler())
              .map(later -> {
                if (!isEnded()) {
                  requireFilled("is in use");
                }
                return number;
              });
      case EMPTY -> Mono.empty();
      case ERROR -> Mono.error(new IllegalStateException("who uses it fails"));
      case THROWS -> {
        scopeOver();
        throw new IllegalStateException("who uses it breaks down");
      }
      case HANG -> Mono.never();
    };
  }

  private void scopeOver() {
    if (state == State.ARRIVED && !kept) {
      requireFilled("is at the end of its scope");
      state = State.SCOPE_OVER;
    }
  }

  private void release(KvArrival arrival) {
    if (state == State.ARRIVED) {
      requireFilled("was kept");
      state = State.SCOPE_OVER;
      arrival.release();
    }
  }

  private void requireFilled(String why) {
    Lot lot = pages;
    if (lot != null) {
      decoding.target.requireFilled(lot, this + " " + why);
    }
    Lot last = tail;
    if (last != null) {
      decoding.tails.requireFilled(last, 0, 1, tailLength, this + " " + why);
    }
  }

  private static void close(@Nullable Lot lot) {
    if (lot != null) {
      lot.open = false;
    }
  }

  /** {@code whenQuiet}: its pages are back. */
  private void back() {
    referee.note(node.index(), "pages back", number);
    referee.require(state != State.BACK, "the pages of " + this + " were given back twice");
    referee.require(
        state == State.ORDERED || state == State.SCOPE_OVER || (cancelled && !kept),
        "the pages of " + this + " were given back in its scope");
    if (state == State.BACK || state == State.NEW) {
      return;
    }
    state = State.BACK;
    giveLots();
    step(Step.PAGES_BACK);
    decoding.freed();
  }

  private void giveLots() {
    Lot lot = pages;
    if (lot != null) {
      decoding.target.give(lot);
    }
    Lot last = tail;
    if (last != null) {
      decoding.tails.give(last);
    }
    pages = null;
    tail = null;
  }

  @Override
  public void onNext(Integer value) {
    referee.require(!isEnded() && value == number, this + " got " + value);
  }

  @Override
  public void onComplete() {
    over(null);
    referee.require(
        state == State.BACK || kept, this + " completed, and its pages are out: " + state);
  }

  @Override
  public void onError(Throwable failure) {
    over(failure);
    if (state == State.ORDERED || (state == State.BACK && !isOwn(failure))) {
      requireInTime();
      String unjustified = new Verdict(this).on(failure);
      referee.require(
          unjustified == null, this + " failed for no reason (" + unjustified + "): " + failure);
    } else {
      referee.require(isOwn(failure), this + " arrived, and failed: " + failure);
    }
  }

  private void over(@Nullable Throwable failure) {
    referee.note(node.index(), failure == null ? "complete" : "error: " + textOf(failure), number);
    referee.require(!isEnded(), this + " ended twice, or after it was cancelled");
    ended = true;
  }

  /** Without the number of the request, which is not the seed's. */
  private static String textOf(Throwable failure) {
    return String.valueOf(failure.getMessage()).replaceAll("hand-over \\d+", "hand-over");
  }

  /** Whether it is what a use, or one who looks at layers, fails with. */
  private static boolean isOwn(Throwable failure) {
    return failure instanceof IllegalStateException
        && String.valueOf(failure.getMessage()).startsWith("who ");
  }

  private void requireInTime() {
    long late = referee.nanos() - beganNanos - deadlineNanos;
    long stops = stoppedNanos() - stoppedBefore;
    referee.require(
        late <= node.world().forecast().slackNanos() + stops,
        this + " was not over when its deadline was: " + late + " ns late");
  }

  // ---- what others want to know ----

  boolean isEnded() {
    return ended || cancelled;
  }

  /** Whether it has ended and its pages are back, or its node is no more. */
  boolean isOver() {
    return node.isKilled() || (isEnded() && (state == State.BACK || state == State.NEW));
  }

  /** Whether it should have ended by now. */
  boolean isOverdue() {
    return !isEnded()
        && state == State.ORDERED
        && !node.isKilled()
        && referee.nanos() - beganNanos
            > deadlineNanos + node.world().forecast().slackNanos() + stoppedNanos() - stoppedBefore;
  }

  KvNode node() {
    return node;
  }

  List<KvNode> prefills() {
    return prefills;
  }

  boolean isIncomplete() {
    return incomplete;
  }

  boolean wasReclaimed() {
    return reclaimed;
  }

  boolean isThrowing() {
    return throwsAtLayer;
  }

  /** Whether a prefill node's application has refused it, or broke down over it. */
  boolean wasAnsweredBadly() {
    return !unanswered.isEmpty();
  }

  /** Whether the roles of one that it concerns were closed meanwhile. */
  boolean sawDisposal() {
    int[] now = disposals();
    for (int i = 0; i < now.length; i++) {
      boolean open = i == 0 ? node.isOpen() : prefills.get(i - 1).isOpen();
      if (now[i] != disposalsBefore[i] || !open) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the roles of a prefill node were ever closed: who asked meanwhile is refused, and so is
   * who shares his question later, before the answer has come.
   */
  boolean asksWhoWasClosed() {
    return prefills.stream().anyMatch(prefill -> prefill.disposals() > 0);
  }

  long ageNanos() {
    return referee.nanos() - beganNanos;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  private int[] disposals() {
    int[] all = new int[prefills.size() + 1];
    all[0] = node.disposals();
    for (int i = 0; i < prefills.size(); i++) {
      // One that is closed when it begins is as good as closed later.
      all[i + 1] = prefills.get(i).isOpen() ? prefills.get(i).disposals() : -1;
    }
    return all;
  }

  /** Of all processes that take part: who stands still does not answer. */
  private long stoppedNanos() {
    return node.stoppedNanos();
  }

  @Override
  public String toString() {
    return "order " + number + " of " + node;
  }
}
