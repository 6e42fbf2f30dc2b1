package io.reactivetransfer.libfabric.process;

import static io.reactivetransfer.libfabric.process.Local.FOUND;
import static io.reactivetransfer.libfabric.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.Waiting;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/**
 * Beyond chapter 25 of the kit: processes that are killed without a word in the middle of writes of
 * all lengths, over several connections, and several processes at once. A crash of the provider, at
 * either end, is the end of this JVM, or of one that was not killed.
 */
class KilledPeerTest {

  private static final long SEED =
      Long.getLong("reactivetransfer.libfabric.kills.seed", 20_260_101);
  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int MIB = 1 << 20;

  private static final Imm BOUND = Imm.of(0);
  private static final Imm UNDER_WAY = Imm.of(1);

  /** Each is a connection of its own, which is half-way in a write when the process ends. */
  private static final int MEMORIES = 4;

  private static final int AT_ONCE = 5;

  static List<Long> seeds() {
    return new Random(SEED).longs(ROUNDS).boxed().toList();
  }

  static List<Long> seedsOfRoundsOfSeveral() {
    return new Random(SEED).longs(Math.ceilDiv(3 * ROUNDS / 2, 5)).boxed().toList();
  }

  @BeforeAll
  static void requireLibfabric() {
    Local.requireLibfabric();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aPeerThatIsKilledEndsTheStreamsToItAndTheClaimsBoundToIt(long seed) throws Exception {
    Random random = new Random(seed);
    int bytes = MIB << random.nextInt(5);
    try (EngineProcess child = FabricProgram.start();
        Local local = Local.open(2, bytes)) {
      CountDownLatch under = new CountDownLatch(1 + random.nextInt(64 * MIB / bytes));
      List<CompletableFuture<Void>> doomed = new ArrayList<>();
      for (int i = 0; i < MEMORIES; i++) {
        int length = i == 0 ? 64 : bytes;
        RemoteRegion target = local.remote(child.memory("m" + i, length));
        doomed.add(writeOnAndOn(local, target, length, under));
      }
      CompletableFuture<Void> claim =
          local.engine.counter(BOUND).boundTo(local.peer(child)).next(1 << 20).toFuture();
      String written = local.descriptorText(1);
      child.ask("write", written, BOUND.value(), 1_000_000, bytes, 1);
      child.ask("write", written, UNDER_WAY.value(), 1_000_000, bytes, 1);
      local.engine.counter(UNDER_WAY).next(1 + random.nextInt(20)).block(LONG);
      awaitUnderWay(under, doomed);

      child.kill();

      doomed.forEach(stream -> assertNames(Waiting.failure(stream, FOUND), child));
      assertNames(Waiting.failure(claim, FOUND), child);
      local.regions.getFirst().quiesced().block(FOUND);
      requireNobodyWritesTo(local.memories.get(1));
      assertThat(local.engine.stats().transfersInFlight()).isZero();
    }
  }

  private static void requireNobodyWritesTo(MemorySegment memory) {
    memory.fill((byte) 0);
    MemorySegment zeros = MemorySegment.ofArray(new byte[Math.toIntExact(memory.byteSize())]);
    await()
        .during(Profile.defaults().silence())
        .atMost(LONG)
        .untilAsserted(() ->
            assertThat(memory.mismatch(zeros)).as("first byte that was written").isEqualTo(-1));
  }

  /** Or until one of them has ended, which none does before the kill: that is why, then. */
  private static void awaitUnderWay(CountDownLatch under, List<CompletableFuture<Void>> streams)
      throws Exception {
    CompletableFuture<?> ended = CompletableFuture.anyOf(streams.toArray(CompletableFuture[]::new));
    ended.whenComplete(
        (_, _) -> LongStream.range(0, under.getCount()).forEach(_ -> under.countDown()));
    assertThat(under.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    if (ended.isDone()) {
      ended.get();
    }
  }

  /** Without an end; counts down with each that is done. */
  private static CompletableFuture<Void> writeOnAndOn(
      Local local, RemoteRegion target, int length, CountDownLatch done) {
    MemoryRegion source = local.regions.getFirst();
    WriteImm write = WriteImm.of(source.slice(0, length), target.slice(0, length), Imm.of(7));
    return local
        .engine
        .submit(Flux.just(write).repeat())
        .doOnNext(_ -> done.countDown())
        .then()
        .toFuture();
  }

  /** Several in each round: their ends meet. In a usual build the test above has one of them. */
  @Tag("nightly")
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seedsOfRoundsOfSeveral")
  void originsThatAreKilledFailTheClaimsBoundToThem(long seed) {
    Random random = new Random(seed);
    List<EngineProcess> children = Stream.generate(FabricProgram::start).limit(AT_ONCE).toList();
    try (Local local = Local.open(MEMORIES, MIB)) {
      Map<EngineProcess, CompletableFuture<Void>> claims = new LinkedHashMap<>();
      for (int i = 0; i < AT_ONCE; i++) {
        EngineProcess child = children.get(i);
        CompletableFuture<Void> all =
            local.engine.counter(Imm.of(i)).boundTo(local.peer(child)).next(1 << 20).toFuture();
        claims.put(child, all);
        Imm underWay = Imm.of(AT_ONCE + i);
        for (int memory = 0; memory < MEMORIES; memory++) {
          Imm imm = memory == 0 ? underWay : Imm.of(i);
          child.ask("write", local.descriptorText(memory), imm.value(), 1_000_000, MIB, 1);
        }
        local.engine.counter(underWay).next(1 + random.nextInt(20)).block(LONG);

        child.kill();
      }

      claims.forEach((child, all) -> assertNames(Waiting.failure(all, FOUND), child));
      local.memories.forEach(memory -> memory.fill((byte) 0)); // nobody writes there any more
    } finally {
      children.forEach(EngineProcess::close);
    }
  }

  private static void assertNames(Throwable error, EngineProcess process) {
    assertThat(error)
        .isInstanceOfSatisfying(
            PeerUnreachableException.class, e -> assertThat(e.peer()).isEqualTo(process.id()))
        .hasMessageContaining(process.id().toShortString());
  }
}
