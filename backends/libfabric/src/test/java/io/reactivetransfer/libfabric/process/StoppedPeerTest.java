package io.reactivetransfer.libfabric.process;

import static io.reactivetransfer.libfabric.process.Local.FOUND;
import static io.reactivetransfer.libfabric.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.Waiting;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Processes that stand still in the middle of writes with immediates: their sockets stay open, and
 * their system takes bytes for them and acknowledges them. And then they go on.
 */
class StoppedPeerTest {

  private static final int BYTES = 1 << 20;
  private static final int MEMORIES = 4;
  private static final byte WRITTEN = 1;
  private static final byte AFTERWARDS = 9;

  private int nextImm = 1_000;
  private Local local;
  private EngineProcess child;

  @BeforeAll
  static void requireLibfabric() {
    Local.requireLibfabric();
  }

  @BeforeEach
  void open() {
    local = Local.open(MEMORIES, BYTES);
    child = FabricProgram.start();
  }

  @AfterEach
  void close() {
    child.close();
    local.close();
  }

  /** Of a write with these bytes, many times. */
  private CompletableFuture<Long> submitMany(RemoteRegion target, long bytes) {
    MemoryRegion source = local.regions.getFirst();
    Imm imm = Imm.of(nextImm++); // those of what failed are in doubt
    WriteImm write = WriteImm.of(source.slice(0, bytes), target.slice(0, bytes), imm);
    return local.engine.submit(Flux.just(write).repeat(99)).count().toFuture();
  }

  private RemoteRegion connectedMemory() {
    RemoteRegion target = local.remote(child.memory("m", BYTES));
    assertThat(submitMany(target, 64).orTimeout(40, TimeUnit.SECONDS).join()).isEqualTo(100);
    return target;
  }

  private void assertNamesChild(Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            PeerUnreachableException.class, e -> assertThat(e.peer()).isEqualTo(child.id()))
        .hasMessageContaining(child.id().toShortString());
  }

  @Test
  void whatWasOnItsWayToAStoppedTargetDoesNotLandAfterARevoke() {
    RemoteRegion target = connectedMemory();
    local.memories.getFirst().fill(WRITTEN);
    child.pause();
    CompletableFuture<Long> many = submitMany(target, BYTES);
    CompletableFuture<String> revoked = child.ask("revoke-and-fill", "m", AFTERWARDS);
    assertNamesChild(Waiting.failure(many, FOUND));

    child.resume();
    RemoteRegion renewed = local.remote(EngineProgram.descriptor(revoked.join()));
    local.await(child, PeerState.Alive.class);

    assertThat(Waiting.failure(submitMany(target, BYTES), LONG))
        .isInstanceOf(TransferException.class);
    assertThat(child.call("values", "m")).isEqualTo(String.valueOf(AFTERWARDS));
    assertThat(Mono.fromFuture(() -> submitMany(renewed, BYTES)).retry(100).block(LONG))
        .isEqualTo(100);
    assertThat(child.call("values", "m")).isEqualTo(String.valueOf(WRITTEN));
  }

  @Test
  void whatEndsWithAStoppedTargetIsTouchedNoMore() {
    RemoteRegion target = connectedMemory();
    child.pause();
    CompletableFuture<Long> many = submitMany(target, BYTES);
    assertNamesChild(Waiting.failure(many, FOUND));

    local.close(); // which frees the memory
    child.resume();

    assertThat(child.call("values", "m")).isEqualTo("0");
    local = Local.open(MEMORIES, BYTES);
  }

  private List<CompletableFuture<String>> letChildWriteToAll() {
    List<CompletableFuture<String>> streams =
        IntStream.range(0, MEMORIES)
            .mapToObj(
                i -> child.ask("write", local.descriptorText(i), i, 1_000_000, BYTES, WRITTEN))
            .toList();
    for (int i = 0; i < MEMORIES; i++) {
      local.engine.counter(Imm.of(i)).next(3).block(LONG);
    }
    return streams;
  }

  /** Waits until it is given up, or ends what it writes to at once; both must hold. */
  private void stop(boolean untilItIsGivenUp) {
    CompletableFuture<Void> claim =
        local.engine.counter(Imm.of(100)).boundTo(local.peer(child)).next(1).toFuture();
    child.pause();
    if (untilItIsGivenUp) {
      assertNamesChild(Waiting.failure(claim, FOUND));
    }
  }

  @ParameterizedTest(name = "given up before: {0}")
  @ValueSource(booleans = {true, false})
  void aStoppedOriginThatGoesOnChangesNothingThatWasRevoked(boolean givenUp) {
    List<CompletableFuture<String>> streams = letChildWriteToAll();
    stop(givenUp);
    local.regions.forEach(region -> region.revoke().block(FOUND));
    goOnAndCompare(streams);
  }

  @ParameterizedTest(name = "given up before: {0}")
  @ValueSource(booleans = {true, false})
  void aStoppedOriginThatGoesOnChangesNothingThatWasClosed(boolean givenUp) {
    List<CompletableFuture<String>> streams = letChildWriteToAll();
    stop(givenUp);
    local.regions.forEach(region -> region.close().block(FOUND));
    goOnAndCompare(streams);
  }

  private void goOnAndCompare(List<CompletableFuture<String>> streams) {
    local.memories.forEach(memory -> memory.fill(AFTERWARDS));
    long arrivals = local.engine.stats().arrivals();

    child.resume();

    for (CompletableFuture<String> stream : streams) {
      assertThat(Waiting.failure(stream, LONG))
          .hasStackTraceContaining("Refused")
          .hasMessageMatching("(?s).*(PeerUnreachable|TransferFailed)Exception.*");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment expected = arena.allocate(BYTES).fill(AFTERWARDS);
      assertThat(local.memories).allMatch(memory -> memory.mismatch(expected) < 0);
    }
    assertThat(local.engine.stats().arrivals()).isEqualTo(arrivals);
  }
}
