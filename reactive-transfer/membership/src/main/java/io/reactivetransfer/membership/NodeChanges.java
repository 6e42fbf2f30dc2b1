package io.reactivetransfer.membership;

import java.util.Objects;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/**
 * Makes of a {@link NodeSource} what {@link Membership#nodes()} promises: for each subscription the
 * nodes that are there, then the changes, as slowly as it requests them.
 */
public final class NodeChanges extends Flux<NodeChange> {

  private final NodeSource source;
  private final int maxNodes;
  private final Scheduler signals;

  private NodeChanges(NodeSource source, int maxNodes, Scheduler signals) {
    this.source = source;
    this.maxNodes = maxNodes;
    this.signals = signals;
  }

  /**
   * The changes that a source tells of. Each subscription starts the source once, and ends what it
   * has started when it is cancelled or the source has told of an error.
   *
   * @param maxNodes the most nodes that may be there, 1 or more; one more ends the subscription
   *     with a {@link MembershipException}
   * @param signals where subscribers are signalled; it stays the caller's. If it takes no tasks,
   *     the subscription ends with its {@code RejectedExecutionException}, on the thread that has
   *     met it. If it is disposed of while it has a task, there is nowhere left to signal on: the
   *     source is ended when it tells of something next, and the subscriber hears nothing more.
   *     With {@code Schedulers.immediate()} signals come on whatever thread brings something, that
   *     of the source or that which requests, and who blocks there holds it up
   */
  public static Flux<NodeChange> of(NodeSource source, int maxNodes, Scheduler signals) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(signals, "signals");
    if (maxNodes < 1) {
      throw new IllegalArgumentException("expected 1 node or more at most, got " + maxNodes);
    }
    return onAssembly(new NodeChanges(source, maxNodes, signals));
  }

  @Override
  public void subscribe(CoreSubscriber<? super NodeChange> actual) {
    NodeSubscription subscription =
        new NodeSubscription(actual, new NodeTable(maxNodes), maxNodes, signals);
    actual.onSubscribe(subscription);
    subscription.start(source);
  }
}
