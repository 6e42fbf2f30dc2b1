package io.reactivetransfer.spi;

import io.reactivetransfer.CompletionLevel;

/**
 * What an opened NIC can do. Declared, never worked around: the conformance kit skips, visibly,
 * what is said to be impossible, and demands the rest.
 *
 * @param completion what {@link CompletionSink#written} means
 * @param maxWriteBytes the longest write; the engine cuts longer ones
 * @param queueDepth writes that may be in flight; the engine never has more
 * @param maxControlBytes the longest control message, at least {@link #MIN_CONTROL_BYTES}: an
 *     engine does not open on a NIC with less
 * @param ordered whether writes to one peer over this NIC become visible in the order of posting.
 *     The engine never relies on it
 * @param deviceMemory whether device memory can be registered
 * @param fencesLostPeers whether nothing that a peer has posted lands any more once it was reported
 *     lost, or {@link Domain#disconnect} has returned, though its process may go on some day
 */
public record Capabilities(
    CompletionLevel completion,
    long maxWriteBytes,
    int queueDepth,
    int maxControlBytes,
    boolean ordered,
    boolean deviceMemory,
    boolean fencesLostPeers) {

  /**
   * What every NIC must be able to carry in one control message. The longest frame of an engine's
   * own is its greeting with the address of 8 NICs, which is not cut; this is that, with room for
   * what later versions say.
   */
  public static final int MIN_CONTROL_BYTES = 4_096;

  /** Checks that the bounds are positive. */
  public Capabilities {
    if (maxWriteBytes < 1 || queueDepth < 1 || maxControlBytes < 1) {
      throw new IllegalArgumentException(
          "expected bounds of 1 or more, got maxWriteBytes "
              + maxWriteBytes
              + ", queueDepth "
              + queueDepth
              + ", maxControlBytes "
              + maxControlBytes);
    }
  }
}
