package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.cuda.ffi.Cu;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A word of 64 bits between a GPU and this process: in pinned memory of the host, so that the CPU
 * looks at it without a call, and a stream writes it or waits for it without the CPU. Such as a
 * kernel's progress, which {@link io.reactivetransfer.TransferEngine#watch} emits. Safe from any
 * thread.
 *
 * <p>Who sees what a stream wrote here sees what that stream, and the kernels before it, wrote
 * before, as the driver has it by default.
 */
public final class CudaWord implements AutoCloseable {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private final Gpu gpu;
  private final WordPages.Word word;
  private final AtomicBoolean closed;

  private CudaWord(Gpu gpu, WordPages.Word word) {
    this.gpu = gpu;
    this.word = word;
    this.closed = Leaks.watch(this, "a word for " + gpu);
  }

  /**
   * A new one, which is 0.
   *
   * @param device whose streams use it
   * @return to be closed by the caller
   * @throws CudaException if there is no such GPU, the driver refuses to pin memory, or the thread
   *     is a virtual one
   */
  public static CudaWord open(Device device) {
    Gpu.requirePlatformThread(); // also while a page that is pinned has words left
    Gpu gpu = CudaDriver.here().gpu(device);
    CudaWord word = new CudaWord(gpu, gpu.words().take());
    word.set(0);
    return word;
  }

  /**
   * For {@link io.reactivetransfer.TransferEngine#watch}, and for counters to raise.
   *
   * @throws IllegalStateException if this is closed
   */
  public HostMemory memory() {
    requireOpen();
    return new HostMemory(word.memory());
  }

  /**
   * What the GPU calls it: for kernels and for streams, also while they are captured in a graph.
   *
   * @throws IllegalStateException if this is closed
   */
  public CUdeviceptr pointer() {
    requireOpen();
    return word.pointer();
  }

  /**
   * As it is now; who has read it sees what was written before it.
   *
   * @throws IllegalStateException if this is closed
   */
  public long get() {
    requireOpen();
    return (long) WORD.getAcquire(word.memory(), 0L);
  }

  /**
   * Changes it; who sees that sees what was written before.
   *
   * @throws IllegalStateException if this is closed
   */
  public void set(long value) {
    requireOpen();
    WORD.setRelease(word.memory(), 0L, value);
  }

  /**
   * Has a stream write it when it has done what it was given before.
   *
   * @param stream of the device's primary context; being captured, it writes whenever the graph is
   *     launched, the same value each time
   * @throws IllegalArgumentException if the driver says that it is of another context, such as of
   *     another GPU
   * @throws IllegalStateException if this is closed
   * @throws CudaException if the driver refuses, as for a GPU whose streams write no words of 64
   *     bits
   */
  public void writeOn(CUstream stream, long value) {
    requireOpen();
    gpu.within(() -> {
      gpu.requireOwn(stream);
      Results.require(
          "cuStreamWriteValue64",
          () ->
              JCudaDriver.cuStreamWriteValue64(
                  stream, word.pointer(), value, Cu.CU_STREAM_WRITE_VALUE_DEFAULT));
      return true;
    });
  }

  /**
   * Gives it back; a second time does nothing. All other methods refuse from then on, which is no
   * lock: whoever is in one of them meanwhile may still find another one's word. No stream and no
   * kernel may use it any more, no engine watch it, and no claim raise it, of one that was
   * cancelled not before a task that was handed to {@link
   * io.reactivetransfer.TransferEngine#executor()} behind the cancel has run: it will be another
   * one's.
   */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      gpu.words().give(word);
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException(
          "expected a word that is open, got one that was closed, which may be another one's by"
              + " now; close it behind its last use");
    }
  }
}
