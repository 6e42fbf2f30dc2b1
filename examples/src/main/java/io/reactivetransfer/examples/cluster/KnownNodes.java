package io.reactivetransfer.examples.cluster;

import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChange.Left;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.Disposable;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;

/** What one watch of a membership knows, which lasts for as long as the node that has it. */
final class KnownNodes {

  private final ConnectableFlux<Set<String>> names;
  private final Disposable watch;

  private KnownNodes(Membership membership) {
    names = names(membership).replay(1);
    watch = names.connect();
  }

  static KnownNodes watch(Membership membership) {
    return new KnownNodes(membership);
  }

  /** The names of all nodes that a membership has, with each change. */
  static Flux<Set<String>> names(Membership membership) {
    return membership.nodes().scan(Set.of(), KnownNodes::with);
  }

  private static Set<String> with(Set<String> names, NodeChange change) {
    Set<String> next = new TreeSet<>(names);
    if (change instanceof Left) {
      next.remove(change.node().name());
    } else {
      next.add(change.node().name());
    }
    return next;
  }

  /** Until it knows exactly these. */
  void await(Set<String> expected) {
    AtomicReference<Set<String>> last = new AtomicReference<>(Set.of());
    try {
      names.doOnNext(last::set).filter(expected::equals).blockFirst(ClusterNode.PATIENCE);
    } catch (IllegalStateException late) {
      throw new IllegalStateException(
          "expected to know the nodes " + expected + " from etcd, got " + last.get(), late);
    }
  }

  /** Knows no more. */
  void end() {
    watch.dispose();
  }
}
