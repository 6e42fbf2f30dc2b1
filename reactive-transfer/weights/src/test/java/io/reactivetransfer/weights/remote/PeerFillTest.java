package io.reactivetransfer.weights.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.plan.FillTable;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.RankStatus;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import io.reactivetransfer.weights.version.WriteOrder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Two inference ranks that serve a version, others that come late and are filled by one of them,
 * and a controller; no trainer has that version any more.
 */
@Timeout(240)
class PeerFillTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int REGION = 4_096;
  private static final int PARTS = 4;
  private static final byte GAP = 99;

  /** Rows of 32 bytes, 64 apart: the rest are gaps. */
  private static final int ROW = 32;

  private static final int STRIDE = 64;

  /** Lets half of what a peer writes go, and the rest when it is told to. */
  private static final class HalfWay {
    final CountDownLatch reached = new CountDownLatch(1);
    final Sinks.Empty<Void> goOn = Sinks.empty();
    private final AtomicInteger writes = new AtomicInteger();

    Mono<Transfer> next(Transfer write) {
      if (writes.incrementAndGet() <= PARTS / 2) {
        return Mono.just(write);
      }
      reached.countDown();
      return goOn.asMono().thenReturn(write);
    }

    void await() throws InterruptedException {
      assertThat(reached.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  private final List<TransferEngine> engines = new ArrayList<>();
  private final List<WeightsRank> ranks = new ArrayList<>();
  private final List<TransferEngine> rankEngines = new ArrayList<>();
  private final Arena arena = Arena.ofShared();

  /** One thread, so that what was asked for first is told first. */
  private final Scheduler timers = Schedulers.newSingle("timers of ranks");

  private String backend = "loopback";
  private volatile HalfWay halfWay;

  /** If there is one, what is registered is told when this ends, whoever has cancelled. */
  private volatile Sinks.Empty<Void> telling;

  private TransferEngine engine() {
    EngineOptions options =
        EngineOptions.builder()
            .nics(1)
            .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
            .livenessDeadline(Duration.ofSeconds(15))
            .build();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend(backend).options(options).open());
    engines.add(engine);
    return engine;
  }

  private static <T> T await(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  @AfterEach
  void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(PATIENCE);
    arena.close();
    timers.dispose();
  }

  // What ranks have

  private static Tensor part(int index) {
    return new Tensor("w" + index, DataType.INT8, Shape.of(REGION / 2 / STRIDE, ROW));
  }

  private static Piece piece(int index) {
    Place place = Place.of(index % 2, (long) index / 2 * REGION / 2, STRIDE, 1);
    return new Piece(Box.whole(part(index).shape()), place);
  }

  private static TargetRank described(String name) {
    return new TargetRank(
        Rank.of(name, RegionSpec.registered(REGION), RegionSpec.registered(REGION)),
        IntStream.range(0, PARTS)
            .mapToObj(i -> new TargetShare(part(i), Content.of("w" + i), List.of(piece(i))))
            .toList());
  }

  private static byte[][] bytes(long version) {
    byte[][] bytes = new byte[2][REGION];
    for (int region = 0; region < 2; region++) {
      Arrays.fill(bytes[region], GAP);
      for (int row = 0; row < REGION / STRIDE; row++) {
        for (int i = 0; i < ROW; i++) {
          bytes[region][row * STRIDE + i] = (byte) (version * 31 + region * 7 + row + i);
        }
      }
    }
    return bytes;
  }

  private MemorySegment[] buffer(byte[][] content) {
    return Arrays.stream(content)
        .map(bytes -> {
          MemorySegment segment = arena.allocate(REGION, 64);
          MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, REGION);
          return segment;
        })
        .toArray(MemorySegment[]::new);
  }

  private static byte[][] gaps() {
    byte[][] gaps = new byte[2][REGION];
    Arrays.stream(gaps).forEach(region -> Arrays.fill(region, GAP));
    return gaps;
  }

  private WeightsRank add(String name, long version) {
    TransferEngine engine = engine();
    WeightsRankBuilder builder =
        WeightsRank.on(halting(engine), name)
            .buffer(WeightsBuffer.of(buffer(version < 0 ? gaps() : bytes(version))))
            .buffer(WeightsBuffer.of(buffer(gaps())))
            .timers(timers);
    WeightsRank rank = await((version < 0 ? builder : builder.version(version)).open());
    ranks.add(rank);
    rankEngines.add(engine);
    return rank;
  }

  /** An engine whose streams of writes stand still half way, if they are to. */
  private TransferEngine halting(TransferEngine engine) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            PeerFillTest.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              HalfWay now = halfWay;
              Object[] passed = arguments;
              if (method.getName().equals("submit") && now != null) {
                @SuppressWarnings("unchecked") // that is what it is called with
                Publisher<Transfer> writes = (Publisher<Transfer>) arguments[0];
                passed = new Object[] {Flux.from(writes).concatMap(now::next, 1)};
              }
              Sinks.Empty<Void> told = telling;
              try {
                Object result = method.invoke(engine, passed);
                return method.getName().equals("register") && told != null
                    ? Mono.fromFuture(((Mono<?>) result).toFuture(), true)
                        .delayUntil(region -> told.asMono())
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void requireServes(WeightsRank rank, long version) {
    try (VersionLease lease = rank.lease()) {
      assertThat(lease.version()).isEqualTo(version);
      for (int region = 0; region < 2; region++) {
        MemorySegment read = ((HostMemory) lease.regions().get(region)).segment();
        assertThat(read.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes(version)[region]);
      }
    }
  }

  // Who updates

  /** A controller on an engine of its own. */
  private final class Steering {
    final TransferEngine engine = engine();
    final WeightsController controller = WeightsController.open(engine);
    final RemoteTrainers remote = RemoteTrainers.open(engine);

    Mono<UpdateResult> fill(long version, WeightsRank by, WeightsRank... late) {
      return fill(version, UpdateMode.TWO_BUFFERS_OUTLIVE, by, late);
    }

    Mono<UpdateResult> fill(long version, UpdateMode mode, WeightsRank by, WeightsRank... late) {
      long arrivals = table(by).arrivals()[0];
      TransferEngine peer = rankEngines.get(ranks.indexOf(by));
      return update(
          version,
          mode,
          arrivals,
          PATIENCE,
          remote.trainer(engine.peer(peer.address()), ChecksumScope.all()),
          late);
    }

    Mono<UpdateResult> update(
        long version,
        UpdateMode mode,
        long arrivals,
        Duration deadline,
        WeightsTrainer trainer,
        WeightsRank... to) {
      Map<String, Long> counts = new LinkedHashMap<>();
      List<RankMember> members = new ArrayList<>();
      for (WeightsRank rank : to) {
        TransferEngine other = rankEngines.get(ranks.indexOf(rank));
        counts.put(rank.name(), arrivals);
        members.add(new RankMember(rank.name(), engine.peer(other.address())));
      }
      return controller.update(
          new WeightsUpdate(version, mode, counts, deadline), members, List.of(trainer));
    }
  }

  /** By which a rank fills all others. */
  private RoutingTable table(WeightsRank by) {
    return FillTable.of(
        described(by.name()),
        ranks.stream()
            .map(WeightsRank::name)
            .filter(name -> !name.equals(by.name()))
            .map(PeerFillTest::described)
            .toList());
  }

  private TrainerService service(WeightsRank rank) {
    return TrainerService.open(rank, table(rank), RunOptions.defaults());
  }

  /** A trainer that has one version, and nothing else. */
  private final class Trainer {
    final TransferEngine engine = engine();
    final WeightsTrainer writes;
    final long arrivals;

    Trainer(long version) {
      SourceRank source =
          new SourceRank(
              Rank.of("trainer", RegionSpec.registered(REGION), RegionSpec.registered(REGION)),
              IntStream.range(0, PARTS)
                  .mapToObj(i -> new SourceShare(part(i), "dense", List.of(piece(i))))
                  .toList());
      RoutingTable table =
          Planner.create()
              .plan(
                  List.of(source),
                  ranks.stream().map(WeightsRank::name).map(PeerFillTest::described).toList());
      List<SourceMemory> memory = new ArrayList<>();
      for (MemorySegment segment : buffer(bytes(version))) {
        MemoryRegion region = await(engine.register(segment));
        memory.add(SourceMemory.of(region));
      }
      TrainerRank trainer =
          await(TrainerRank.open(engine, table, 0, memory, RunOptions.defaults()));
      writes = TrainerService.local(engine, trainer, table);
      arrivals = table.arrivals()[0];
    }
  }

  /** An update in place needs the buffer that is served: nobody has a lease of it any more. */
  private void requireFree(long version, WeightsRank... of) {
    Trainer trainer = new Trainer(version);
    UpdateResult result =
        await(
            new Steering()
                .update(
                    version, UpdateMode.IN_PLACE, trainer.arrivals, PATIENCE, trainer.writes, of));
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    for (WeightsRank rank : of) {
      requireServes(rank, version);
    }
  }

  private static void requireAborted(UpdateResult result, String reason) {
    assertThat(result.decision()).as(result.toString()).isEqualTo(Decision.ABORTED);
    assertThat(result.reason()).contains(reason);
  }

  // What is true

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aRankThatComesLateIsFilledByAPeerThatServesOn(String carrier) {
    backend = carrier;
    WeightsRank peer = add("rank-0", 7);
    WeightsRank other = add("rank-1", 7);
    WeightsRank late = add("rank-2", -1);
    List<RankStatus> others = new CopyOnWriteArrayList<>();
    peer.statuses().subscribe(others::add);
    other.statuses().subscribe(others::add);
    long registered = rankEngines.getFirst().stats().registeredBytes();
    TrainerService service = service(peer);
    Steering steering = new Steering();
    for (UpdateMode mode : UpdateMode.values()) {
      UpdateResult result = await(steering.fill(7, mode, peer, late));
      assertThat(result.isFlipped()).as(result.toString()).isTrue();
      requireServes(late, 7);
    }
    requireServes(peer, 7);
    assertThat(others).allMatch(status -> status.state() == RankState.SERVING);
    assertThat(rankEngines.getFirst().stats().registeredBytes()).isEqualTo(registered);
    await(service.close());
    requireFree(8, peer, other, late);
  }

  @Test
  void twoThatComeLateAreFilledAtOnce() {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    WeightsRank later = add("rank-2", -1);
    service(peer);
    UpdateResult result = await(new Steering().fill(7, peer, late, later));
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    requireServes(late, 7);
    requireServes(later, 7);
    assertThat(late.status().update()).isEqualTo(later.status().update());
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aPeerThatDiesHalfWayEndsTheUpdateAndAnotherOneFills(String carrier) throws Exception {
    backend = carrier;
    WeightsRank peer = add("rank-0", 7);
    WeightsRank other = add("rank-1", 7);
    WeightsRank late = add("rank-2", -1);
    service(peer);
    service(other);
    Steering steering = new Steering();
    HalfWay half = new HalfWay();
    halfWay = half;
    CompletableFuture<UpdateResult> update = steering.fill(7, peer, late).toFuture();
    half.await();
    await(rankEngines.getFirst().close());
    requireAborted(
        update.get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
        "a trainer has failed: trainer rank-0 at ");
    requireServes(other, 7);
    assertThat(late.status().state()).isEqualTo(RankState.EMPTY);
    halfWay = null;
    UpdateResult result = await(steering.fill(7, other, late));
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    requireServes(late, 7);
  }

  @Test
  void aPeerThatFlipsMeanwhileFillsWithWhatItHad() throws Exception {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    service(peer);
    HalfWay half = new HalfWay();
    halfWay = half;
    CompletableFuture<UpdateResult> filling = new Steering().fill(7, peer, late).toFuture();
    half.await();
    halfWay = null;
    Trainer trainer = new Trainer(8);
    Steering other = new Steering();
    UpdateMode outlive = UpdateMode.TWO_BUFFERS_OUTLIVE;
    UpdateResult flip =
        await(other.update(8, outlive, trainer.arrivals, PATIENCE, trainer.writes, peer));
    assertThat(flip.isFlipped()).as(flip.toString()).isTrue();
    requireServes(peer, 8);
    // What is read is the buffer that the next update would be written to.
    requireAborted(
        await(
            other.update(
                9, outlive, trainer.arrivals, Duration.ofSeconds(1), trainer.writes, peer)),
        "rank rank-0, whose buffer is not free");
    half.goOn.tryEmitEmpty();
    UpdateResult result = filling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    requireServes(late, 7);
    requireServes(peer, 8);
    requireFree(9, peer, late);
  }

  // A usual build has aPeerThatFlipsMeanwhileFillsWithWhatItHad, in which an update waits, too.
  @Tag("nightly")
  @Test
  void anUpdateInPlaceWaitsForAFill() throws Exception {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    service(peer);
    HalfWay half = new HalfWay();
    halfWay = half;
    CompletableFuture<UpdateResult> filling = new Steering().fill(7, peer, late).toFuture();
    half.await();
    halfWay = null;
    Trainer trainer = new Trainer(8);
    requireAborted(
        await(
            new Steering()
                .update(
                    8,
                    UpdateMode.IN_PLACE,
                    trainer.arrivals,
                    Duration.ofSeconds(1),
                    trainer.writes,
                    peer)),
        "rank rank-0, whose buffer is not free");
    half.goOn.tryEmitEmpty();
    UpdateResult result = filling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    requireServes(late, 7);
    requireFree(8, peer, late);
  }

  @Test
  void aPeerThatHasNotTheVersionSaysSo() {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    WeightsRank later = add("rank-2", -1);
    service(peer);
    service(later);
    requireAborted(
        await(new Steering().fill(8, peer, late)),
        "expected version 8 at rank rank-0, which is to fill others with it, got 7");
    requireAborted(
        await(new Steering().fill(7, later, late)),
        "expected rank rank-2 to serve a version, got one that has had none yet");
    requireServes(peer, 7);
    requireFree(8, peer);
  }

  @Test
  void aRankThatIsClosedHalfWayFillsNobody() throws Exception {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    TrainerService service = service(peer);
    HalfWay half = new HalfWay();
    halfWay = half;
    CompletableFuture<UpdateResult> filling = new Steering().fill(7, peer, late).toFuture();
    half.await();
    await(peer.close());
    peer.statuses().blockLast(PATIENCE);
    half.goOn.tryEmitError(new IllegalStateException("the other half is not written"));
    requireAborted(
        filling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
        "does not write: trainer rank-0 was closed");
    await(service.close());
    assertThat(rankEngines.getFirst().stats().registeredBytes()).isZero();
  }

  @Test
  void aServiceThatIsClosedHalfWayGivesItsLeaseBack() throws Exception {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    TrainerService service = service(peer);
    HalfWay half = new HalfWay();
    halfWay = half;
    CompletableFuture<UpdateResult> filling = new Steering().fill(7, peer, late).toFuture();
    half.await();
    CompletableFuture<Void> closed = service.close().toFuture();
    requireAborted(
        filling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
        "does not write: its service was closed");
    half.goOn.tryEmitEmpty();
    closed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    halfWay = null;
    requireFree(8, peer, late);
  }

  @Test
  void aFillThatIsCancelledWhileItRegistersGivesItsLeaseBackBehindTheRegion() {
    WeightsRank peer = add("rank-0", 7);
    add("rank-1", -1);
    TransferEngine engine = rankEngines.getFirst();
    long registered = engine.stats().registeredBytes();
    ServedRuns runs = new ServedRuns(peer, peer::lease, table(peer), RunOptions.defaults());
    Sinks.Empty<Void> told = Sinks.empty();
    telling = told;
    WriteOrder order = new WriteOrder(UpdateNumber.NONE, 7, List.of(), TraceContext.NONE);
    runs.write(order, ChecksumScope.all()).subscribe().dispose();
    CompletableFuture<Void> quiet = runs.whenQuiet().toFuture();
    assertThat(quiet).isNotDone();
    told.tryEmitEmpty();
    await(Mono.fromFuture(quiet));
    assertThat(engine.stats().registeredBytes()).isEqualTo(registered);
    telling = null;
    requireFree(8, peer);
  }

  @Test
  void aLateOneThatDiesHalfWayEndsTheUpdateAndThePeerServesOn() throws Exception {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    service(peer);
    HalfWay half = new HalfWay();
    halfWay = half;
    CompletableFuture<UpdateResult> filling = new Steering().fill(7, peer, late).toFuture();
    half.await();
    await(rankEngines.getLast().close());
    half.goOn.tryEmitEmpty();
    requireAborted(filling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS), "rank-1");
    requireServes(peer, 7);
    halfWay = null;
    requireFree(8, peer);
  }

  // A usual build has TrainerServiceTest.aRunWhoseControllerIsLostIsStopped.
  @Tag("nightly")
  @Test
  void aControllerThatDiesHalfWayEndsTheFill() throws Exception {
    WeightsRank peer = add("rank-0", 7);
    WeightsRank late = add("rank-1", -1);
    service(peer);
    Steering steering = new Steering();
    HalfWay half = new HalfWay();
    halfWay = half;
    steering.fill(7, peer, late).subscribe(result -> {}, failure -> {});
    half.await();
    await(steering.engine.close());
    half.goOn.tryEmitEmpty();
    halfWay = null;
    requireFree(8, peer, late);
  }

  @Test
  void aTableOfOthersAndOneThatPreparesAreRefused() {
    WeightsRank peer = add("rank-0", 7);
    RoutingTable ofOthers =
        FillTable.of(described("rank-1"), List.of(described("rank-0"), described("rank-2")));
    assertThatThrownBy(() -> TrainerService.open(peer, ofOthers, RunOptions.defaults()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a table in which rank rank-0 is a source, got ");
    Tensor wide = new Tensor("w", DataType.FP32, Shape.of(8));
    Piece whole = new Piece(Box.whole(wide.shape()), Place.of(0, 0, 1));
    Tensor narrow = new Tensor("w", DataType.BF16, Shape.of(8));
    RoutingTable prepares =
        Planner.create()
            .plan(
                List.of(
                    new SourceRank(
                        Rank.of("rank-0", RegionSpec.registered(REGION)),
                        List.of(new SourceShare(wide, "dense", List.of(whole))))),
                List.of(
                    new TargetRank(
                        Rank.of("rank-1", RegionSpec.registered(REGION)),
                        List.of(new TargetShare(narrow, Content.of("w"), List.of(whole))))));
    assertThatThrownBy(() -> TrainerService.open(peer, prepares, RunOptions.defaults()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected a table in which rank rank-0 writes what it has, got one in which it"
                + " prepares tensor w; trainers have to do that");
  }
}
