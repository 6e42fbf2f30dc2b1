package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/** What an engine knows of a peer. */
public sealed interface PeerState {

  /** Nothing was heard of it yet. */
  record Unknown() implements PeerState {}

  /**
   * It was heard within the liveness deadline, or before that and nothing is wanted of it: then
   * nobody looks.
   */
  record Alive() implements PeerState {}

  /**
   * It cannot be reached, or was silent for longer than the liveness deadline. Everything that
   * waited for it has failed. It is asked again while anyone is interested, and may come back.
   *
   * @param cause what was observed
   */
  record Lost(PeerUnreachableException cause) implements PeerState {}

  /** Why it is lost, or null if it is not. */
  default @Nullable PeerUnreachableException lossCause() {
    return this instanceof Lost lost ? lost.cause() : null;
  }
}
