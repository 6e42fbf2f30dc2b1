package io.reactivetransfer.engine;

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

/** Whether what a caller names belongs to the engine that is asked. From any thread. */
final class Ownership {

  private Ownership() {}

  /**
   * Throws what can be known about a transfer without touching a NIC. From any thread.
   *
   * @throws TransferRejectedException if it uses a closed region or one of another engine
   */
  static void check(Worker worker, Transfer transfer) {
    switch (transfer) {
      case WriteImm write -> checkEnds(worker, write.source(), write.target());
      case Write write -> checkEnds(worker, write.source(), write.target());
      case PagedWrite write -> checkEnds(worker, write.source().slice(), write.target().slice());
      case Scatter scatter ->
          scatter.parts().forEach(part -> checkEnds(worker, part.source(), part.target()));
      case Signal signal -> signal.group().peers().forEach(peer -> own(worker, peer));
    }
  }

  private static void checkEnds(Worker worker, MemorySlice source, RemoteSlice target) {
    own(worker, source.region());
    own(worker, target.region());
  }

  static RegisteredRegion own(Worker worker, MemoryRegion region) {
    if (!(region instanceof RegisteredRegion own) || !own.isOf(worker)) {
      throw new TransferRejectedException(
          "expected a source region of this engine, got a " + region + " of another one");
    }
    if (own.isClosed()) {
      throw new TransferRejectedException("expected an open source region, got a closed one");
    }
    return own;
  }

  static ResolvedRegion own(Worker worker, RemoteRegion region) {
    if (!(region instanceof ResolvedRegion own) || !own.isOf(worker)) {
      throw new TransferRejectedException(
          "expected a target region that this engine resolved, got a "
              + region
              + " of another one; use remote(descriptor)");
    }
    return own;
  }

  static PeerLink own(Worker worker, Peer peer) {
    if (!(peer instanceof PeerLink own) || !own.isOf(worker)) {
      throw new TransferRejectedException(
          "expected a peer of this engine, got " + peer + " of another one; use peer(address)");
    }
    return own;
  }
}
