package io.reactivetransfer.examples.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What goes on between this node and one peer. Written by the {@link Load}, read by the page. */
final class Link {

  /** Why nothing goes there, or null while the peer is there. */
  volatile @Nullable String trouble = "it was not reached yet";

  /** The peer as it was found last; a process that was restarted is another one. */
  volatile @Nullable Peer peer;

  final LongAdder writesDone = new LongAdder();
  final LongAdder writesArrived = new LongAdder();
  final String name;
  final HostPort at;

  Link(String name, HostPort at) {
    this.name = name;
    this.at = at;
  }

  void found(Peer there) {
    peer = there;
    trouble = null;
  }

  void lost(Throwable cause) {
    trouble = String.valueOf(cause.getMessage());
  }

  /** Writes to the peer that the engine has taken over: on their way, or waiting for room. */
  long writesInFlight() {
    Peer there = peer;
    return there == null ? 0 : there.stats().writesInFlight() + there.stats().transfersWaiting();
  }
}
