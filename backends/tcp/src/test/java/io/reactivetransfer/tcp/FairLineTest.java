package io.reactivetransfer.tcp;

import static io.reactivetransfer.tcp.Node.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Small writes among large ones. */
class FairLineTest {

  private static final int LARGE = 16 << 20;
  private static final Imm IMM = Imm.of(1);

  /** With what may be in flight to one peer, and what its connection holds; a window has 256. */
  private static final int MANY = 12;

  private final Arena arena = Arena.ofShared();
  private Node one;
  private Node other;

  private void open(int nics) {
    EngineOptions options = EngineOptions.builder().nics(nics).livenessDeadline(LONG).build();
    one = Node.open(new TcpBackend(), options);
    other = Node.open(new TcpBackend(), options);
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
    arena.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aSmallWriteWaitsForFewLargeOnes(int nics) {
    open(nics);
    MemoryRegion source = one.engine.register(arena.allocate(LARGE)).block(LONG);
    MemoryRegion sink = other.engine.register(arena.allocate(LARGE)).block(LONG);
    RemoteRegion target = one.engine.remote(sink.descriptor());
    WriteImm large = WriteImm.of(source.whole(), target.whole(), IMM);
    WriteImm small = one.write(one.remote(other), 0, 8, IMM);
    AtomicLong done = new AtomicLong();
    Disposable stream =
        one.engine
            .submit(Flux.just(large).repeat())
            .subscribe(_ -> done.incrementAndGet(), _ -> {});
    Awaitility.await().atMost(LONG).until(() -> done.get() > 5);

    for (int round = 0; round < 10; round++) {
      // A thread that stands still for a moment is not meant: who waits behind them always does.
      long fewest = Long.MAX_VALUE;
      for (int i = 0; i < 3 && fewest >= MANY; i++) {
        fewest = Math.min(fewest, largeOnesBefore(small, done));
      }
      assertThat(fewest).as("large writes before a small one").isLessThan(MANY);
    }
    stream.dispose();
  }

  /** Both are read where it begins and ends, and not when this thread has been woken. */
  private long largeOnesBefore(WriteImm small, AtomicLong done) {
    AtomicLong before = new AtomicLong();
    Mono<WriteImm> begun = Mono.fromSupplier(() -> small).doOnNext(_ -> before.set(done.get()));
    return one.engine.submit(begun).map(_ -> done.get()).blockLast(LONG) - before.get();
  }
}
