package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.Change;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tck.process.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** What no fake of the driver can show: kernels, and what they see of bytes that have come. */
class OnlyAGpuTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int LENGTH = 1 << 20;
  private static final int ROUNDS = 300;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment host = arena.allocate(LENGTH, 4_096);
  private final List<TransferEngine> engines = new ArrayList<>();

  @BeforeAll
  static void needsAGpu() {
    Assumptions.assumeTrue(Gpus.REAL, "needs a GPU: -Dreactivetransfer.gpu=true");
  }

  private TransferEngine engine(String backend) {
    TransferEngine engine = await(TransferEngineBuilder.create().backend(backend).open());
    engines.add(engine);
    return engine;
  }

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  @AfterEach
  void close() {
    Mono.when(engines.stream().map(TransferEngine::close).toList()).block(PATIENCE);
    arena.close();
  }

  private static Gpu gpu() {
    return CudaDriver.here().gpu(Gpus.FIRST);
  }

  private static void synchronize(OwnStream stream) {
    gpu()
        .within(() -> {
          Results.require("cuStreamSynchronize", () -> JCudaDriver.cuStreamSynchronize(stream));
          return true;
        });
  }

  private long wrong(CudaMemory wrong) {
    return access.peek(wrong.memory(), 0);
  }

  private CudaMemory zero() {
    CudaMemory word = CudaMemory.allocate(Gpus.FIRST, Long.BYTES);
    access.copyFromHost(arena.allocate(Long.BYTES), 0, word.memory(), 0, Long.BYTES);
    return word;
  }

  private void fillHost(int value) {
    for (long at = 0; at < LENGTH; at += Integer.BYTES) {
      host.set(ValueLayout.JAVA_INT, at, value);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void aKernelBehindAWaitSeesWhatHasCome(String backend) {
    TransferEngine origin = engine(backend);
    TransferEngine target = engine(backend);
    Kernels kernels = new Kernels(gpu());
    OwnStream stream = gpu().within(OwnStream::create);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory wrong = zero()) {
      MemoryRegion from = await(origin.register(new HostMemory(host), Access.LOCAL));
      MemoryRegion to = await(target.register(memory.memory(), Access.REMOTE_WRITE));
      ImmLease lease = target.lease();
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      CudaStreams streams = CudaStreams.of(target, Gpus.FIRST);
      for (int round = 1; round <= ROUNDS; round++) {
        fillHost(round);
        Mono<Void> come = streams.waitFor(stream, lease.counter(), 1).cache();
        Disposable claim = come.subscribe();
        kernels.check(stream, memory.memory(), round, wrong.memory());
        origin.submit(write).block(PATIENCE);
        come.block(PATIENCE);
        synchronize(stream);
        assertThat(wrong(wrong)).as("words that the kernel saw wrong in round %s", round).isZero();
        claim.dispose();
      }
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void aKernelThatRunsSeesWhatHasComeWhenItsWordIsRaised(String backend) {
    TransferEngine origin = engine(backend);
    TransferEngine target = engine(backend);
    Kernels kernels = new Kernels(gpu());
    OwnStream stream = gpu().within(OwnStream::create);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaWord word = CudaWord.open(Gpus.FIRST);
        CudaMemory wrong = zero()) {
      MemoryRegion from = await(origin.register(new HostMemory(host), Access.LOCAL));
      MemoryRegion to = await(target.register(memory.memory(), Access.REMOTE_WRITE));
      ImmLease lease = target.lease();
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      for (int round = 1; round <= ROUNDS; round++) {
        fillHost(round);
        Mono<Void> come = lease.counter().raising(word.memory()).next(1).cache();
        Disposable claim = come.subscribe();
        kernels.checkWhen(stream, word, round, memory.memory(), round, wrong.memory());
        origin.submit(write).block(PATIENCE);
        come.block(PATIENCE);
        synchronize(stream);
        assertThat(wrong(wrong)).as("words that the kernel saw wrong in round %s", round).isZero();
        claim.dispose();
      }
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  /** Told by the stream behind a kernel, and by a kernel that has not ended. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void whatAKernelHasWrittenIsSentWhenItsWordIsSeen(String backend) {
    TransferEngine origin = engine(backend);
    TransferEngine target = engine(backend);
    Kernels kernels = new Kernels(gpu());
    OwnStream stream = gpu().within(OwnStream::create);
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaWord word = CudaWord.open(Gpus.FIRST)) {
      MemoryRegion from = await(origin.register(memory.memory(), Access.LOCAL));
      MemoryRegion to = await(target.register(new HostMemory(host), Access.REMOTE_WRITE));
      ImmLease lease = target.lease();
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      for (int round = 1; round <= ROUNDS; round++) {
        long told = round;
        int value = round;
        Mono<Void> come = lease.counter().next(1).cache();
        Disposable claim = come.subscribe();
        origin
            .watch(word.memory())
            .doOnSubscribe(_ -> {
              if (told % 2 == 0) {
                kernels.fill(stream, memory.memory(), value);
                word.writeOn(stream, told);
              } else {
                kernels.fillAndTell(stream, memory.memory(), value, word, told);
              }
            })
            .map(Change::current)
            .filter(current -> current == told)
            .next()
            .then(origin.submit(write).then())
            .block(PATIENCE);
        come.block(PATIENCE);
        for (long at = 0; at < LENGTH; at += Integer.BYTES) {
          if (host.get(ValueLayout.JAVA_INT, at) != value) {
            assertThat(host.get(ValueLayout.JAVA_INT, at))
                .as("the word at byte %s in round %s", at, round)
                .isEqualTo(value);
          }
        }
        claim.dispose();
      }
      synchronize(stream);
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  /**
   * One less than there are hardware queues by default: with as many, short copies are held up on
   * an H100, whatever their streams' priority. {@code CUDA_DEVICE_MAX_CONNECTIONS} is how many.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 7})
  void streamsThatWaitHoldUpNoCopies(int waiting) {
    TransferEngine origin = engine("tcp");
    TransferEngine target = engine("tcp");
    List<OwnStream> all = new ArrayList<>();
    List<Disposable> claims = new ArrayList<>();
    ImmLease never = target.lease();
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      CudaStreams streams = CudaStreams.of(target, Gpus.FIRST);
      MemoryRegion from = await(origin.register(new HostMemory(host), Access.LOCAL));
      MemoryRegion to = await(target.register(memory.memory(), Access.REMOTE_WRITE));
      ImmLease lease = target.lease();
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      try {
        for (int i = 0; i < waiting; i++) {
          OwnStream stream = gpu().within(OwnStream::create);
          all.add(stream);
          claims.add(streams.waitFor(stream, never.counter(), 1).subscribe());
        }
        for (int i = 0; i < 10; i++) {
          origin.submit(write).block(PATIENCE);
        }
        lease.counter().next(10).block(PATIENCE);
      } finally {
        claims.forEach(Disposable::dispose);
        all.forEach(OnlyAGpuTest::synchronize);
      }
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
    gpu().within(() -> all.stream().map(JCudaDriver::cuStreamDestroy).toList());
  }

  /** As one may that waits for what comes: a copy that needed room beside it never came. */
  @ParameterizedTest
  @ValueSource(longs = {1, 4_097, LENGTH - 3, LENGTH})
  void aKernelThatTakesTheWholeGpuHoldsUpNoCopyWithinIt(long length) {
    TransferEngine origin = engine("loopback");
    TransferEngine target = engine("loopback");
    Kernels kernels = new Kernels(gpu());
    OwnStream stream = gpu().within(OwnStream::create);
    try (CudaMemory source = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaWord word = CudaWord.open(Gpus.FIRST);
        CudaMemory wrong = zero()) {
      MemoryRegion from =
          await(origin.register(source.memory().slice(LENGTH - length, length), Access.LOCAL));
      MemoryRegion to =
          await(target.register(memory.memory().slice(0, length), Access.REMOTE_WRITE));
      ImmLease lease = target.lease();
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      origin.submit(write).block(PATIENCE); // what the driver loads at the first copy is there then
      kernels.fillGpuUntil(word, 1, stream, wrong.memory());
      try {
        origin.submit(write).block(PATIENCE);
      } finally {
        word.set(1);
        synchronize(stream);
      }
      lease.counter().next(2).block(PATIENCE);
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  /** A process of its own, since nothing mends the context there. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void aKernelThatLeavesItsMemoryFailsWhatUsesThatGpuAndNothingElse(String backend)
      throws Exception {
    try (JavaProcess process =
        JavaProcess.start(
            JavaProcess.command(List.of(), BrokenGpuProgram.class.getName(), backend))) {
      for (String which : List.of("from the GPU", "to the GPU")) {
        assertThat(process.awaitLine(which + ": (.*)").group(1))
            .contains("CUDA_ERROR_ILLEGAL_ADDRESS");
      }
      assertThat(process.awaitLine("between hosts: (.*)").group(1)).isEqualTo("done");
      assertThat(process.awaitLine("closed: (.*)").group(1)).isEqualTo("done");
    }
  }

  @Test
  void isDescribed() {
    String text = access.describe(Gpus.FIRST);
    assertThat(text).contains("NVIDIA").contains("PCI 0").contains("CUDA 1");
    System.out.println(text);
  }
}
