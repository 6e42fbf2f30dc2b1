package io.reactivetransfer.spi;

import io.reactivetransfer.CompletionLevel;

/**
 * What an opened NIC can do. Declared, never worked around: the conformance kit skips, visibly,
 * what is said to be impossible, and demands the rest.
 *
 * @param completion what {@link CompletionSink#written} means
 * @param maxWriteBytes the longest write; the engine cuts longer ones
 * @param queueDepth writes that may be in flight; the engine never has more
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
    boolean ordered,
    boolean deviceMemory,
    boolean fencesLostPeers) {

  /** Checks that the bounds are positive. */
  public Capabilities {
    if (maxWriteBytes < 1 || queueDepth < 1) {
      throw new IllegalArgumentException(
          "expected bounds of 1 or more, got maxWriteBytes "
              + maxWriteBytes
              + ", queueDepth "
              + queueDepth);
    }
  }
}
