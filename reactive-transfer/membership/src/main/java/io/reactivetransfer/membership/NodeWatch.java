package io.reactivetransfer.membership;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.membership.NodeChange.Left;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Signal;

/**
 * One subscription to {@link NodePeers}. The lock is held for one look into the map: nobody is
 * signalled, and nothing is subscribed to, while it is. Whoever is signalled looks by himself, so
 * that the order of signals does not matter.
 */
final class NodeWatch extends BaseSubscriber<Signal<NodeChange>> {

  private final TransferEngine engine;
  private final Predicate<? super Node> which;
  private final FluxSink<NodeWatch> sink;
  private final Disposable.Swap closing = Disposables.swap();

  /** By name; guarded by this, like the next one. */
  private final Map<String, WatchedNode> nodes = new TreeMap<>();

  private boolean over;

  NodeWatch(TransferEngine engine, Predicate<? super Node> which, FluxSink<NodeWatch> sink) {
    this.engine = engine;
    this.which = which;
    this.sink = sink;
  }

  void follow(Membership membership) {
    sink.onDispose(this::end);
    sink.next(this);
    closing.update(
        engine.onClose().subscribe(any -> {}, failed -> sink.complete(), sink::complete));
    // An error that comes at the moment of a cancel is dropped in silence if it is a signal.
    membership.nodes().materialize().subscribe(this);
  }

  /** All that there are, as they are now. */
  synchronized List<NodePeer> known() {
    return nodes.values().stream().map(WatchedNode::known).toList();
  }

  @Override
  protected void hookOnNext(Signal<NodeChange> signal) {
    NodeChange change = signal.get();
    Throwable reason = signal.getThrowable();
    if (change != null) {
      tell(change);
    } else if (reason != null) {
      sink.error(reason);
    }
  }

  private void tell(NodeChange change) {
    Node node = change.node();
    boolean isWanted = !(change instanceof Left) && which.test(node);
    WatchedNode before = null;
    WatchedNode next = null;
    synchronized (this) {
      if (over) {
        return;
      }
      WatchedNode there = nodes.get(node.name());
      if (isWanted && there != null && there.at().equals(node.address())) {
        there.becomes(node); // a label that changes is no reason to look for the engine anew
      } else {
        before = nodes.remove(node.name());
        if (isWanted) {
          next = new WatchedNode(engine, node, this);
          nodes.put(node.name(), next);
        }
      }
    }
    replace(before, next);
    sink.next(this);
  }

  private static void replace(@Nullable WatchedNode before, @Nullable WatchedNode next) {
    if (before != null) {
      before.dispose();
    }
    if (next != null) {
      next.start();
    }
  }

  /** Something else is known of one of them. */
  void changed() {
    sink.next(this);
  }

  @Override
  protected void hookOnError(Throwable reason) {
    sink.error(reason);
  }

  private void end() {
    List<WatchedNode> all;
    synchronized (this) {
      over = true;
      all = new ArrayList<>(nodes.values());
      nodes.clear();
    }
    dispose();
    closing.dispose();
    all.forEach(WatchedNode::dispose);
  }
}
