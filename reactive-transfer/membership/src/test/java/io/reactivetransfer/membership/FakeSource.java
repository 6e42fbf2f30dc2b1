package io.reactivetransfer.membership;

import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Tells what a test has it tell. */
final class FakeSource implements NodeSource {

  static final int MAX_NODES = 100;

  final AtomicInteger starts = new AtomicInteger();
  final AtomicInteger ends = new AtomicInteger();
  private NodeSink sink;

  @Override
  public Disposable start(NodeSink sink) {
    starts.incrementAndGet();
    this.sink = sink;
    return ends::incrementAndGet;
  }

  NodeSink sink() {
    return sink;
  }

  /** Signals on the thread that brings what there is to be told. */
  Flux<NodeChange> changes() {
    return changes(Schedulers.immediate());
  }

  Flux<NodeChange> changes(Scheduler signals) {
    return NodeChanges.of(this, MAX_NODES, signals);
  }
}
