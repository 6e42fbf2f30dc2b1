package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Change;
import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Words in the memory of a GPU itself, which an engine reads and writes by calls of the driver. */
class WordsOfGpusTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();
  private final TransferEngine origin = engine();
  private final TransferEngine engine = engine();

  private static TransferEngine engine() {
    return Objects.requireNonNull(
        TransferEngineBuilder.create().backend(new LoopbackBackend()).open().block(PATIENCE));
  }

  @AfterEach
  void close() {
    Mono.when(origin.close(), engine.close()).block(PATIENCE);
  }

  private void set(CudaMemory word, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_LONG, value);
      access.copyFromHost(host, 0, word.memory(), 0, Long.BYTES);
    }
  }

  @Test
  void areWatched() throws InterruptedException {
    try (CudaMemory word = CudaMemory.allocate(Gpus.SECOND, Long.BYTES)) {
      set(word, 1);
      BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
      Disposable watching = engine.watch(word.memory()).subscribe(changes::add);
      for (long value : new long[] {7, -1, 1L << 62}) {
        set(word, value);
        Change change = changes.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(change).isNotNull();
        assertThat(change.current()).isEqualTo(value);
      }
      watching.dispose();
    }
  }

  @Test
  void sayThatAClaimHasFailed() {
    try (CudaMemory word = CudaMemory.allocate(Gpus.FIRST, Long.BYTES)) {
      set(word, 40);
      Mono<Void> late =
          engine.lease().counter().raising(word.memory(), -1).within(Duration.ofMillis(20)).next(1);
      assertThatThrownBy(() -> late.block(PATIENCE)).isInstanceOf(DeadlineExceededException.class);
      assertThat(access.peek(word.memory(), 0)).isEqualTo(-1);
    }
  }

  @Test
  void areRaisedByClaims() {
    try (CudaMemory word = CudaMemory.allocate(Gpus.FIRST, Long.BYTES);
        Arena arena = Arena.ofShared()) {
      set(word, 40);
      ImmLease lease = engine.lease();
      MemoryRegion from = Objects.requireNonNull(origin.register(arena.allocate(8)).block());
      MemoryRegion to = Objects.requireNonNull(engine.register(arena.allocate(8)).block());
      WriteImm write =
          WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm());
      for (int i = 1; i <= 2; i++) {
        Mono<Void> claim = lease.counter().raising(word.memory()).next(1).cache();
        Disposable subscription = claim.subscribe();
        origin.submit(write).block(PATIENCE);
        claim.block(PATIENCE);
        subscription.dispose();
        assertThat(access.peek(word.memory(), 0)).isEqualTo(40 + i);
      }
      Mono.when(from.close(), to.close()).block(PATIENCE);
    }
  }
}
