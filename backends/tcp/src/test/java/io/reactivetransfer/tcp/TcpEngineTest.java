package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Two engines in one JVM, over real sockets. */
class TcpEngineTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int LENGTH = 1 << 20;

  private final Arena arena = Arena.ofShared();
  private TransferEngine origin;
  private TransferEngine target;
  private MemorySegment sourceMemory;
  private MemorySegment targetMemory;
  private MemoryRegion source;
  private RemoteRegion remote;

  private void open(int nics) {
    origin = engine(nics);
    target = engine(nics);
    sourceMemory = arena.allocate(LENGTH);
    targetMemory = arena.allocate(LENGTH);
    byte[] bytes = new byte[LENGTH];
    new Random(7).nextBytes(bytes);
    sourceMemory.copyFrom(MemorySegment.ofArray(bytes));
    source = origin.register(sourceMemory).block(LONG);
    remote = origin.remote(target.register(targetMemory).block(LONG).descriptor());
  }

  private static TransferEngine engine(int nics) {
    return TransferEngineBuilder.create()
        .backend("tcp")
        .options(EngineOptions.builder().nics(nics).build())
        .open()
        .block(LONG);
  }

  @AfterEach
  void close() {
    if (origin != null) {
      origin.close().block(LONG);
      target.close().block(LONG);
    }
    arena.close();
  }

  /** There is no session in which its NICs could prove who they are; it must not wait for one. */
  @Test
  void whatAnEngineWouldWriteToItselfFailsAtOnce() {
    open(2);
    RemoteRegion own =
        origin.remote(origin.register(arena.allocate(LENGTH)).block(LONG).descriptor());
    assertThatThrownBy(
            () -> origin.submit(WriteImm.of(source.whole(), own.whole(), Imm.of(1))).block(LONG))
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContainingAll("this engine itself", "copy");
    origin.submit(WriteImm.of(source.whole(), remote.whole(), Imm.of(1))).block(LONG);
    target.counter(Imm.of(1)).next(1).block(LONG);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  void aWriteIsCountedOnceAndItsBytesAreThere(int nics) {
    open(nics);
    Imm imm = Imm.of(5);

    var done = origin.submit(WriteImm.of(source.whole(), remote.whole(), imm)).block(LONG);
    target.counter(imm).next(1).block(LONG);

    assertThat(done.imm()).isEqualTo(imm);
    assertThat(targetMemory.mismatch(sourceMemory)).isEqualTo(-1);
  }

  @Test
  void aStreamOfWrites() {
    open(2);
    Imm imm = Imm.of(6);
    int count = 20_000;
    Flux<WriteImm> writes =
        Flux.range(0, count)
            .map(i -> (i * 97L) % (LENGTH - 64))
            .map(at -> WriteImm.of(source.slice(at, 64), remote.slice(at, 64), imm));

    assertThat(origin.submit(writes).count().block(LONG)).isEqualTo(count);
    target.counter(imm).next(count).block(LONG);
  }

  @Test
  void messages() {
    open(2);
    var received = target.messages().take(100).collectList().toFuture();
    var peer = origin.peer(target.address());

    Flux.range(0, 100)
        .concatMap(
            i -> origin.send(peer, ByteBuffer.wrap(("" + i).getBytes(StandardCharsets.UTF_8))))
        .blockLast(LONG);

    assertThat(received.orTimeout(20, java.util.concurrent.TimeUnit.SECONDS).join()).hasSize(100);
  }

  @Test
  void aTargetThatClosesIsATerminalSignal() {
    open(2);
    Imm imm = Imm.of(7);
    origin.submit(WriteImm.of(source.whole(), remote.whole(), imm)).block(LONG);

    target.close().block(LONG);

    assertThatThrownBy(() ->
            origin
                .submit(WriteImm.of(source.whole(), remote.whole(), imm))
                .repeat()
                .blockLast(LONG))
        .hasMessageContaining("127.0.0.1:");
  }

  @Test
  void aPortInUseIsAnErrorThatNamesIt() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      TcpBackend backend = TcpBackend.builder().port(server.getLocalPort()).build();
      assertThatThrownBy(() -> TransferEngineBuilder.create().backend(backend).open().block(LONG))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("127.0.0.1:" + server.getLocalPort());
    }
  }
}
