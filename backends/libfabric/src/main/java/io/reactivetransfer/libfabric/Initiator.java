package io.reactivetransfer.libfabric;

import org.jspecify.annotations.Nullable;

/**
 * An endpoint that only writes. Each peer has its own where endpoints are cheap, so that closing it
 * ends what is out to that peer, without its help and without harm to others.
 */
final class Initiator {

  private final Endpoint endpoint;
  private int outstanding;
  private @Nullable Failure closed;

  Initiator(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  Endpoint endpoint() {
    return endpoint;
  }

  long fid() {
    return endpoint.fid();
  }

  void posted() {
    outstanding++;
  }

  void ended() {
    outstanding--;
  }

  boolean isIdle() {
    return outstanding == 0;
  }

  /** Takes note that the endpoint was closed, and why, for what is still out. */
  void closed(int code, String text) {
    closed = new Failure(0, code, text);
  }

  /** Why it was closed; null while it is open. */
  @Nullable Failure closed() {
    return closed;
  }
}
