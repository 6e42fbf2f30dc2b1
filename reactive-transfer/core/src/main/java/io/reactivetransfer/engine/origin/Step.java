package io.reactivetransfer.engine.origin;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One thing that went wrong, however many flights it ended: every peer is told the reason once for
 * each immediate.
 */
final class Step {

  private record Target(Outbound peer, int imm) {}

  private final Set<Target> told = new HashSet<>();
  private @Nullable Outbound lastPeer;
  private int lastImm;

  /** Whether this peer is still to be told of this immediate; it is, from now on. */
  @SuppressWarnings("ReferenceEquality") // the very same peer
  boolean isNewTo(Outbound peer, int imm) {
    if (peer == lastPeer && imm == lastImm) {
      return false;
    }
    lastPeer = peer;
    lastImm = imm;
    return told.add(new Target(peer, imm));
  }
}
