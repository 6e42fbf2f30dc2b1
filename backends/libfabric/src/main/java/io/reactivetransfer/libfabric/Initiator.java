package io.reactivetransfer.libfabric;

import org.jspecify.annotations.Nullable;

/** The way by which one landing of one peer is written to. */
final class Initiator {

  private final FabricPeer peer;
  private final Object landing;
  private final long fid;
  private final long destination;
  private boolean ready;
  private @Nullable Failure closed;
  private boolean broken;
  private int routes;

  /**
   * A way through an endpoint.
   *
   * @param landing what its landing is known by to the links
   * @param destination handle of the landing's address, where the endpoint has several
   * @param ready whether it can be used, or is being connected
   */
  Initiator(FabricPeer peer, Object landing, long fid, long destination, boolean ready) {
    this.peer = peer;
    this.landing = landing;
    this.fid = fid;
    this.destination = destination;
    this.ready = ready;
  }

  FabricPeer peer() {
    return peer;
  }

  Object landing() {
    return landing;
  }

  /** One route more leads over it. */
  void entered() {
    routes++;
  }

  /** One route less does; whether it is of no use to anybody now. */
  boolean left() {
    routes--;
    return routes == 0 && closed == null;
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
