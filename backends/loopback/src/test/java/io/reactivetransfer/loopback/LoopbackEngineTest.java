package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Two engines in one JVM, end to end. */
class LoopbackEngineTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final long LENGTH = 1 << 20;

  private final LoopbackNetwork network = new LoopbackNetwork();
  private final Arena arena = Arena.ofShared();
  private TransferEngine origin;
  private TransferEngine target;
  private MemorySegment sourceMemory;
  private MemorySegment targetMemory;
  private MemoryRegion source;
  private RemoteRegion remote;

  private void open(int nics, int depth) {
    var backend =
        LoopbackBackend.builder().network(network).queueDepth(depth).maxWriteBytes(100_000).build();
    var options = EngineOptions.builder().nics(nics).build();
    origin = TransferEngineBuilder.create().backend(backend).options(options).open().block(LONG);
    target = TransferEngineBuilder.create().backend(backend).options(options).open().block(LONG);
    sourceMemory = arena.allocate(LENGTH);
    targetMemory = arena.allocate(LENGTH);
    byte[] bytes = new byte[(int) LENGTH];
    new Random(7).nextBytes(bytes);
    sourceMemory.copyFrom(MemorySegment.ofArray(bytes));
    source = origin.register(sourceMemory).block(LONG);
    remote = origin.remote(target.register(targetMemory).block(LONG).descriptor());
  }

  @AfterEach
  void close() {
    origin.close().block(LONG);
    target.close().block(LONG);
    assertThat(origin.stats())
        .extracting(
            EngineStats::transfersInFlight,
            EngineStats::writesInFlight,
            EngineStats::openRegions,
            EngineStats::pendingClaims)
        .containsOnly(0L);
    arena.close();
  }

  @Test
  void anEngineIsToldThatItMeansItself() {
    open(1, 4);
    RemoteRegion own =
        origin.remote(origin.register(arena.allocate(LENGTH)).block(LONG).descriptor());
    assertThatThrownBy(
            () -> origin.submit(WriteImm.of(source.whole(), own.whole(), Imm.of(1))).block(LONG))
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("this engine itself is at");
    assertThatThrownBy(() -> origin.peer(origin.address().control()).block(LONG))
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("that is this engine itself");
    origin.submit(WriteImm.of(source.whole(), remote.whole(), Imm.of(1))).block(LONG);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void writesAreCountedOnceAndVisible(int nics) {
    open(nics, 16);
    Imm imm = Imm.of(5);
    var done = origin.submit(WriteImm.of(source.whole(), remote.whole(), imm)).block(LONG);
    assertThat(done.imm()).isEqualTo(imm);
    target.counter(imm).next(1).block(LONG);
    assertThat(targetMemory.mismatch(sourceMemory)).isEqualTo(-1);
    assertThat(target.counter(imm).discard().block(LONG)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aStreamOfWritesPassesASmallQueue(int nics) {
    open(nics, 4);
    Imm imm = Imm.of(6);
    int count = 10_000;
    Flux<WriteImm> writes =
        Flux.range(0, count)
            .map(i -> {
              long at = (i * 97L) % (LENGTH - 64);
              return WriteImm.of(source.slice(at, 64), remote.slice(at, 64), imm);
            });
    assertThat(origin.submit(writes).count().block(LONG)).isEqualTo(count);
    target.counter(imm).next(count).block(LONG);
  }

  @Test
  void pagesLandWhereTheListSays() {
    open(3, 16);
    int pages = 64;
    int[] reversed = IntStream.range(0, pages).map(i -> pages - 1 - i).toArray();
    Imm imm = Imm.of(7);
    origin
        .submit(
            PagedWrite.of(
                4096,
                source.whole(),
                PageList.range(0, pages),
                remote.whole(),
                PageList.of(reversed),
                imm))
        .block(LONG);
    target.counter(imm).next(pages).block(LONG);
    for (int i = 0; i < pages; i++) {
      assertThat(
              targetMemory
                  .asSlice(reversed[i] * 4096L, 4096)
                  .mismatch(sourceMemory.asSlice(i * 4096L, 4096)))
          .isEqualTo(-1);
    }
  }

  @Test
  void signalsAndMessagesArrive() {
    open(2, 16);
    var peer = origin.peer(target.address());
    target
        .counter(Imm.of(1))
        .every(1)
        .take(3)
        .as(f -> {
          origin.submit(Flux.range(0, 3).map(i -> Signal.of(peer, Imm.of(1)))).then().block(LONG);
          return f;
        })
        .blockLast(LONG);
    int count = 200;
    Flux.range(0, count)
        .concatMap(i -> origin.send(peer, StandardCharsets.UTF_8.encode("m" + i)))
        .subscribe();
    List<String> texts =
        target
            .messages()
            .map(message -> StandardCharsets.UTF_8.decode(message.bytes()).toString())
            .take(count)
            .collectList()
            .block(LONG);
    assertThat(texts).hasSize(count).startsWith("m0", "m1").endsWith("m" + (count - 1));
    assertThat(origin.send(peer, ByteBuffer.allocate(0)).block(LONG)).isNull();
  }
}
