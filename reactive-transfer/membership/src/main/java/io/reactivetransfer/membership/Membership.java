package io.reactivetransfer.membership;

import reactor.core.publisher.Flux;

/**
 * Which nodes there are. It tells what exists, not what is alive: a node that was killed may be in
 * it for a while, and one that is cut off from this process stays in it. What is dead is what the
 * engine says of its peer.
 */
public interface Membership {

  /**
   * The nodes that there are, each as {@link NodeChange.Joined}, then what changes.
   *
   * <p><b>When.</b> Nothing is asked for before it is subscribed to. Each subscription begins with
   * all nodes, and has a watch of its own, which a cancel ends. It does not complete: it ends by a
   * cancel, or by an error that no further try can mend, usually a {@link MembershipException}.
   * What can be mended, such as a server that is away, is tried again for ever; meanwhile the nodes
   * that were known remain.
   *
   * <p><b>Slow subscribers.</b> For each node a subscription keeps two things: what its subscriber
   * was told, and what is so now. What happened in between is told as one change, or as none where
   * both are the same. So nothing that lasts is missed, and the memory of a subscription grows with
   * the number of nodes, not with the number of changes. Who has requested one change gets what is
   * so when it is given to him.
   *
   * <p><b>Thread.</b> Signals come on a scheduler that the implementation names, one after the
   * other.
   */
  Flux<NodeChange> nodes();
}
