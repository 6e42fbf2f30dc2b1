package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.KvRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What the prefill nodes of one order were asked, and what they did. */
final class TripBooks {

  private final Trip trip;
  private final List<KvNode> prefills;
  private final Set<KvNode> requestedOf = new HashSet<>();
  private final Set<KvNode> answeredBadly = new HashSet<>();
  private final Set<KvNode> liars = new HashSet<>();
  private final Set<KvNode> begun = new HashSet<>();
  private final Map<KvNode, Long> handedNanos = new HashMap<>();
  private final Map<KvNode, Long> otherwiseNanos = new HashMap<>();
  private int[] disposalsBefore = {};

  TripBooks(Trip trip, List<KvNode> prefills) {
    this.trip = trip;
    this.prefills = prefills;
  }

  List<KvNode> prefills() {
    return prefills;
  }

  // ---- what they did ----

  /** It begins. */
  void begin() {
    disposalsBefore = disposals();
  }

  /** A prefill node has got its request. */
  void requested(KvNode prefill, KvRequest request) {
    var referee = trip.node().world().referee();
    TripPlan plan = trip.plan();
    referee.require(prefills.contains(prefill), prefill + " got " + trip + ", which asks others");
    referee.require(requestedOf.add(prefill), prefill + " got the request of " + trip + " twice");
    referee.require(!isBeyond(prefill), prefill + " got " + trip + ", and has not so many pages");
    boolean fits =
        request.span().tokens() == plan.span().tokens()
            && (plan.isTailOnly() || request.span().equals(plan.span()))
            && request.decode().id().equals(trip.node().id())
            && request.decodeName().equals(trip.node().name())
            && request.model().equals(trip.decoding.model)
            && request.wantsTail() == (plan.wantsTail() && prefill == prefills.getFirst());
    referee.require(fits, request + " is not what " + trip + " asked for");
  }

  /** The application of a prefill node refuses it, or breaks down over it, now or later. */
  void answeredBadly(KvNode prefill) {
    answeredBadly.add(prefill);
  }

  /** A prefill node says that it has ended, for any reason, and goes on. */
  void liedTo(KvNode prefill) {
    liars.add(prefill);
  }

  /** A prefill node answers it in another version of the messages. */
  void toldOtherwise(KvNode prefill) {
    otherwiseNanos.put(prefill, trip.node().world().referee().nanos());
  }

  /** A prefill node begins to hand over what it has of it. */
  void begins(KvNode prefill) {
    begun.add(prefill);
  }

  /** All that a prefill node has of it has gone out. */
  void handed(KvNode prefill) {
    handedNanos.put(prefill, trip.node().world().referee().nanos());
  }

  // ---- what follows from that ----

  /** Whether one has its request, and so was known by name when that was sent. */
  boolean wasRequestedOf(KvNode prefill) {
    return requestedOf.contains(prefill);
  }

  boolean wasLiedTo(KvNode prefill) {
    return liars.contains(prefill);
  }

  /** Whether one has answered in another version so long ago that it must be known. */
  boolean mustKnowVersion(KvNode prefill, long nanosAgo) {
    Long told = otherwiseNanos.get(prefill);
    return told != null && trip.node().world().referee().nanos() - told > nanosAgo;
  }

  boolean wasAnsweredBadly() {
    return !answeredBadly.isEmpty();
  }

  boolean wasAnsweredBadly(KvNode prefill) {
    return answeredBadly.contains(prefill);
  }

  /** Whether it wants more tokens of one than that has pages for. */
  boolean isBeyond(KvNode prefill) {
    return prefill.servings().stream()
        .filter(serving -> serving.model.equals(trip.decoding.model))
        .anyMatch(serving -> serving.isTooSmall(trip.plan().span()));
  }

  boolean isBeyondAny() {
    return prefills.stream().anyMatch(this::isBeyond);
  }

  /** Whether one has done its share so long ago that it must be known, and others have not. */
  boolean isBlameless(KvNode prefill, long nanosAgo) {
    Long handed = handedNanos.get(prefill);
    return handed != null
        && trip.node().world().referee().nanos() - handed > nanosAgo
        && prefills.stream().anyMatch(other -> !handedNanos.containsKey(other));
  }

  /**
   * How long ago one of two nodes that have half of it each has done its share, if the other one
   * has not even begun; else 0. Of very little the half may be nearly all, as it is counted.
   */
  long halfDoneForNanos() {
    KvShape shape = trip.decoding.shape;
    boolean halves =
        prefills.size() == 2
            && shape.ranks().getFirst().slices() == 2
            && prefills.stream().flatMap(this::pageTokens).distinct().count() == 1;
    long pages = trip.plan().span().pages(trip.decoding.target.layout.pageTokens());
    long units = (long) shape.layers() * shape.parts().size() * pages;
    if (!halves || begun.containsAll(prefills) || handedNanos.isEmpty() || units < 3) {
      return 0;
    }
    long done = handedNanos.values().stream().min(Long::compare).orElseThrow();
    return trip.node().world().referee().nanos() - done;
  }

  /** Of how many tokens the pages of a prefill node are, by which arrivals are counted, too. */
  private Stream<Integer> pageTokens(KvNode prefill) {
    return prefill.servings().stream()
        .filter(serving -> serving.model.equals(trip.decoding.model))
        .map(serving -> serving.source.layout.pageTokens());
  }

  /** Whether the roles of one that it concerns were closed meanwhile. */
  boolean sawDisposal() {
    int[] now = disposals();
    for (int i = 0; i < now.length; i++) {
      boolean open = i == 0 ? trip.node().isOpen() : prefills.get(i - 1).isOpen();
      if (now[i] != disposalsBefore[i] || !open) {
        return true;
      }
    }
    return false;
  }

  private int[] disposals() {
    int[] all = new int[prefills.size() + 1];
    all[0] = trip.node().disposals();
    for (int i = 0; i < prefills.size(); i++) {
      // One that is closed when it begins is as good as closed later.
      all[i + 1] = prefills.get(i).isOpen() ? prefills.get(i).disposals() : -1;
    }
    return all;
  }
}
