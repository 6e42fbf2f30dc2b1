package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.Device;
import io.reactivetransfer.cuda.CudaAccess;
import io.reactivetransfer.cuda.CudaMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long a copy between a GPU and the host takes until its bytes are there, beside one of the
 * driver alone to memory that is pinned, and one of the CPU.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class CudaCopyBenchmark {

  private static final Device GPU = Device.of("cuda", 0);
  private static final long PAGE = 4_096;

  /** Of a copy. */
  @Param({"8", "65536", "1048576", "16777216"})
  public long bytes = PAGE;

  private final CudaAccess access = new CudaAccess();
  private final CUstream stream = new CUstream();
  private CudaMemory memory;
  private MemorySegment host;
  private MemorySegment other;
  private Pointer pinned;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public CudaCopyBenchmark() {}

  /** Makes memory; this thread has the GPU's context. */
  @Setup
  public void open() {
    memory = CudaMemory.allocate(GPU, bytes);
    host = Arena.global().allocate(bytes, PAGE).fill((byte) 1);
    other = Arena.global().allocate(bytes, PAGE).fill((byte) 2);
    CUdevice device = new CUdevice();
    CUcontext context = new CUcontext();
    require(JCudaDriver.cuDeviceGet(device, GPU.ordinal()));
    require(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    require(JCudaDriver.cuCtxSetCurrent(context));
    require(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    pinned = new Pointer();
    require(JCudaDriver.cuMemHostAlloc(pinned, bytes, 0));
  }

  private static void require(int result) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new IllegalStateException(CUresult.stringFor(result));
    }
  }

  /** Frees the GPU's. */
  @TearDown
  public void close() {
    memory.close();
  }

  /** As a backend fetches what it sends. */
  @Benchmark
  public void toHost() {
    access.copyToHost(memory.memory(), 0, host, 0, bytes);
  }

  /** As a backend stores what has come. */
  @Benchmark
  public void fromHost() {
    access.copyFromHost(host, 0, memory.memory(), 0, bytes);
  }

  /** The driver alone. */
  @Benchmark
  public void toHostByDriver() {
    require(JCudaDriver.cuMemcpyDtoHAsync(pinned, memory.pointer(), bytes, stream));
    require(JCudaDriver.cuStreamSynchronize(stream));
  }

  /** The driver alone. */
  @Benchmark
  public void fromHostByDriver() {
    require(JCudaDriver.cuMemcpyHtoDAsync(memory.pointer(), pinned, bytes, stream));
    require(JCudaDriver.cuStreamSynchronize(stream));
  }

  /** The CPU, from the host to the host. */
  @Benchmark
  public void byCpu() {
    MemorySegment.copy(host, 0, other, 0, bytes);
  }
}
