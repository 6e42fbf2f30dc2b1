package io.reactivetransfer.weights.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.plan.FillTable;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.UpdateMode;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Ranks whose builders were told nothing compare what has come where all who write say sums, and
 * nowhere else: the last byte of what they got is changed behind its write, before they hear the
 * sums.
 */
@Timeout(240)
class ComparedByItselfTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** So small that a sample is all of it. */
  private static final Tensor W = new Tensor("w", DataType.INT8, Shape.of(8, 8));

  private static final int BYTES = 64;

  private final Arena arena = Arena.ofShared();
  private final List<TransferEngine> engines = new ArrayList<>();
  private final TransferEngine steering = engine();
  private final WeightsController controller = WeightsController.open(steering);
  private final RemoteTrainers remote = RemoteTrainers.open(steering);
  private final List<TransferEngine> rankEngines = new ArrayList<>();
  private final List<WeightsRank> ranks = new ArrayList<>();
  private final List<MemorySegment> buffers = new ArrayList<>();

  /** Ends when all is written, and changed. */
  private volatile Sinks.Empty<Void> written = Sinks.empty();

  @AfterEach
  void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(PATIENCE);
    arena.close();
  }

  private TransferEngine engine() {
    EngineOptions options =
        EngineOptions.builder()
            .nics(1)
            .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
            .livenessDeadline(Duration.ofSeconds(15))
            .build();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend("loopback").options(options).open());
    engines.add(engine);
    return engine;
  }

  private static <T> T await(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  // Ranks

  /** An engine that hears sums when all is written. */
  private TransferEngine late(TransferEngine engine) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            ComparedByItselfTest.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(engine, arguments);
                return method.getName().equals("messages")
                        && arguments[0].equals(new MessageChannel(24))
                    ? Flux.from((Publisher<?>) result).delayUntil(message -> written.asMono())
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private WeightsRank rank(UnaryOperator<WeightsRankBuilder> says) {
    TransferEngine engine = engine();
    MemorySegment first = arena.allocate(BYTES, 64);
    MemorySegment second = arena.allocate(BYTES, 64);
    buffers.addAll(List.of(first, second));
    WeightsRank rank =
        await(
            says.apply(
                    WeightsRank.on(late(engine), "rank-" + ranks.size())
                        .buffer(WeightsBuffer.of(first))
                        .buffer(WeightsBuffer.of(second)))
                .open());
    ranks.add(rank);
    rankEngines.add(engine);
    return rank;
  }

  private static TargetRank target(int rank) {
    Sharding whole = Sharding.replicated(Mesh.of("serve"));
    return new TargetRank(
        Rank.of("rank-" + rank, RegionSpec.registered(BYTES)),
        List.of(new TargetShare(W, Content.of("w"), whole.of(W, 0).pieces(0, 0))));
  }

  // Trainers

  /** Each has its part of the rows, and so has all of the ranks that there are. */
  private List<WeightsTrainer> trainers(int count, boolean isElsewhere, ChecksumScope scope) {
    Sharding parts = Sharding.replicated(Mesh.of("train", Mesh.axis("tp", count))).split(0, "tp");
    List<SourceRank> sources =
        IntStream.range(0, count)
            .mapToObj(i ->
                new SourceRank(
                    Rank.of("trainer-" + i, RegionSpec.registered(BYTES / count)),
                    List.of(new SourceShare(W, "dense", parts.of(W, i).pieces(0, 0)))))
            .toList();
    RoutingTable table =
        Planner.create()
            .plan(
                sources,
                IntStream.range(0, ranks.size()).mapToObj(ComparedByItselfTest::target).toList());
    assertThat(table.arrivals()).containsOnly(count); // one write of each to each
    List<WeightsTrainer> trainers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TransferEngine engine = engine();
      MemorySegment weights = arena.allocate(BYTES / count, 64).fill((byte) 42);
      List<SourceMemory> memory = List.of(SourceMemory.of(await(engine.register(weights))));
      TrainerRank trainer =
          await(TrainerRank.open(engine, table, i, memory, RunOptions.defaults()));
      if (isElsewhere) {
        TrainerService.open(engine, trainer, table);
        trainers.add(remote.trainer(steering.peer(engine.address()), scope));
      } else {
        trainers.add(TrainerService.local(engine, trainer, table, scope));
      }
    }
    return trainers;
  }

  /** The last trainer: writes, and then changes what has come to the rank that was made last. */
  private WeightsTrainer damaging(WeightsTrainer last) {
    return new WeightsTrainer() {
      @Override
      public Publisher<?> write(WriteOrder order) {
        return Flux.from(last.write(order))
            .doOnComplete(() -> {
              MemorySegment second = buffers.getLast();
              byte was = second.get(ValueLayout.JAVA_BYTE, BYTES - 1);
              second.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) (was ^ 1));
              written.tryEmitEmpty();
            });
      }

      @Override
      public boolean saysChecksums() {
        return last.saysChecksums();
      }
    };
  }

  /** The same, which does not say that it says sums. */
  private static WeightsTrainer function(WeightsTrainer of) {
    return order -> of.write(order);
  }

  private UpdateResult update(List<WeightsTrainer> trainers, int... to) {
    List<RankMember> members =
        Arrays.stream(to)
            .mapToObj(i -> new RankMember("rank-" + i, steering.peer(rankEngines.get(i).address())))
            .toList();
    Map<String, Long> counts = new HashMap<>();
    members.forEach(member -> counts.put(member.name(), (long) trainers.size()));
    WeightsUpdate update = new WeightsUpdate(7, UpdateMode.TWO_BUFFERS_OUTLIVE, counts, PATIENCE);
    return await(controller.update(update, members, trainers));
  }

  private static void requireFound(UpdateResult result, String trainer, String rank) {
    assertThat(result.decision()).as(result.toString()).isEqualTo(Decision.ABORTED);
    assertThat(result.reason())
        .contains("tensor w, from trainer " + trainer + " to rank " + rank + ": expected CRC-32C");
  }

  /** Nobody has looked: a rank serves what was changed. */
  private void requireServesDamage(UpdateResult result) {
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    try (VersionLease lease = ranks.getLast().lease()) {
      MemorySegment served = ((HostMemory) lease.regions().getFirst()).segment();
      assertThat(served.get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) (42 ^ 1));
    }
  }

  // What is true

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneByteThatWasChangedEndsTheSmallestUpdate(boolean isElsewhere) {
    rank(UnaryOperator.identity());
    rank(UnaryOperator.identity());
    List<WeightsTrainer> trainers = trainers(1, isElsewhere, ChecksumScope.sampled());
    UpdateResult wrong = update(List.of(damaging(trainers.getFirst())), 0, 1);
    requireFound(wrong, "trainer-0", "rank-1");
    assertThat(ranks).allMatch(rank -> rank.status().state() == RankState.EMPTY);
    UpdateResult right = update(trainers, 0, 1);
    assertThat(right.isFlipped()).as(right.toString()).isTrue();
  }

  @Test
  void aRankThatComesLateComparesWhatATrainerWrites() {
    rank(UnaryOperator.identity());
    rank(UnaryOperator.identity());
    WeightsTrainer trainer = trainers(1, true, ChecksumScope.sampled()).getFirst();
    written.tryEmitEmpty();
    assertThat(update(List.of(trainer), 0).isFlipped()).isTrue();
    written = Sinks.empty();
    requireFound(update(List.of(damaging(trainer)), 1), "trainer-0", "rank-1");
    assertThat(ranks.getFirst().status().state()).isEqualTo(RankState.SERVING);
  }

  @Test
  void aRankThatComesLateComparesWhatAnotherRankWrites() {
    WeightsRank peer = rank(builder -> builder.version(7));
    WeightsRank late = rank(UnaryOperator.identity());
    RoutingTable table = FillTable.of(target(0), List.of(target(1)));
    TrainerService.open(peer, table, RunOptions.defaults());
    WeightsTrainer filling = remote.trainer(steering.peer(rankEngines.getFirst().address()));
    requireFound(update(List.of(damaging(filling)), 1), "rank-0", "rank-1");
    assertThat(update(List.of(filling), 1).isFlipped()).isTrue();
    assertThat(late.status().version()).isEqualTo(7);
  }

  /** Who is not compared with. */
  enum Unsaid {
    /** Functions, although they have trainers write that say sums. */
    FUNCTIONS,
    /** One of two is a function. */
    MIXED,
    /** Trainers that were told to say none. */
    NO_SCOPE,
    /** It does not answer as it must. */
    THROWING
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsComparedNorWaitedForWhereNotAllSaySums(Unsaid unsaid) {
    rank(UnaryOperator.identity());
    ChecksumScope scope =
        unsaid == Unsaid.NO_SCOPE ? ChecksumScope.none() : ChecksumScope.sampled();
    List<WeightsTrainer> said = trainers(2, unsaid == Unsaid.NO_SCOPE, scope);
    WeightsTrainer last = damaging(said.getLast());
    WeightsTrainer throwing =
        new WeightsTrainer() {
          @Override
          public Publisher<?> write(WriteOrder order) {
            return last.write(order);
          }

          @Override
          public boolean saysChecksums() {
            throw new IllegalStateException("it does not know");
          }
        };
    requireServesDamage(
        update(
            switch (unsaid) {
              case FUNCTIONS -> List.of(function(said.getFirst()), function(last));
              case MIXED -> List.of(said.getFirst(), function(last));
              case NO_SCOPE -> List.of(said.getFirst(), last);
              case THROWING -> List.of(said.getFirst(), throwing);
            },
            0));
  }

  @Test
  void aRankThatWasToldSoComparesNothing() {
    rank(builder -> builder.verify(filled -> Mono.error(new AssertionError())).unverified());
    WeightsTrainer trainer = trainers(1, true, ChecksumScope.all()).getFirst();
    requireServesDamage(update(List.of(damaging(trainer)), 0));
  }

  @Test
  void aNameTakesNoSumsAway() {
    rank(UnaryOperator.identity());
    WeightsTrainer says = trainers(1, false, ChecksumScope.sampled()).getFirst();
    assertThat(WeightsTrainer.named("it", says).saysChecksums()).isTrue();
    assertThat(WeightsTrainer.named("it", function(says)).saysChecksums()).isFalse();
  }

  @Test
  void checksumsThatWereNotGivenToARankAreInItsWayUntilTheyAreClosed() {
    TransferEngine engine = engine();
    WeightsRankBuilder builder =
        WeightsRank.on(engine, "rank-0").buffer(WeightsBuffer.of(arena.allocate(BYTES, 64)));
    Checksums others = Checksums.open(engine);
    assertThatThrownBy(() -> await(builder.open()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "rank rank-0 cannot compare checksums: expected an open engine with no other Checksums")
        .hasMessageEndingWith(
            "give Checksums that are open there to WeightsRankBuilder.verify, or say unverified()");
    assertThat(engine.stats().registeredBytes()).isZero();
    others.close();
    await(await(builder.open()).close());
    Checksums again = Checksums.open(engine); // the rank has closed its own
    await(await(builder.verify(again).open()).close());
    await(await(builder.unverified().open()).close());
  }
}
