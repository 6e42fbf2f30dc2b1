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
import java.util.function.Consumer;

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

  /**
   * Visits the peers that a transfer goes to, once for each write that counts there, and leaves out
   * those that are not of this engine. Throws nothing of its own: it is for what ends.
   */
  static void ownTargets(Worker worker, Transfer transfer, Consumer<PeerLink> visitor) {
    switch (transfer) {
      case WriteImm write -> visit(worker, write.target(), visitor);
      case Write write -> visit(worker, write.target(), visitor);
      case PagedWrite write -> visit(worker, write.target().slice(), visitor);
      case Scatter scatter ->
          scatter.parts().forEach(part -> visit(worker, part.target(), visitor));
      case Signal signal -> {
        for (Peer peer : signal.group().peers()) {
          if (peer instanceof PeerLink own && own.isOf(worker)) {
            visitor.accept(own);
          }
        }
      }
    }
  }

  private static void visit(Worker worker, RemoteSlice target, Consumer<PeerLink> visitor) {
    if (target.region() instanceof ResolvedRegion own && own.isOf(worker)) {
      visitor.accept(own.peer());
    }
  }

  static RegisteredRegion own(Worker worker, MemoryRegion region) {
    if (!(region instanceof RegisteredRegion own) || !own.isOf(worker)) {
      throw new TransferRejectedException(
          "expected a source region of this engine, got a " + name(region) + " of another one");
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
              + name(region)
              + " of another one; use remote(descriptor)");
    }
    return own;
  }

  static PeerLink own(Worker worker, Peer peer) {
    if (!(peer instanceof PeerLink own) || !own.isOf(worker)) {
      throw new TransferRejectedException(
          "expected a peer of this engine, got "
              + name(peer)
              + " of another one; use peer(address)");
    }
    return own;
  }

  /** What is not of ours is named by its class: this may be the worker, which runs no such code. */
  private static String name(Object other) {
    boolean ours =
        other instanceof RegisteredRegion
            || other instanceof ResolvedRegion
            || other instanceof PeerLink;
    return ours ? other.toString() : other.getClass().getName();
  }
}
