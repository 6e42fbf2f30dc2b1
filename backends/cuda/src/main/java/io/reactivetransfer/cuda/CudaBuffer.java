package io.reactivetransfer.cuda;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.cuda.ffi.Libcuda;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.driver.JCudaDriver;

/**
 * Pinned memory, which the GPU fills or takes bytes of while nobody waits, in streams that all
 * buffers of the GPU share: it has few queues, and a stream that has to share one with another that
 * waits for an arrival is held up by that.
 */
final class CudaBuffer implements StagingBuffer {

  private static final int PAGE = 4_096;

  private final Gpu gpu;
  private final Libcuda calls;
  private final MemorySegment memory;

  /** Behind what was begun last. */
  private final OwnEvent event;

  /** Whether something was begun and not waited for, and in which of the two streams. */
  private boolean isBusy;

  private boolean isFetching;

  /** Whether the event is behind all that was begun. */
  private boolean isMarked = true;

  /** Whether it is of no use any more, since nobody knows whether the GPU is done with it. */
  private boolean isLost;

  /** Whether that is because the context has ended, in which nothing is copied any more. */
  private boolean isDead;

  private CudaBuffer(Gpu gpu, Libcuda calls, MemorySegment memory, OwnEvent event) {
    this.gpu = gpu;
    this.calls = calls;
    this.memory = memory;
    this.event = event;
  }

  /**
   * A new one, in the GPU's context.
   *
   * @throws CudaException if the driver refuses an event, or to pin the memory
   */
  static CudaBuffer open(Gpu gpu, Libcuda calls, long bytes) {
    MemorySegment memory = Arena.ofAuto().allocate(bytes, PAGE);
    OwnEvent event = OwnEvent.create();
    CudaBuffer buffer = new CudaBuffer(gpu, calls, memory, event);
    try {
      gpu.buffers().keep(buffer); // what is pinned must not be freed, whoever forgets it
      Results.require(
          "cuMemHostRegister",
          () ->
              JCudaDriver.cuMemHostRegister(
                  Addresses.host(memory), bytes, Cu.CU_MEMHOSTREGISTER_PORTABLE));
      return buffer;
    } catch (RuntimeException | Error e) { // want of memory, too
      gpu.buffers().forget(buffer);
      event.destroy();
      throw e;
    }
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  /**
   * Begins a copy, of a thread that has entered the GPU.
   *
   * @param toHost which way
   * @param at first byte within this
   * @param device address of the first byte in the GPU
   * @throws CudaException if the driver refuses
   */
  void begin(boolean toHost, long at, long device, long length) {
    long host = memory.address() + at;
    OwnStream stream = streamFor(toHost);
    int result =
        toHost
            ? calls.cuMemcpyDtoHAsync_v2(host, device, length, stream.address())
            : calls.cuMemcpyHtoDAsync_v2(device, host, length, stream.address());
    mark(stream, toHost ? "cuMemcpyDtoHAsync" : "cuMemcpyHtoDAsync", result);
  }

  /** Where it is given what goes this way; one event cannot tell of two streams. */
  private OwnStream streamFor(boolean toHost) {
    if (isLost) {
      throw new CudaException(0, "expected a buffer of use, got one whose last copy has failed");
    }
    if (!isMarked || (isBusy && isFetching != toHost)) {
      awaitBegun();
    }
    OwnStream stream = toHost ? gpu.buffers().fetching() : gpu.buffers().storing();
    isFetching = toHost;
    isMarked = false; // until it is, whatever is thrown in between
    return stream;
  }

  /** A copy was begun, or refused. */
  private void mark(OwnStream stream, String call, int result) {
    if (result != Cu.CUDA_SUCCESS) {
      isMarked = true; // nothing came to what had been begun before
      throw Results.failure(call, result);
    }
    isBusy = true;
    int marked = calls.cuEventRecord(event.address(), stream.address());
    if (marked != Cu.CUDA_SUCCESS) {
      awaitStream(stream);
      throw Results.failure("cuEventRecord", marked);
    }
    isMarked = true;
  }

  /** Where the event does not tell: waits for all that the stream was given, by whomever. */
  private void awaitStream(OwnStream stream) {
    isLost = true; // unless the next call says otherwise: the GPU may still be at it
    int result = calls.cuStreamSynchronize(stream.address());
    isLost = result != Cu.CUDA_SUCCESS;
    isDead = isLost && Results.endsContext(result);
    isBusy = isLost;
    isMarked = !isLost;
  }

  /**
   * Waits for what was begun, of a thread that has entered the GPU.
   *
   * @throws CudaException if it has failed
   */
  void awaitBegun() {
    if (!isBusy && isMarked) {
      return;
    }
    OwnStream stream = isFetching ? gpu.buffers().fetching() : gpu.buffers().storing();
    if (!isMarked) {
      awaitStream(stream);
      if (isLost) {
        throw new CudaException(0, "nobody knows whether a copy has come to its end");
      }
      return;
    }
    int result = calls.cuEventSynchronize(event.address());
    if (result != Cu.CUDA_SUCCESS) {
      awaitStream(stream);
      throw Results.failure("cuEventSynchronize", result);
    }
    isBusy = false;
  }

  /** Whether nothing is under way in it, for all that is known. */
  boolean isQuiet() {
    return !isLost && !isBusy && isMarked;
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    beginEntered(true, at, source.address() + sourceOffset, length);
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    beginEntered(false, at, target.address() + targetOffset, length);
  }

  /** Both ways in one, without a lambda: nothing is allocated for a copy. */
  private void beginEntered(boolean toHost, long at, long device, long length) {
    try {
      gpu.enter();
      try {
        begin(toHost, at, device, length);
      } finally {
        gpu.leave();
      }
    } catch (CudaException e) {
      throw CudaAccess.refusal(e);
    }
  }

  @Override
  public void await() {
    if (!isBusy && isMarked) {
      return;
    }
    requireThreadToWait();
    try {
      enterToAwait();
      try {
        awaitBegun();
      } finally {
        gpu.leave();
      }
    } catch (CudaException e) {
      isLost |= isBusy; // nobody could even ask
      isDead |= isLost && Results.endsContext(e.code());
      throw CudaAccess.refusal(e);
    }
  }

  /**
   * The calling thread can wait for what was begun, if that is needed at all.
   *
   * @throws BackendException if it is a virtual one, which changes nothing
   */
  void requireThreadToWait() {
    if (isLost || (!isBusy && isMarked)) {
      return;
    }
    try {
      Gpu.requirePlatformThread();
    } catch (CudaException e) {
      throw CudaAccess.refusal(e);
    }
  }

  /**
   * Tries twice, since who waits frees the memory afterwards: if a refusal that passes ended the
   * wait, the GPU could still copy there.
   */
  private void enterToAwait() {
    try {
      gpu.enter();
    } catch (CudaException once) {
      gpu.enter();
    }
  }

  @Override
  public boolean isOver() {
    return isDead || isQuiet(); // a wait that a virtual thread was refused leaves it busy
  }

  @Override
  public void close() {
    try {
      if (!isLost) {
        await();
      }
    } finally {
      gpu.buffers().give(this);
    }
  }
}
