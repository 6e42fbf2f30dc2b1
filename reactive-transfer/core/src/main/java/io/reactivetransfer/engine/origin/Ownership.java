package io.reactivetransfer.engine.origin;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.memory.Regions;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.Peers;
import java.util.function.Consumer;

/** Whether what a transfer names belongs to the engine that is asked. From any thread. */
public final class Ownership {

  private final Peers peers;
  private final Regions regions;

  public Ownership(Peers peers, Regions regions) {
    this.peers = peers;
    this.regions = regions;
  }

  /**
   * Whether a transfer is one for this engine. What has closed meanwhile is not looked at: that is
   * no mistake in the argument, and a signal tells it.
   *
   * @throws TransferRejectedException if it uses what is of another engine
   */
  public void check(Transfer transfer) {
    switch (transfer) {
      case WriteImm write -> checkEnds(write.source(), write.target());
      case Write write -> checkEnds(write.source(), write.target());
      case AimedWrite write -> {
        regions.ours(write.source());
        target(write.target());
      }
      case PagedWrite write -> checkEnds(write.source().slice(), write.target().slice());
      case Scatter scatter ->
          scatter.parts().forEach(part -> checkEnds(part.source(), part.target()));
      case Signal signal -> signal.group().peers().forEach(peers::own);
    }
  }

  private void checkEnds(MemorySlice source, RemoteSlice target) {
    regions.ours(source.region());
    target(target);
  }

  RegisteredRegion source(MemorySlice slice) {
    return source(slice.region());
  }

  RegisteredRegion source(MemoryRegion region) {
    return regions.own(region);
  }

  ResolvedRegion target(RemoteSlice slice) {
    return target(slice.region());
  }

  ResolvedRegion target(RemoteRegion region) {
    return ResolvedRegion.own(region, peers);
  }

  Outbound target(Peer peer) {
    return Outbound.to(peers.own(peer));
  }

  /**
   * Visits the peers that a transfer goes to, once for each write that counts there, and leaves out
   * those that are not of this engine. Throws nothing of its own: it is for what ends.
   */
  void ownTargets(Transfer transfer, Consumer<Outbound> visitor) {
    switch (transfer) {
      case WriteImm write -> visit(write.target().region(), visitor);
      case Write write -> visit(write.target().region(), visitor);
      case AimedWrite write -> visit(write.target(), visitor);
      case PagedWrite write -> visit(write.target().slice().region(), visitor);
      case Scatter scatter ->
          scatter.parts().forEach(part -> visit(part.target().region(), visitor));
      case Signal signal -> {
        for (Peer peer : signal.group().peers()) {
          if (peer instanceof PeerLink own && own.isOf(peers)) {
            visitor.accept(Outbound.to(own));
          }
        }
      }
    }
  }

  private void visit(RemoteRegion target, Consumer<Outbound> visitor) {
    if (target instanceof ResolvedRegion own && own.isOf(peers)) {
      visitor.accept(Outbound.to(own.peer()));
    }
  }
}
