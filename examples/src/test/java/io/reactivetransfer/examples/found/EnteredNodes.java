package io.reactivetransfer.examples.found;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChanges;
import io.reactivetransfer.membership.NodeRanks;
import io.reactivetransfer.membership.NodeSink;
import java.util.ArrayList;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** A membership that the ranks of one JVM enter, and never leave. */
final class EnteredNodes implements Membership {

  private static final int MAX_NODES = 100;

  private final List<Node> nodes = new ArrayList<>();
  private final List<NodeSink> sinks = new ArrayList<>();

  /** Has all others find this engine as a rank of a role. */
  synchronized void enter(TransferEngine engine, String role, int rank) {
    Node node =
        Node.of(role + "-" + rank, role, engine.address().control())
            .withLabel(NodeRanks.LABEL, String.valueOf(rank));
    nodes.add(node);
    sinks.forEach(sink -> sink.exists(node));
  }

  private synchronized Disposable start(NodeSink sink) {
    sinks.add(sink);
    sink.all(nodes);
    return () -> end(sink);
  }

  private synchronized void end(NodeSink sink) {
    sinks.remove(sink);
  }

  /** Signals on {@code Schedulers.parallel()}. */
  @Override
  public Flux<NodeChange> nodes() {
    return NodeChanges.of(this::start, MAX_NODES, Schedulers.parallel());
  }
}
