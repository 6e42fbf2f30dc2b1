package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.RemotePeer;

/**
 * A NIC of another engine, as this side's engine holds it, and each of the routes to it. Nobody
 * says when they are let go of, so that is found out as the collector does: who is not held any
 * more may be forgotten, and who is can be used again whatever has become of it.
 */
final class HeldPeer implements RemotePeer {

  private final FabricPeer peer;

  /** Of a peer that is known, for as long as this is reachable. */
  HeldPeer(FabricPeer peer) {
    this.peer = peer;
  }

  FabricPeer peer() {
    return peer;
  }
}
