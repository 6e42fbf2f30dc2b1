package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.simulation.Referee;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
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

  /** So long the pages of a lost node may be held. */
  private static final long SHUT_OUT_NANOS = 1_000_000_000;

  final int number;
  final Decoding decoding;
  private final KvNode node;
  private final Referee referee;
  private final SplittableRandom random;
  private final TripPlan plan;
  private final TripPages pages;
  private final TripBooks books;
  private final TripScope scope;
  private final BitSet layersHere = new BitSet();
  private @Nullable Subscription subscription;
  private long firstLayerNanos;
  private long beganNanos;
  private long endedNanos;
  private long stoppedBefore;
  private boolean lost;
  private boolean cancelled;
  private boolean ended;
  private boolean reclaimed;
  private boolean isAttempt;

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
    this(
        decoding,
        prefills,
        TripPlan.draw(decoding.node.world().forecast().calm(), incomplete, random),
        number,
        random);
  }

  /** The same, of a kind that is known. */
  Trip(
      Decoding decoding,
      List<KvNode> prefills,
      TripPlan plan,
      int number,
      SplittableRandom random) {
    this.decoding = decoding;
    this.node = decoding.node;
    this.referee = node.world().referee();
    this.number = number;
    this.random = random;
    this.plan = plan;
    this.pages = new TripPages(this, decoding);
    this.books =
        new TripBooks(this, plan.isTailOnly() ? prefills.subList(0, 1) : List.copyOf(prefills));
    this.scope = new TripScope(this, pages, random);
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
    if (!pages.take()) {
      decoding.await(this);
      return;
    }
    begun();
    KvOrder order = order(engine).deadline(Duration.ofNanos(plan.deadlineNanos())).build();
    node.world().tampering().received(decode.receive(order, this::use)).subscribe(this);
    if (plan.cancelsSometime()) {
      long atMost = 1L << random.nextInt(8, plan.use() == TripPlan.Use.HANG ? 28 : 22);
      node.act(random.nextLong(atMost), this::cancel);
    }
  }

  /** Begins as one of the attempts of a routed order, which has it end, and says when it does. */
  KvOrder.Builder beginAsAttempt(TransferEngine engine) {
    if (!pages.take()) {
      giveUp();
      throw new IllegalStateException("who orders has no pages left");
    }
    isAttempt = true;
    begun();
    return order(engine);
  }

  private void begun() {
    beganNanos = referee.nanos();
    stoppedBefore = node.stoppedNanos();
    books.begin();
    decoding.asked(books.prefills());
    referee.note(node.index(), "order", number);
  }

  private KvOrder.Builder order(TransferEngine engine) {
    List<Peer> peers = new ArrayList<>();
    for (KvNode prefill : books.prefills()) {
      TransferEngine other = prefill.engine();
      if (other == null) {
        throw new IllegalStateException(prefill + " has no engine yet");
      }
      peers.add(engine.peer(other.address()));
    }
    Runnable whenQuiet = node.world().tampering().whenQuiet(this::back);
    KvOrder.Builder builder;
    Lot lot = pages.pages();
    MemorySlice tail = pages.tailSlice();
    if (lot != null) {
      builder =
          KvOrder.into(peers.getFirst(), lot.pages, whenQuiet)
              .firstToken(plan.span().firstToken())
              .tokens(plan.span().tokens());
      if (tail != null) {
        builder.tail(tail);
      }
    } else if (tail != null) {
      builder = KvOrder.tailOnly(peers.getFirst(), tail, whenQuiet);
    } else {
      throw new IllegalStateException("an order for nothing");
    }
    builder.from(peers.subList(1, peers.size()).toArray(Peer[]::new));
    if (plan.layers()) {
      builder.onLayer(node.world().tampering().onLayer(this::layer));
    }
    ByteBuffer body = ByteBuffer.allocate(2 * Integer.BYTES + random.nextInt(600));
    return builder.body(body.putInt(0, number).putInt(body.capacity() - Integer.BYTES, number));
  }

  /** There will be no pages for it, or nobody to order with. */
  void giveUp() {
    pages.forget();
    ended = true;
  }

  void cancel() {
    Subscription source = subscription;
    if (source != null && !isEnded()) {
      referee.note(node.index(), "cancel", number);
      cancelled = true;
      endedNanos = referee.nanos();
      source.cancel();
    }
  }

  /** The order is at this step; on whichever node that is. */
  void step(TripPlan.Step step) {
    if (plan.cancels() && step == plan.cancelStep()) {
      if (step.compareTo(TripPlan.Step.LAYER_HERE) >= 0 && random.nextBoolean()) {
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
        pages.isWithOrder() && !layersHere.get(layer), this + " was told of a layer twice");
    if (layersHere.isEmpty()) {
      firstLayerNanos = referee.nanos();
    }
    layersHere.set(layer);
    pages.requireFilled(layer);
    step(TripPlan.Step.LAYER_HERE);
    if (plan.throwsAtLayer()) {
      throw new IllegalStateException("who looks at layers breaks down");
    }
  }

  Mono<Integer> use(KvArrival arrival) {
    referee.note(node.index(), "arrived", number);
    referee.require(pages.isWithOrder(), this + " arrived twice, or too late");
    referee.require(!ended, this + " arrived after its end");
    requireInTime();
    referee.require(
        !plan.layers() || layersHere.cardinality() == decoding.shape.layers(),
        this + " arrived, and was told of layers " + layersHere);
    referee.require(
        plan.isTailOnly() || arrival.span().equals(plan.span()),
        this + " arrived as " + arrival.span());
    pages.arrived();
    return scope.of(arrival);
  }

  /** Another node is asked instead of its own, which must have failed. */
  void failedOver() {
    referee.note(node.index(), "failed over", number);
    referee.require(!isEnded(), this + " had ended, and another node was asked");
    referee.require(!pages.isInUse(), this + " had arrived, and another node was asked");
    referee.require(
        mayHaveFailed(),
        this + " was given to another node, and its own one has done nothing wrong");
    ended = true;
    endedNanos = referee.nanos();
  }

  /** {@code whenQuiet}: its pages are back. */
  private void back() {
    referee.note(node.index(), "pages back", number);
    referee.require(!pages.isBack(), "the pages of " + this + " were given back twice");
    referee.require(
        pages.isWithOrder()
            || pages.state() == TripPages.State.SCOPE_OVER
            || (cancelled && !scope.isKept()),
        "the pages of " + this + " were given back in its scope");
    if (pages.isBack() || pages.state() == TripPages.State.NEW) {
      return;
    }
    if (lost && books.prefills().size() == 1) {
      long held = referee.nanos() - endedNanos - (node.stoppedNanos() - stoppedBefore);
      referee.require(
          held <= SHUT_OUT_NANOS,
          "the pages of " + this + " were held for " + held + " ns after its prefill was lost");
    }
    pages.back();
    step(TripPlan.Step.PAGES_BACK);
    decoding.freed();
  }

  @Override
  public void onNext(Integer value) {
    referee.require(!isEnded() && value == number, this + " got " + value);
  }

  @Override
  public void onComplete() {
    over(null);
    referee.require(
        pages.isBack() || scope.isKept(),
        this + " completed, and its pages are out: " + pages.state());
  }

  @Override
  public void onError(Throwable failure) {
    over(failure);
    if (pages.isWithOrder() || (pages.isBack() && !isOwn(failure))) {
      requireInTime();
      String unjustified = new Verdict(this, books).on(failure);
      referee.require(
          unjustified == null, this + " failed for no reason (" + unjustified + "): " + failure);
    } else {
      referee.require(isOwn(failure), this + " arrived, and failed: " + failure);
      referee.require(
          pages.isBack() || scope.isKept(),
          this + " failed in its scope, and its pages are out: " + pages.state());
    }
  }

  private void over(@Nullable Throwable failure) {
    referee.note(node.index(), failure == null ? "complete" : "error: " + textOf(failure), number);
    referee.require(!isEnded(), this + " ended twice, or after it was cancelled");
    ended = true;
    endedNanos = referee.nanos();
    lost =
        failure instanceof HandOverException reason
            && reason.reason() == HandOverException.Reason.PEER_LOST;
  }

  /** Without the number of the request, which is not the seed's. */
  private static String textOf(Throwable failure) {
    return String.valueOf(failure.getMessage()).replaceAll("hand-over \\d+", "hand-over");
  }

  /** Whether it is what a use, or one who looks at layers, fails with. */
  static boolean isOwn(Throwable failure) {
    return failure instanceof IllegalStateException
        && String.valueOf(failure.getMessage()).startsWith("who ");
  }

  private void requireInTime() {
    long late = ageNanos() - plan.deadlineNanos();
    referee.require(
        late <= slackNanos(), this + " was not over when its deadline was: " + late + " ns late");
  }

  // ---- what others want to know ----

  /** Whether its one node may have failed it. */
  boolean mayHaveFailed() {
    return new Verdict(this, books).mayHaveFailed();
  }

  boolean isEnded() {
    return ended || cancelled;
  }

  /** Whether it may have ended: of an attempt that fails, the order hears only with the next. */
  boolean mayHaveEnded() {
    return isEnded() || (isAttempt && mayHaveFailed());
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** Whether it has ended and its pages are back, or its node is no more. */
  boolean isOver() {
    return node.isKilled()
        || (isEnded() && (pages.isBack() || pages.state() == TripPages.State.NEW));
  }

  /** Whether it should have ended by now. */
  boolean isOverdue() {
    return !isEnded()
        && pages.isWithOrder()
        && !node.isKilled()
        && ageNanos() > plan.deadlineNanos() + slackNanos();
  }

  KvNode node() {
    return node;
  }

  TripPlan plan() {
    return plan;
  }

  TripPages pages() {
    return pages;
  }

  TripBooks books() {
    return books;
  }

  /** How long ago one node has sent the first layer, if no more than a third has come; else 0. */
  long slowForNanos() {
    int here = layersHere.cardinality();
    boolean slow = books.prefills().size() == 1 && here > 0 && here * 3 <= decoding.shape.layers();
    return slow ? referee.nanos() - firstLayerNanos : 0;
  }

  boolean wasReclaimed() {
    return reclaimed;
  }

  long ageNanos() {
    return referee.nanos() - beganNanos;
  }

  /** How long it has not been wanted any more. */
  long endedForNanos() {
    return referee.nanos() - endedNanos;
  }

  /** How late something of it may be: who stands still does not answer. */
  long slackNanos() {
    return node.world().forecast().slackNanos() + node.stoppedNanos() - stoppedBefore;
  }

  @Override
  public String toString() {
    return "order " + number + " of " + node;
  }
}
