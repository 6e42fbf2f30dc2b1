package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import jcuda.driver.CUcontext;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstreamCaptureStatus;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Graphs that an application captures, while this process does what is no part of them. */
class CudaCaptureTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int GLOBAL = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL;
  private static final int THREAD_LOCAL = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  private static final int RELAXED = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED;
  private static final int UNKNOWN = 999;
  private static final int LENGTH = 3 * CopyLane.HALF;

  /** Their lanes stay pinned, so the memory of these must not go to others. */
  private static final List<Gpu> KEPT = new ArrayList<>();

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final TransferEngine origin = engine();
  private final TransferEngine target = engine();
  private Gpu gpu;
  private OwnStream captured;
  private OwnStream other;

  private static TransferEngine engine() {
    return Objects.requireNonNull(
        TransferEngineBuilder.create().backend(new LoopbackBackend()).open().block(PATIENCE));
  }

  @BeforeEach
  void open() {
    gpu = CudaDriver.here().gpu(Gpus.FIRST);
    captured = gpu.within(OwnStream::create);
    other = gpu.within(OwnStream::create);
  }

  @AfterEach
  void close() {
    exchange(GLOBAL);
    Mono.when(origin.close(), target.close()).block(PATIENCE);
    gpu.within(() -> JCudaDriver.cuStreamDestroy(captured));
    gpu.within(() -> JCudaDriver.cuStreamDestroy(other));
  }

  private static void ok(String call, int result) {
    Results.require(call, result);
  }

  private static int exchange(int mode) {
    int[] word = {mode};
    ok("exchange", JCudaDriver.cuThreadExchangeStreamCaptureMode(word));
    return word[0];
  }

  /** As an application does: in the same context, but by calls of its own. */
  private void capture(int mode, Runnable meanwhile) {
    CUcontext context = new CUcontext();
    gpu.within(() -> JCudaDriver.cuCtxGetCurrent(context));
    ok("push", JCudaDriver.cuCtxPushCurrent(context));
    try (CudaWord word = CudaWord.open(Gpus.FIRST)) {
      CUgraph graph = new CUgraph();
      ok("begin", JCudaDriver.cuStreamBeginCapture(captured, mode));
      try {
        meanwhile.run();
        requireValid("all of that");
        word.writeOn(captured, 7);
      } catch (RuntimeException | Error e) { // which says what it was; the end would say 901
        JCudaDriver.cuStreamEndCapture(captured, graph);
        throw e;
      }
      ok("cuStreamEndCapture", JCudaDriver.cuStreamEndCapture(captured, graph));
      CUgraphExec exec = new CUgraphExec();
      ok("instantiate", JCudaDriver.cuGraphInstantiate(exec, graph, 0));
      ok("launch", JCudaDriver.cuGraphLaunch(exec, captured));
      ok("synchronize", JCudaDriver.cuStreamSynchronize(captured));
      assertThat(word.get()).as("the word that the graph writes").isEqualTo(7);
      ok("destroy", JCudaDriver.cuGraphExecDestroy(exec));
      ok("destroy", JCudaDriver.cuGraphDestroy(graph));
    } finally {
      ok("pop", JCudaDriver.cuCtxPopCurrent(new CUcontext()));
    }
  }

  private void requireValid(String after) {
    int[] status = new int[1];
    ok("asking", JCudaDriver.cuStreamIsCapturing(captured, status));
    assertThat(status[0])
        .as("the capture after %s", after)
        .isEqualTo(CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE);
  }

  private <T> T harmless(String what, Supplier<T> done) {
    T result = done.get();
    int[] status = new int[1];
    int asked = gpu.within(() -> JCudaDriver.cuStreamIsCapturing(captured, status));
    assertThat(asked).isZero();
    assertThat(status[0])
        .as("the capture after %s", what)
        .isNotEqualTo(CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    return result;
  }

  /** All that this artifact does, for the first time where that pins memory, or makes streams. */
  private boolean useAll() {
    Gpu fresh = new Gpu(CudaDriver.here().calls(), Gpus.FIRST.ordinal());
    synchronized (KEPT) {
      KEPT.add(fresh);
    }
    harmless("a page of words", () -> fresh.words().take());
    try (CudaMemory memory =
            harmless("an allocation", () -> CudaMemory.allocate(Gpus.FIRST, LENGTH));
        Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(LENGTH).fill((byte) 3);
      MemorySegment back = arena.allocate(LENGTH);
      harmless("copies in a new lane", () -> copy(fresh, memory, host, back));
      assertThat(back.mismatch(host)).isEqualTo(-1);
      harmless("looking at it", () -> new CudaAccess().peek(memory.memory(), 0));
      harmless("naming it", () -> CudaMemory.of(memory.pointer(), LENGTH));
      harmless("exporting it", () -> CudaIpc.export(memory.memory()));
      harmless("registering it", () -> register(memory));
      CudaMemory freed = CudaMemory.allocate(Gpus.FIRST, 1);
      harmless("freeing some", () -> free(freed));
    }
    harmless("a word that a stream writes", this::writeAWord);
    harmless("waits of another stream", this::waitTwice);
    return true;
  }

  private static boolean copy(Gpu gpu, CudaMemory memory, MemorySegment host, MemorySegment back) {
    return gpu.within(() -> {
      CopyLane lane = gpu.lanes().take();
      long address = memory.memory().address();
      lane.fromHost(host, 0, address, LENGTH);
      lane.toHost(address, back, 0, LENGTH);
      gpu.lanes().give(lane, true);
      return true;
    });
  }

  private boolean register(CudaMemory memory) {
    MemoryRegion region =
        Objects.requireNonNull(
            target.register(memory.memory(), Access.REMOTE_WRITE).block(PATIENCE));
    region.close().block(PATIENCE);
    return true;
  }

  private static boolean free(CudaMemory memory) {
    memory.close();
    return true;
  }

  private boolean writeAWord() {
    try (CudaWord word = CudaWord.open(Gpus.FIRST)) {
      word.writeOn(other, 5);
      ok("synchronize", gpu.within(() -> JCudaDriver.cuStreamSynchronize(other)));
      assertThat(word.get()).isEqualTo(5);
      return true;
    }
  }

  /** The second one asks after the event of the first. */
  private boolean waitTwice() {
    CudaStreams streams = CudaStreams.of(target, Gpus.FIRST);
    for (int i = 0; i < 2; i++) {
      streams.waitFor(other, target.lease().counter(), 1).subscribe().dispose();
      ok("synchronize", gpu.within(() -> JCudaDriver.cuStreamSynchronize(other)));
    }
    return true;
  }

  private static <T> T onAnotherThread(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofPlatform().start(task)).join();
  }

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void whatOtherThreadsDoHarmsNoCapture(int mode) {
    capture(mode, () -> assertThat(onAnotherThread(this::useAll)).isTrue());
  }

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void norDoesWhatTheCapturingThreadDoes(int mode) {
    capture(mode, () -> assertThat(useAll()).isTrue());
  }

  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void aWaitIsRefusedForAStreamThatIsCaptured(int mode) {
    CudaStreams streams = CudaStreams.of(target, Gpus.FIRST);
    ImmLease lease = target.lease();
    capture(
        mode,
        () -> {
          WordPages.Word next = gpu.words().take();
          gpu.words().give(next);
          Mono<Void> wait = streams.waitFor(captured, lease.counter(), 1);
          assertThatThrownBy(() -> wait.block(PATIENCE))
              .isInstanceOf(CudaException.class)
              .hasMessageContaining("expected a stream that is not being captured")
              .hasMessageContaining("before the graph is launched")
              .hasMessageContaining("cuStreamWaitValue64");
          assertThat(gpu.words().take()).as("a word that no wait has taken").isSameAs(next);
          gpu.words().give(next);
        });
    requireThatOneArrivalMeetsAClaim(lease);
  }

  private void requireThatOneArrivalMeetsAClaim(ImmLease lease) {
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(8)).block());
      MemoryRegion to = Objects.requireNonNull(target.register(arena.allocate(8)).block());
      origin
          .submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm()))
          .block(PATIENCE);
      lease.counter().next(1).block(PATIENCE);
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }

  /** Whatever the mode was, and also where a call fails. */
  @ParameterizedTest
  @ValueSource(ints = {GLOBAL, THREAD_LOCAL, RELAXED})
  void aThreadHasTheModeThatItHad(int mode) {
    exchange(mode);
    assertThat(useAll()).isTrue();
    assertThat(exchange(mode)).as("after all of that").isEqualTo(mode);
    assertThatThrownBy(() -> CudaMemory.allocate(Gpus.FIRST, 1L << 50))
        .isInstanceOf(CudaException.class);
    assertThat(exchange(mode)).as("after a failure").isEqualTo(mode);
    assertThat(gpu.within(() -> gpu.within(CudaCaptureTest::mode))).isEqualTo(RELAXED);
    gpu.within(() -> {
      gpu.within(() -> true);
      assertThat(mode()).as("when the inner one has left").isEqualTo(RELAXED);
      return true;
    });
    assertThat(exchange(mode)).as("when the outer one has left").isEqualTo(mode);
  }

  /** As it is, and stays. */
  private static int mode() {
    int mode = exchange(RELAXED);
    assertThat(exchange(mode)).isEqualTo(RELAXED);
    return mode;
  }

  @Test
  void threadsDoNotGetEachOthersModes() {
    List<CompletableFuture<Void>> threads =
        IntStream.range(0, 4)
            .mapToObj(i ->
                CompletableFuture.runAsync(
                    () -> enterOften(i % 3), task -> Thread.ofPlatform().start(task)))
            .toList();
    CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
  }

  private void enterOften(int own) {
    exchange(own);
    for (int i = 0; i < 5_000; i++) {
      gpu.enter();
      int within = mode();
      gpu.leave();
      assertThat(within).isEqualTo(RELAXED);
      assertThat(mode()).isEqualTo(own);
    }
  }

  @Test
  void whatTheDriverSaysToTheModeDoesNotEndACopy() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 8)) {
      gpus.driver().fault("cuThreadExchangeStreamCaptureMode", 1, UNKNOWN);
      assertThat(new CudaAccess().peek(memory.memory(), 0)).isNotZero();
      assertThat(mode()).as("which could not be changed").isEqualTo(GLOBAL);
      gpus.driver().fault("cuThreadExchangeStreamCaptureMode", 2, UNKNOWN);
      assertThat(new CudaAccess().peek(memory.memory(), 0)).isNotZero();
      assertThat(mode()).as("which could not be given back").isEqualTo(RELAXED);
    }
  }

  @Test
  void whoCannotEnterAGpuHasTheModeThatItHad() {
    gpus.driver().fault("cuCtxPushCurrent", 1, UNKNOWN);
    assertThatThrownBy(() -> gpu.within(() -> true)).isInstanceOf(CudaException.class);
    assertThat(mode()).isEqualTo(GLOBAL);
    assertThat(gpu.within(() -> true)).isTrue();
    assertThat(mode()).as("the next time").isEqualTo(GLOBAL);
  }
}
