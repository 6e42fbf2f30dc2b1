package io.reactivetransfer.spi;

import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the host through which the bytes of one accelerator come and go while its owner does
 * something else: a copy is begun, and asked after later. For drivers that copy; see {@link
 * DeviceAccess#stagingBuffer}.
 *
 * <p>One thread at a time. Copies that were begun may run at the same time, so those that are under
 * way together must not touch the same bytes of the buffer, nor go both ways. But what is stored to
 * one device takes effect in the order in which it was begun, through whichever of its buffers.
 */
public interface StagingBuffer extends AutoCloseable {

  /**
   * Its bytes: native memory of the host, just as long as was asked for. They may be anything at
   * first, also what somebody else has left there. What a copy fills, or takes, belongs to the copy
   * until {@link #await()} has returned, and so does its range of the device.
   */
  MemorySegment memory();

  /**
   * Begins to copy from the accelerator into this.
   *
   * @param source memory of the accelerator that this is for
   * @param sourceOffset first byte within the source
   * @param at first byte within {@link #memory()}
   * @param length bytes, 1 or more; both ranges were checked
   * @throws BackendException if the device refuses at once: nothing came of this copy, and those
   *     that were begun before are to be waited for as ever
   */
  void fetch(DeviceMemory source, long sourceOffset, long at, long length);

  /**
   * Begins to copy from this to the accelerator.
   *
   * @param at first byte within {@link #memory()}
   * @param target memory of the accelerator that this is for
   * @param targetOffset first byte within the target
   * @param length bytes, 1 or more; both ranges were checked
   * @throws BackendException if the device refuses at once; the same
   */
  void store(long at, DeviceMemory target, long targetOffset, long length);

  /**
   * Waits until all that was begun is done: then what was fetched is there, and what the device
   * does later sees what was stored. Returns at once if nothing was begun since the last time.
   *
   * @throws BackendException if one of the copies has failed. The others are done by then as well,
   *     as far as the device can tell at all. The buffer is of no use any more: it is to be closed,
   *     and nothing else
   */
  void await();

  /**
   * Whether all that was begun is over, for all that is known, once {@link #await()} has failed. If
   * it is not, the device may still read or write its side of a copy, at any time.
   */
  default boolean isOver() {
    return true;
  }

  /**
   * Gives it back when nothing is under way in it any more, for which it may have to wait; a second
   * time does nothing. By any thread, after those that used it. Its memory is not to be touched any
   * more. Where the device cannot tell whether a copy that has failed goes on, the access keeps the
   * memory for good.
   *
   * @throws BackendException if a copy has failed that nobody had waited for; it is given back
   *     nevertheless
   */
  @Override
  void close();
}
