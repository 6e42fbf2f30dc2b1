package io.reactivetransfer.engine.memory;

import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.Peers;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Another engine's memory, as the NICs of an engine know it. */
public final class ResolvedRegion implements RemoteRegion {

  private final PeerLink peer;

  /** Null for the doorbell of the peer, whose keys come with its greeting. */
  private final @Nullable RegionDescriptor descriptor;

  private final RemoteMemory[] memories;

  /** All that was resolved for it, by other routes than the present one, too. */
  private final List<Resolved> resolved = new ArrayList<>(1);

  /** By which route of the peer they were resolved; none yet. */
  private int route = -1;

  /** The session in which its owner was told that it is written to. */
  private int announced = -1;

  private record Resolved(int nic, RemoteMemory memory) {}

  public ResolvedRegion(PeerLink peer, @Nullable RegionDescriptor descriptor) {
    this.peer = peer;
    this.descriptor = descriptor;
    this.memories = new RemoteMemory[peer.ways()];
  }

  @Override
  public PeerLink peer() {
    return peer;
  }

  @Override
  public long length() {
    return descriptor == null ? PeerLink.DOORBELL_BYTES : descriptor.length();
  }

  @Override
  public RegionDescriptor descriptor() {
    return Objects.requireNonNull(descriptor, "that of a doorbell");
  }

  /** By which its owner knows it; 0 if that cannot revoke it. */
  public long number() {
    return descriptor == null ? 0 : descriptor.number();
  }

  private byte[] key(int nic) {
    if (descriptor == null) {
      return peer.nic(nic).doorbellKey();
    }
    if (descriptor.nics() != peer.nics()) {
      throw new IllegalArgumentException(
          "expected a key for each of its owner's "
              + peer.nics()
              + " NICs, got "
              + descriptor.nics());
    }
    return descriptor.key(nic);
  }

  /**
   * What a caller names, if it is of this engine. From any thread.
   *
   * @throws TransferRejectedException if it is not
   */
  public static ResolvedRegion own(RemoteRegion region, Peers peers) {
    if (!(region instanceof ResolvedRegion own) || !own.isOf(peers)) {
      boolean ours = region instanceof ResolvedRegion;
      throw new TransferRejectedException(
          "expected a target region that this engine resolved, got a "
              + (ours ? region.toString() : region.getClass().getName())
              + " of another one; use remote(descriptor)");
    }
    return own;
  }

  public boolean isOf(Peers peers) {
    return peer.isOf(peers);
  }

  /**
   * Has every NIC resolve the key that its counterpart gave; again when counterparts have changed.
   * On the NIC thread, and not before the peer is open.
   *
   * @param regions where those of its peer are kept, which will have it released
   * @return whether these are too many now
   * @throws TransferRejectedException if one of them does not understand it
   */
  public boolean resolve(Domain[] domains, ResolvedRegions regions) {
    if (announced != peer.mail.sessions() && descriptor != null) {
      announced = peer.mail.sessions();
      peer.mail.say(ControlFrame.uses(number()));
    }
    if (route == peer.route()) {
      return false;
    }
    resolveAnew(domains);
    return regions.add(this);
  }

  private void resolveAnew(Domain[] domains) {
    peer.resolve();
    int known = resolved.size();
    @Nullable RemoteMemory[] before = memories.clone();
    for (int nic = 0; nic < memories.length; nic++) {
      try {
        byte[] key = key(peer.counterpart(nic));
        memories[nic] = domains[nic].resolve(peer.remote(nic), key, length());
        resolved.add(new Resolved(nic, memories[nic]));
      } catch (RuntimeException e) {
        List<Resolved> undone = resolved.subList(known, resolved.size());
        undone.forEach(each -> domains[each.nic()].release(each.memory()));
        undone.clear();
        System.arraycopy(before, 0, memories, 0, memories.length);
        throw new TransferRejectedException(
            "cannot resolve a " + this + ": " + Signals.textOf(e), Origin.peer(peer.id()), e);
      }
    }
    route = peer.route();
  }

  /** Nothing is on its way there: the NICs forget it. */
  void release(Domain[] domains) {
    resolved.forEach(each -> domains[each.nic()].release(each.memory()));
    resolved.clear();
    Arrays.fill(memories, null);
    route = -1;
  }

  public RemoteMemory memory(int nic) {
    return memories[nic];
  }

  @Override
  public String toString() {
    return descriptor == null ? "doorbell of " + peer : descriptor.toString();
  }
}
