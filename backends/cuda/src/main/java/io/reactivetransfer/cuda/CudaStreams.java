package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.ffi.Cu;
import java.util.Objects;
import jcuda.driver.CUstream;
import reactor.core.publisher.Mono;

/**
 * Lets streams of one GPU wait for what an engine receives. Between an arrival and the stream there
 * is no thread of the host but the NIC's, which raises a word that the GPU looks at. Safe from any
 * thread.
 *
 * <p>The driver's scheduler does not see such an order: work in other streams, which has to come
 * first for the writes to be made at all, must not be given to the GPU behind a stream that waits,
 * or it may never begin. See cuda.h on {@code cuStreamWaitValue64}.
 */
public final class CudaStreams {

  /**
   * What a word becomes when what it stands for has failed or was cancelled: the stream goes on, as
   * it could not be stopped, and what it does next works on bytes that have not all come.
   */
  static final long FAILED = 1L << 62;

  private final TransferEngine engine;
  private final Gpu gpu;

  private CudaStreams(TransferEngine engine, Gpu gpu) {
    this.engine = engine;
    this.gpu = gpu;
  }

  /**
   * For one engine and one GPU.
   *
   * @throws CudaException if it is not there, or its streams cannot wait for words
   */
  public static CudaStreams of(TransferEngine engine, Device device) {
    Objects.requireNonNull(engine, "engine");
    Gpu gpu = CudaDriver.here().gpu(device);
    if (gpu.attribute(Cu.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) == 0) {
      throw new CudaException(
          0,
          "expected a GPU whose streams wait for words of 64 bits, got "
              + gpu
              + ", "
              + gpu.name()
              + "; subscribe to the counter, and give the stream its work then");
    }
    gpu.within(() -> { // before any stream waits: those that come later may have to share its queue
      gpu.buffers().fetching();
      return gpu.buffers().storing();
    });
    return new CudaStreams(engine, gpu);
  }

  /**
   * Lets a stream wait until so many writes have arrived. Each subscription gives the stream one
   * wait, at once, and makes one claim, as {@link ImmCounter#next} does; it completes when the
   * claim is met, which the stream does not wait for. What the stream is given after the
   * subscription runs when it is met.
   *
   * <p>If the claim fails, this fails so, too, and if it is cancelled, the claim is; the stream
   * goes on in either case. It does not know: so whoever gives it work looks at this signal before
   * using what comes of that work. A failure lets it go on from the NIC's thread, wherever signals
   * come, as an arrival does; a cancel from the thread that cancels, which may not wait for the
   * stream before, such as in {@link CudaMemory#close}.
   *
   * @param stream of the device's primary context, as streams of CUDA's runtime are, and not being
   *     captured: a wait is for once, and a graph runs many times. Wait before the launch, or
   *     capture {@code cuStreamWaitValue64} for a {@link CudaWord}
   * @param counter of the engine given to {@link #of}. It may be bound and have a deadline, and
   *     should have one of them, since nothing else ends a stream's wait. Words that it is {@link
   *     ImmCounter#raising raising} are raised, too, and told of failures, before the stream goes
   *     on
   * @param writes 1 to 2^40
   * @return signals where the counter does; fails with a {@link CudaException} if the driver
   *     refuses the wait, the stream is being captured, or so many others of the GPU wait that one
   *     more would hold up copies, which is one less than {@code CUDA_DEVICE_MAX_CONNECTIONS}, or
   *     with an {@link IllegalArgumentException} if the stream is of another context; then it
   *     claims nothing, and a capture goes on
   * @throws IllegalArgumentException if the counter is another engine's
   */
  public Mono<Void> waitFor(CUstream stream, ImmCounter counter, long writes) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(counter, "counter");
    EngineId owner = counter.engine();
    if (!owner.equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected a counter of engine "
              + engine.id().toShortString()
              + ", for which these streams were made, got one of engine "
              + owner.toShortString()
              + "; take CudaStreams.of that engine");
    }
    return new WaitForClaim(engine, gpu, stream, counter, writes);
  }
}
