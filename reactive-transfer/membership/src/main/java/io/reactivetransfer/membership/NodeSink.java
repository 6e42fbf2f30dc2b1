package io.reactivetransfer.membership;

import java.util.Collection;

/**
 * Is told which nodes there are, from any threads. Who tells of one node from two threads says
 * himself which of it is the later. Nothing here blocks or calls the subscriber.
 */
public interface NodeSink {

  /** A node is there, new or changed or as it was. */
  void exists(Node node);

  /** No node of that name is there. */
  void gone(String name);

  /**
   * These are all nodes that are there, and no others; of two with one name the later counts. What
   * differs from what was told before is what the subscriber hears.
   */
  void all(Collection<Node> nodes);

  /** There is no way to go on: the subscription ends with this. */
  void error(Throwable reason);
}
