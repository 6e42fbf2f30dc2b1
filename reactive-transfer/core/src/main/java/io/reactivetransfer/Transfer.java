package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * What an engine is asked to move. All transfers but the {@link AimedWrite} are immutable, checked
 * when they are made, and may be submitted any number of times; making one touches no memory and no
 * NIC.
 *
 * <p>No order is promised between two transfers, nor between the parts of one.
 */
public sealed interface Transfer permits Write, WriteImm, AimedWrite, PagedWrite, Scatter, Signal {

  /** Bytes that are moved, over all targets. */
  long length();

  /** The immediate that tells the target, or null if it is not told. */
  @Nullable Imm imm();

  /**
   * By how much this transfer raises the counters of its immediate, over all targets: 1 for a write
   * or for each member that is signalled, 1 for each page, 1 for each target of a scatter, 0
   * without an immediate. It depends neither on the number of NICs nor on how a write is cut.
   */
  long arrivals();
}
