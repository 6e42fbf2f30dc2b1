package io.reactivetransfer.libfabric;

import org.jspecify.annotations.Nullable;

/** The way by which one landing of one peer is written to. */
final class Initiator {

  private final FabricPeer peer;
  private final long fid;
  private final long destination;
  private boolean ready;
  private @Nullable Failure closed;
  private boolean broken;

  /**
   * A way through an endpoint.
   *
   * @param destination handle of the landing's address, where the endpoint has several
   * @param ready whether it can be used, or is being connected
   */
  Initiator(FabricPeer peer, long fid, long destination, boolean ready) {
    this.peer = peer;
    this.fid = fid;
    this.destination = destination;
    this.ready = ready;
  }

  FabricPeer peer() {
    return peer;
  }

  long fid() {
    return fid;
  }

  long destination() {
    return destination;
  }

  boolean isReady() {
    return ready && closed == null;
  }

  void connected() {
    ready = true;
  }

  /** Nothing more is written through it; what is out ends when its endpoint is closed. */
  void closing() {
    ready = false;
  }

  /** Takes note that its endpoint was closed by this side, and why, for what is still out. */
  void closed(int code, String text) {
    if (closed == null) {
      closed = new Failure(0, code, text);
    }
  }

  /** Takes note that its connection has ended; whether the peer is alive is another question. */
  void broken(int code, String text) {
    broken = closed == null;
    closed(code, text);
  }

  /** Whether its connection ended without this side's doing. */
  boolean isBroken() {
    return broken;
  }

  /** Why it was closed; null while it is open. */
  @Nullable Failure closed() {
    return closed;
  }
}
