package io.reactivetransfer.membership;

import io.reactivetransfer.Peer;
import org.jspecify.annotations.Nullable;

/**
 * A node that a membership lists, and what this engine knows of the engine at its address.
 *
 * @param node as the membership has it
 * @param state what is known
 * @param peer the engine that was found there last; null before one was, and for this engine itself
 * @param cause why it is {@link State#LOST}; null in each other state
 */
public record NodePeer(Node node, State state, @Nullable Peer peer, @Nullable Throwable cause) {

  /** What is known of the engine at a node's address. */
  public enum State {
    /** It is looked for, and nobody was there yet to be found or lost. */
    SOUGHT,
    /** It was found, or heard within the liveness deadline. */
    ALIVE,
    /** It cannot be reached, or was lost. It is looked for again as long as the node is listed. */
    LOST,
    /** It is this engine. */
    OWN
  }

  /** Whether it can be talked with. */
  public boolean isAlive() {
    return state == State.ALIVE;
  }

  /** Name, address, and what is known, with the reason. */
  @Override
  public String toString() {
    return node.name()
        + " at "
        + node.address()
        + ": "
        + state
        + (cause == null ? "" : " (" + cause.getMessage() + ")");
  }
}
