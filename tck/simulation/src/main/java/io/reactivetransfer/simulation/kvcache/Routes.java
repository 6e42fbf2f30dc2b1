package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.simulation.Referee;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import reactor.core.publisher.Sinks;

/** The router of one decode role, the nodes that it is told of, and the orders that it has. */
final class Routes {

  /**
   * So long at least a node rests that is known to have failed. It is half of the first rest: that
   * may have begun before this was known.
   */
  private static final long REST_NANOS = 250_000_000;

  private final Decoding decoding;
  private final Sinks.Many<List<Peer>> listed = Sinks.many().multicast().directBestEffort();
  private final List<RoutedTrip> running = new ArrayList<>();
  private final Routing routing;
  private final int attempts;

  /** Nodes that may rest, because an attempt with them may have failed. */
  private final Set<KvNode> doubtful = new HashSet<>();

  /** When those have failed that are known to have failed, and have done nothing since. */
  private final Map<KvNode, Long> failedNanos = new HashMap<>();

  /** When an order last arrived of a node, or was last known to have failed. */
  private final Map<KvNode, Long> toldNanos = new HashMap<>();

  private List<KvNode> nodes = List.of();
  private boolean complete;

  Routes(Decoding decoding, KvDecode decode, SplittableRandom random) {
    this.decoding = decoding;
    this.attempts = 1 + random.nextInt(4);
    this.routing = decoding.node.world().tampering().routing(decode, listed.asFlux(), attempts);
  }

  Decoding decoding() {
    return decoding;
  }

  /** Whether its decode role is open, and it was not opened again with another router. */
  boolean isOpen() {
    return decoding.node.isOpen() && decoding.routes() == this;
  }

  Routing routing() {
    return routing;
  }

  /** How many nodes may be asked for one order. */
  int attempts() {
    return attempts;
  }

  /** Those that it was told of last. */
  List<KvNode> nodes() {
    return nodes;
  }

  /** Whether it is never told of others. */
  boolean isComplete() {
    return complete;
  }

  // ---- what it is told ----

  /**
   * Tells of those who have all of the model: all that are up, unless something else goes wrong,
   * too. Then one may be missing that lives, or be named that is gone.
   */
  void list(SplittableRandom random) {
    TransferEngine engine = decoding.node.engine();
    if (complete || engine == null || !decoding.node.isUp()) {
      return;
    }
    boolean calm = decoding.node.world().forecast().calm();
    List<Peer> peers = new ArrayList<>();
    List<KvNode> named = new ArrayList<>();
    for (KvNode node : decoding.node.world().nodes()) {
      TransferEngine other = node.engine();
      boolean isWrong = !calm && random.nextInt(8) == 0;
      if (node != decoding.node
          && node.rank() == 0
          && other != null
          && (node.isUp() || !calm)
          && node.isUp() != isWrong) {
        peers.add(engine.peer(other.address()));
        named.add(node);
      }
    }
    nodes = List.copyOf(named);
    decoding.node.world().referee().note(decoding.node.index(), "listed", named.size());
    listed.tryEmitNext(peers);
    if (!calm && random.nextInt(30) == 0) {
      complete = true;
      listed.tryEmitComplete();
    }
  }

  // ---- what it does ----

  void begins(RoutedTrip trip) {
    running.add(trip);
  }

  void ends(RoutedTrip trip) {
    running.remove(trip);
  }

  /**
   * An attempt with this node has failed, so others are asked first for a while; unless another one
   * has failed or arrived since it began, which may be what counts.
   */
  void failed(KvNode node, long beganNanos) {
    doubtful.add(node);
    if (toldNanos.getOrDefault(node, Long.MIN_VALUE) < beganNanos) {
      failedNanos.putIfAbsent(node, nanos());
    }
    toldNanos.put(node, nanos());
  }

  /** An attempt with this node may have failed, and then others are asked first for a while. */
  void doubts(KvNode node) {
    doubtful.add(node);
  }

  /** An order has arrived from this node. */
  void arrived(KvNode node) {
    failedNanos.remove(node);
    toldNanos.put(node, nanos());
  }

  /** The one that was chosen is to be it, of those that were not asked for an order. */
  void requireBest(KvNode chosen, Set<KvNode> asked, String what) {
    for (RoutedTrip trip : running) {
      KvNode node = trip.askedNow();
      if (node != null && trip.mayHaveFailed()) {
        doubtful.add(node);
      }
    }
    boolean rests = nanos() - failedNanos.getOrDefault(chosen, Long.MIN_VALUE / 2) < REST_NANOS;
    Referee referee = decoding.node.world().referee();
    for (KvNode other : nodes) {
      if (!asked.contains(other) && !doubtful.contains(other)) {
        referee.require(!rests, what + ", which has failed lately, and " + other + " has not");
        referee.require(
            doubtful.contains(chosen) || ordersOf(other) >= ordersOf(chosen),
            what + ", and " + other + " has fewer orders");
      }
    }
  }

  private long nanos() {
    return decoding.node.world().referee().nanos();
  }

  private long ordersOf(KvNode node) {
    return running.stream().filter(trip -> node.equals(trip.askedNow())).count();
  }
}
