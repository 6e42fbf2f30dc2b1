package io.reactivetransfer.membership;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/**
 * The nodes of a membership as peers of an engine: the membership says who exists, the engine who
 * is alive. A node that dies is seen before its lease is over, one that left the list is forgotten
 * though it lives, and one that was restarted at its address is found again under its new id.
 */
public final class NodePeers {

  private NodePeers() {}

  /**
   * The nodes that are wanted, sorted by name: all of them at once, then all with each change; of
   * changes that come faster than they are asked for, the last. It begins with none.
   *
   * <p>On each subscription: follows the membership, looks for the engine of each node, and has it
   * watched ({@link Peer#state()}). Where it is lost or cannot be reached, it is looked for again,
   * after 0.5 s and then less and less often, every 8 s at last, and watched all the while. A
   * cancel ends all of that, and closes no connection. Completes when the engine closes; fails with
   * what the membership fails with; where that completes, those who are there are watched on.
   * Signals come on the threads of the membership and of the engine's signal scheduler, one at a
   * time.
   *
   * @param which is asked with each change of a node; what it throws is the error
   */
  public static Flux<List<NodePeer>> of(
      TransferEngine engine, Membership membership, Predicate<? super Node> which) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(membership, "membership");
    Objects.requireNonNull(which, "which");
    return Flux.<NodeWatch>create(
            sink -> new NodeWatch(engine, which, sink).follow(membership), OverflowStrategy.LATEST)
        .map(NodeWatch::known)
        .distinctUntilChanged();
  }

  /**
   * The peers at nodes of one role that are alive, all of them with each change: whom one may ask.
   * All else is as for {@link #of}.
   */
  public static Flux<List<Peer>> alive(TransferEngine engine, Membership membership, String role) {
    Objects.requireNonNull(role, "role");
    return of(engine, membership, node -> node.role().equals(role))
        .map(NodePeers::alive)
        .distinctUntilChanged();
  }

  private static List<Peer> alive(List<NodePeer> known) {
    Set<Peer> alive = new LinkedHashSet<>();
    for (NodePeer each : known) {
      Peer peer = each.peer();
      if (peer != null && each.isAlive()) {
        alive.add(peer);
      }
    }
    return List.copyOf(alive);
  }
}
