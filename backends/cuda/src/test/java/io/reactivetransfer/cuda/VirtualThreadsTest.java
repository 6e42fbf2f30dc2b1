package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.cuda.fake.Live;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import jcuda.driver.JCudaDriver;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

/** A virtual thread enters no GPU: it might go on at a thread that has not. */
class VirtualThreadsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int LENGTH = 1_000;
  private static final Pattern NEED_A_CONTEXT = Pattern.compile("^cu(Ctx|Mem|Stream|Event|Ipc)");

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();

  /** What was thrown there; null if nothing. */
  private static Throwable onVirtualThread(ThrowingCallable call) {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(call)));
    return thrown.join();
  }

  private static void assertRefused(String what, Class<?> type, ThrowingCallable call) {
    assertThat(onVirtualThread(call))
        .as(what)
        .isInstanceOf(type)
        .hasMessageContainingAll("expected a platform thread", "got a virtual one", "Executors");
  }

  @Test
  void applicationsAreToldWhatToDo() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaWord word = CudaWord.open(Gpus.FIRST)) {
      Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
      OwnStream stream = gpu.within(OwnStream::create);
      TransferEngine engine = Engines.over("loopback");
      CudaStreams streams = CudaStreams.of(engine, Gpus.FIRST);
      ImmLease lease = engine.lease();
      gpus.driver().reset();
      Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
      calls.put("allocate", () -> CudaMemory.allocate(Gpus.FIRST, LENGTH).close());
      calls.put("of", () -> CudaMemory.of(memory.pointer(), LENGTH));
      calls.put("close", memory::close);
      calls.put("export", () -> CudaIpc.export(memory.memory()));
      calls.put("a word of a page that is there", () -> CudaWord.open(Gpus.FIRST).close());
      calls.put("writeOn", () -> word.writeOn(stream, 1));
      calls.put("streams", () -> CudaStreams.of(engine, Gpus.FIRST));
      calls.put("waitFor", () -> streams.waitFor(stream, lease.counter(), 1).block(PATIENCE));
      calls.forEach((what, call) -> assertRefused(what, CudaException.class, call));
      assertThat(gpus.driver().calls())
          .as("calls in a context")
          .noneMatch(call -> NEED_A_CONTEXT.matcher(call).find());
      assertThat(gpu.within(() -> JCudaDriver.cuStreamDestroy(stream))).isZero();
      engine.close().block(PATIENCE);
    }
  }

  @Test
  void soAreTransfersAndNothingIsCopied() {
    DeviceMemory memory;
    try (CudaMemory allocated = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        Arena arena = Arena.ofShared();
        StagingBuffer buffer = access.stagingBuffer(Gpus.FIRST, LENGTH)) {
      memory = allocated.memory();
      MemorySegment host = arena.allocate(LENGTH);
      Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
      calls.put("to the host", () -> access.copyToHost(memory, 0, host, 0, LENGTH));
      calls.put("from the host", () -> access.copyFromHost(host, 0, memory, 0, LENGTH));
      calls.put("within the GPU", () -> access.copy(memory, 0, memory, 500, 500));
      calls.put("a word", () -> access.peek(memory, 0));
      calls.put("for a NIC", () -> access.exportDmaBuf(memory));
      calls.put("fetch", () -> buffer.fetch(memory, 0, 0, LENGTH));
      calls.put("store", () -> buffer.store(0, memory, 0, LENGTH));
      calls.forEach((what, call) -> assertRefused(what, BackendException.class, call));
      assertThat(gpus.driver().calls("op.copy")).isZero();
    }
  }

  /** A buffer in which a copy is under way is neither lost nor given back. */
  @Test
  void whatCouldNotBeWaitedForIsWaitedForOnAnotherThread() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      StagingBuffer buffer = access.stagingBuffer(Gpus.FIRST, LENGTH);
      long address = buffer.memory().address();
      buffer.fetch(memory.memory(), 0, 0, LENGTH);
      assertRefused("await", BackendException.class, buffer::await);
      assertThat(buffer.isOver()).as("the copy may go on").isFalse();
      buffer.await();
      assertThat(buffer.isOver()).isTrue();
      buffer.fetch(memory.memory(), 0, 0, LENGTH);
      assertRefused("close", BackendException.class, buffer::close);
      buffer.close();
      assertThat(onVirtualThread(buffer::close)).as("a second time").isNull();
      StagingBuffer again = access.stagingBuffer(Gpus.FIRST, LENGTH);
      assertThat(again.memory().address()).as("the same once more").isEqualTo(address);
      assertThat(onVirtualThread(again::close)).as("nothing to wait for").isNull();
    }
  }

  @Test
  void whatCouldNotBeClosedIsClosedOnAnotherThread() {
    CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH);
    assertRefused("close", CudaException.class, memory::close);
    assertThat(gpus.driver().live(Live.DEVICE_MEMORY)).isOne();
    memory.close();
    assertThat(gpus.driver().live(Live.DEVICE_MEMORY)).isZero();
    assertThat(onVirtualThread(memory::close)).as("a second time").isNull();
  }

  /** The copies are those of NICs' threads. */
  @Test
  void whoWaitsForAnEngineMayBeVirtual() {
    TransferEngine engine = Engines.over("loopback");
    TransferEngine target = Engines.over("loopback");
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      assertThat(
              onVirtualThread(() -> {
                MemoryRegion from = register(engine, memory);
                MemoryRegion to = register(target, memory);
                ImmLease lease = target.lease();
                engine
                    .submit(
                        WriteImm.of(
                            from.whole(), engine.remote(to.descriptor()).whole(), lease.imm()))
                    .then(lease.counter().next(1))
                    .block(PATIENCE);
                Mono.when(from.close(), to.close()).block(PATIENCE);
              }))
          .isNull();
      Mono.when(engine.close(), target.close()).block(PATIENCE);
    }
  }

  private static MemoryRegion register(TransferEngine engine, CudaMemory memory) {
    return Objects.requireNonNull(
        engine.register(memory.memory(), Access.REMOTE_WRITE).block(PATIENCE));
  }
}
