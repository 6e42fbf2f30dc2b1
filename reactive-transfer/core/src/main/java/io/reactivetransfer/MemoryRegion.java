package io.reactivetransfer;

import reactor.core.publisher.Mono;

/**
 * Memory that is registered with all NICs of an engine. It owns the registration, not the memory:
 * keep the memory alive until {@link #close()} has completed.
 *
 * <p>All publishers here are cold, start on subscribe, and signal on the engine's signal scheduler.
 * Cancelling one drops its signal; what was started goes on.
 */
public interface MemoryRegion {

  /** The engine that it is registered with: what reads from it or writes to it is that one's. */
  EngineId engine();

  /** The memory. */
  Memory memory();

  /** Length in bytes. */
  long length();

  /** What it may be used for. */
  Access access();

  /**
   * The name by which other engines write to it. After {@link #revoke()} there is a new one.
   *
   * @throws IllegalStateException if the access is {@link Access#LOCAL}
   * @throws TransferRejectedException if the region is closed
   */
  RegionDescriptor descriptor();

  /**
   * A part of this region.
   *
   * @param offset first byte
   * @param length bytes; 0 is legal
   * @throws IndexOutOfBoundsException if it does not lie within the region
   * @throws TransferRejectedException if the region is closed
   */
  default MemorySlice slice(long offset, long length) {
    return new MemorySlice(this, offset, length);
  }

  /** The whole region as a slice. */
  default MemorySlice whole() {
    return slice(0, length());
  }

  /** Whether {@link #close()} was begun. */
  boolean isClosed();

  /**
   * Completes when no transfer that this engine posted refers to the region any more: neither one
   * that runs, nor one whose result was dropped by a cancel. It says nothing of remote writers.
   * Fails with {@link TransferFailedException} if the engine closed and one of its NICs could not
   * be closed: then nobody knows whether that NIC still reads the memory, which must be neither
   * freed nor reused.
   */
  Mono<Void> quiesced();

  /**
   * Ends the validity of the present descriptor. After completion no write under it changes a byte
   * or a count; writers get a failure. The region stays open, with a new {@link #descriptor()}.
   * Fails with {@link TransferFailedException} if a NIC refuses: then writes under the old
   * descriptor may still land through that NIC, until this succeeds or the region is closed.
   */
  Mono<Void> revoke();

  /**
   * Revokes, waits until quiet, deregisters. From the subscription on, new transfers that use the
   * region are rejected. Completes when no NIC can touch the memory; it may then be freed. Closing
   * again completes together with the first close. A NIC that cannot deregister it is closed, and
   * the engine with it. Fails with {@link TransferFailedException}, which names the NIC, if that
   * cannot be closed either: the memory must be neither freed nor reused as long as the process
   * runs.
   */
  Mono<Void> close();
}
