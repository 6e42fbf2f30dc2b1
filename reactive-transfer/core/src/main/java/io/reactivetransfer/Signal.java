package io.reactivetransfer;

import java.util.Objects;

/**
 * A bare immediate to each member of a group: no bytes, no user memory on either side. It says
 * nothing about other transfers, since nothing is ordered.
 *
 * @param group whom to signal
 * @param imm what is counted, once at each member
 */
public record Signal(PeerGroup group, Imm imm) implements Transfer {

  /** Checks for null. */
  public Signal {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(imm, "imm");
  }

  /** The signal to one peer. */
  public static Signal of(Peer peer, Imm imm) {
    return new Signal(PeerGroup.of(peer), imm);
  }

  /** The signal to each member of a group. */
  public static Signal of(PeerGroup group, Imm imm) {
    return new Signal(group, imm);
  }

  @Override
  public long length() {
    return 0;
  }

  @Override
  public long arrivals() {
    return group.size();
  }
}
