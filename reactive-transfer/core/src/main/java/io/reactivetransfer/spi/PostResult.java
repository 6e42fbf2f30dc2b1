package io.reactivetransfer.spi;

/** What a NIC says to a write that it is to take over. */
public enum PostResult {

  /** It is taken over: exactly one report follows. */
  TAKEN,

  /**
   * Refused, and so would be whatever else the NIC is asked for now, to whomever: its queue is
   * full. It is not asked again in this turn.
   */
  NIC_BUSY,

  /**
   * Refused, and what goes to another peer may be taken: this one's connection is still being made,
   * or what it may have in flight is out. The peer is not asked for again in this turn over this
   * NIC; others are.
   */
  PEER_BUSY;

  /** Whether it was taken over. */
  public boolean isTaken() {
    return this == TAKEN;
  }
}
