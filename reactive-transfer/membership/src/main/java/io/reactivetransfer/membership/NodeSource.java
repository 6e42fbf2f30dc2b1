package io.reactivetransfer.membership;

import reactor.core.Disposable;

/** Where a {@link Membership} learns of nodes: what an implementation of one consists of. */
@FunctionalInterface
public interface NodeSource {

  /**
   * Begins to tell of nodes, for one subscription. It is called on the thread that subscribes, so
   * it must not block; what it throws ends the subscription.
   *
   * @param sink is told, from any threads
   * @return ends it, and is called once when the subscription has ended; what is told later has no
   *     effect
   */
  Disposable start(NodeSink sink);
}
