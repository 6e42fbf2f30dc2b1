package io.reactivetransfer.engine;

import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemoteMemory;

/** Another engine's memory, as the NICs of a worker know it. */
final class ResolvedRegion implements RemoteRegion {

  private final PeerLink peer;
  private final RegionDescriptor descriptor;
  private final RemoteMemory[] memories;
  private int route;

  ResolvedRegion(PeerLink peer, RegionDescriptor descriptor, int nics) {
    this.peer = peer;
    this.descriptor = descriptor;
    this.memories = new RemoteMemory[nics];
  }

  @Override
  public PeerLink peer() {
    return peer;
  }

  @Override
  public long length() {
    return descriptor.length();
  }

  @Override
  public RegionDescriptor descriptor() {
    return descriptor;
  }

  boolean isOf(Worker worker) {
    return peer.isOf(worker);
  }

  /**
   * Has every NIC resolve the key that its counterpart gave; again when counterparts have changed.
   * On the worker.
   *
   * @throws TransferRejectedException if one of them does not understand it
   */
  void resolve(Domain[] domains) {
    if (memories[memories.length - 1] != null && route == peer.route()) {
      return;
    }
    peer.resolve(domains);
    for (int nic = 0; nic < memories.length; nic++) {
      try {
        byte[] key = descriptor.key(peer.counterpart(nic));
        memories[nic] = domains[nic].resolve(peer.remote(nic), key, descriptor.length());
      } catch (RuntimeException e) {
        throw new TransferRejectedException(
            "cannot resolve a " + descriptor + ": " + Signals.textOf(e), Origin.peer(peer.id()), e);
      }
    }
    route = peer.route();
  }

  RemoteMemory memory(int nic) {
    return memories[nic];
  }

  @Override
  public String toString() {
    return descriptor.toString();
  }
}
