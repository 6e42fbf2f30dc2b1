package io.reactivetransfer.membership;

import reactor.core.publisher.Flux;

/** A {@link Membership} that nodes enter by themselves. */
public interface NodeRegistry extends Membership {

  /**
   * Enters a node, for as long as the subscription lasts.
   *
   * <p>On subscription the node is entered. Each time that this was done the node is emitted: the
   * first time, and again when the registry had lost it, because it was away for too long or
   * somebody took the node out. Until then, and while the registry is away, this goes on trying. It
   * does not complete; it ends with an error where no further try can mend it, usually a {@link
   * MembershipException}. Who is slow to request gets the latest emission only.
   *
   * <p>A cancel takes the node away, in the background; if the registry cannot be reached, the node
   * goes by itself after the time that the registry keeps it. So does the node of a process that
   * was killed.
   *
   * <p>Names are to be unique. If two enter a node of one name, the later one is what others see,
   * and the end of the earlier one does not take it away.
   */
  Flux<Node> register(Node node);
}
