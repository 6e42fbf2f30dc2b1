package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.ffi.Cu;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
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
  private final PassedWaits waits;

  private CudaStreams(TransferEngine engine, Gpu gpu) {
    this.engine = engine;
    this.gpu = gpu;
    this.waits = gpu.waits();
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
   * using what comes of that work. A failure lets it go on from the thread that signals, a cancel
   * from the one that cancels: neither may wait for the stream, such as in {@link
   * CudaMemory#close}.
   *
   * @param stream of the device's primary context, as streams of CUDA's runtime are, and not being
   *     captured: a wait is for once, and a graph runs many times. Wait before the launch, or
   *     capture {@code cuStreamWaitValue64} for a {@link CudaWord}
   * @param counter of the engine given to {@link #of}, and raising no word. It may be bound and
   *     have a deadline, and should have one of them, since nothing else ends a stream's wait
   * @param writes 1 to 2^40
   * @return signals where the counter does; fails with a {@link CudaException} if the driver
   *     refuses the wait, the stream is being captured, or so many others of the GPU wait that one
   *     more would hold up copies, which is one less than {@code CUDA_DEVICE_MAX_CONNECTIONS}; then
   *     it claims nothing, and a capture goes on
   */
  public Mono<Void> waitFor(CUstream stream, ImmCounter counter, long writes) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(counter, "counter");
    return Mono.defer(() -> wait(stream, counter, writes));
  }

  private Mono<Void> wait(CUstream stream, ImmCounter counter, long writes) {
    gpu.within(() -> requireNoCapture(stream));
    StreamWait.Marks marks = waits.take();
    Mono<Void> told;
    StreamWait wait;
    try {
      HostMemory word = new HostMemory(marks.word().memory());
      Mono<Void> claim = counter.raising(word).next(writes); // made when subscribed
      wait = new StreamWait(marks, gpu.waiting(), gpu.waiting().enter(stream));
      told = told(claim, wait);
    } catch (RuntimeException | Error e) {
      waits.give(marks);
      throw e;
    }
    try {
      gpu.within(() -> enqueue(stream, marks));
      return told;
    } catch (RuntimeException | Error e) {
      wait.failed(); // it may have been given to the stream, so its word stays as it is
      throw e;
    }
  }

  /**
   * What the subscriber hears. It is put together before the stream is told to wait, since hooks of
   * the application may run here and throw, and nobody would let the stream go on.
   */
  private Mono<Void> told(Mono<Void> claim, StreamWait wait) {
    try {
      return claim
          .doOnSuccess(_ -> giveBackIf(wait.met(), wait))
          .doOnError(_ -> giveBackIf(wait.failed(), wait))
          .doOnCancel(() -> giveBackIf(wait.failed(), wait))
          .doFinally(_ -> giveBackIf(wait.over(), wait));
    } catch (RuntimeException | Error e) {
      wait.failed(); // its place is another stream's
      throw e;
    }
  }

  /**
   * In the GPU's context. Before anything else: the graph would wait for this word again when it is
   * another wait's, and its event could not be asked for.
   */
  private static boolean requireNoCapture(CUstream stream) {
    int[] status = new int[1];
    Results.require("cuStreamIsCapturing", () -> JCudaDriver.cuStreamIsCapturing(stream, status));
    if (status[0] != Cu.CU_STREAM_CAPTURE_STATUS_NONE) {
      throw new CudaException(
          0,
          "expected a stream that is not being captured, since a wait is for once and a graph runs"
              + " many times, got one that is; wait before the graph is launched, or capture"
              + " cuStreamWaitValue64 for a CudaWord, which you raise for each launch");
    }
    return true;
  }

  private void giveBackIf(boolean isFree, StreamWait wait) {
    if (isFree) {
      afterwards(() -> waits.add(wait));
    }
  }

  /** A claim that was cancelled may raise its word until then. */
  private void afterwards(Runnable task) {
    try {
      engine.executor().execute(task);
    } catch (RejectedExecutionException closed) {
      task.run();
    }
  }

  /** In the GPU's context. */
  private static boolean enqueue(CUstream stream, StreamWait.Marks marks) {
    try {
      Results.require(
          "cuStreamWaitValue64",
          () ->
              JCudaDriver.cuStreamWaitValue64(
                  stream, marks.word().pointer(), 1, Cu.CU_STREAM_WAIT_VALUE_GEQ));
      marks.passed().record(stream);
      return true;
    } catch (RuntimeException | Error e) {
      marks.passed().destroy();
      throw e;
    }
  }
}
