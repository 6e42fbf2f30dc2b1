package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.cuda.CudaStreams;
import io.reactivetransfer.cuda.CudaWord;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * How long a stream of a GPU takes to be heard by an engine, and an engine by a stream, each beside
 * the same with the driver's calls alone. The NIC's thread spins, and so does who measures.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CudaWordBenchmark {

  private static final Device GPU = Device.of("cuda", 0);
  private static final long BYTES = 8;

  private final CUstream stream = new CUstream();
  private TransferEngine origin;
  private TransferEngine engine;
  private CudaStreams streams;
  private CudaWord heard;
  private CudaWord go;
  private WriteImm write;
  private ImmLease lease;
  private Disposable watching;
  private long written;
  private volatile long told;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public CudaWordBenchmark() {}

  /** Opens two engines and a stream; this thread has the GPU's context. */
  @Setup
  @SuppressWarnings("MustBeClosed") // close() does
  public void open() {
    origin = engine();
    engine = engine();
    heard = CudaWord.open(GPU);
    go = CudaWord.open(GPU);
    CUdevice device = new CUdevice();
    CUcontext context = new CUcontext();
    require(JCudaDriver.cuDeviceGet(device, GPU.ordinal()));
    require(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    require(JCudaDriver.cuCtxSetCurrent(context));
    require(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    streams = CudaStreams.of(engine, GPU);
    MemoryRegion from =
        Objects.requireNonNull(origin.register(Arena.global().allocate(BYTES)).block());
    MemoryRegion to =
        Objects.requireNonNull(engine.register(Arena.global().allocate(BYTES)).block());
    lease = engine.lease();
    write = WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
    watching = engine.watch(heard.memory()).subscribe(change -> told = change.current());
  }

  private static TransferEngine engine() {
    EngineOptions options =
        EngineOptions.builder()
            .nics(1)
            .idle(IdleStrategy.spin())
            .signalScheduler(Schedulers.immediate())
            .build();
    return Objects.requireNonNull(
        TransferEngineBuilder.create()
            .backend(new LoopbackBackend())
            .options(options)
            .open()
            .block());
  }

  private static void require(int result) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new IllegalStateException(CUresult.stringFor(result));
    }
  }

  /** Closes the engines, and the words that nobody watches any more. */
  @TearDown
  public void close() {
    watching.dispose();
    origin.close().then(engine.close()).block();
    heard.close();
    go.close();
  }

  /** A stream writes a word, which this thread looks at. */
  @Benchmark
  public void wordByDriver() {
    long next = ++written;
    require(JCudaDriver.cuStreamWriteValue64(stream, heard.pointer(), next, 0));
    while (heard.get() != next) {
      Thread.onSpinWait();
    }
  }

  /** A stream writes a word, of whose change the subscriber is told. */
  @Benchmark
  public void wordByEngine() {
    long next = ++written;
    heard.writeOn(stream, next);
    while (told != next) {
      Thread.onSpinWait();
    }
  }

  /** A stream waits for a word that this thread writes, and answers. */
  @Benchmark
  public void waitByDriver() {
    long next = ++written;
    require(JCudaDriver.cuStreamWaitValue64(stream, go.pointer(), next, 0));
    require(JCudaDriver.cuStreamWriteValue64(stream, heard.pointer(), next, 0));
    go.set(next);
    while (heard.get() != next) {
      Thread.onSpinWait();
    }
  }

  /** A stream waits for a claim, which a write of the other engine meets, and answers. */
  @Benchmark
  public void waitByClaim() {
    long next = ++written;
    var _ = streams.waitFor(stream, lease.counter(), 1).subscribe();
    heard.writeOn(stream, next);
    var _ = origin.submit(write).subscribe();
    while (heard.get() != next) {
      Thread.onSpinWait();
    }
  }

  /** The claim alone, without a stream: what of the one before is the write. */
  @Benchmark
  public void claimOnly() {
    long next = ++written;
    var _ = lease.counter().next(1).subscribe(_ -> {}, _ -> {}, () -> told = next);
    var _ = origin.submit(write).subscribe();
    while (told != next) {
      Thread.onSpinWait();
    }
  }
}
