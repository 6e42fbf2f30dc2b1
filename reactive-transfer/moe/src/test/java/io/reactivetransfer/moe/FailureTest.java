package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What ends a group ends every wait of every rank with the name of the rank that is the reason. */
class FailureTest {

  private static final long SEED = Seeds.first(20_261_128);

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(3, 6), 2, 8, 24, 4).privateTokens(2).lanes(2).build();

  Cluster open(int ranks) {
    return Cluster.loopback(ranks);
  }

  static MoeOptions.Builder options() {
    return MoeOptions.builder()
        .deadline(Cluster.PATIENCE.multipliedBy(2)) // none of these may have to wait for it
        .closeTimeout(Cluster.PATIENCE.multipliedBy(2));
  }

  private static Rig.Tokens tokens() {
    return new Rig.Tokens(new RandomSteps(SEED), SHAPE);
  }

  private static Mono<String> outcome(Mono<Void> step) {
    return step.thenReturn("done")
        .onErrorResume(
            GroupFailedException.class, e -> Mono.just(e.rank().orElse(-1) + " " + e.getMessage()));
  }

  /** Begins it on the ranks 0 and 1, and caches how it ends. */
  private static List<Mono<String>> begin(IntFunction<Mono<Void>> step) {
    List<Mono<String>> outcomes = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      Mono<String> outcome = outcome(step.apply(rank)).cache();
      outcome.subscribe();
      outcomes.add(outcome);
    }
    return outcomes;
  }

  private static List<String> await(List<Mono<String>> outcomes) {
    return Cluster.await(Flux.mergeSequential(outcomes).collectList());
  }

  @Test
  void aRankWhoseEngineClosesEndsTheStepOfAllOthersWithItsName() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
      List<Mono<String>> waiting = begin(rank -> rig.step(rank, 0, tokens));
      cluster.engines.get(2).close().block(Cluster.PATIENCE);
      assertThat(await(waiting))
          .allMatch(outcome -> outcome.startsWith("2 group experts is over: rank 2"));
      Awaitility.await()
          .atMost(Cluster.PATIENCE)
          .untilAsserted(() -> assertThat(rig.groups).allMatch(MoeGroup::isOver));
    }
  }

  @Test
  void aRankThatLeavesEndsTheNextStepOfAllOthersButNoneThatItHasDone() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      rig.steps(1, List.of(tokens, tokens)).block(Cluster.PATIENCE);
      List<Mono<String>> late = begin(rank -> rig.step(rank, 1, tokens));
      Disposable closing = rig.groups.get(2).close().subscribe();
      assertThat(await(late))
          .allMatch(outcome -> outcome.startsWith("2 "))
          .allMatch(outcome -> outcome.contains("has left after 2 steps on lane 1, before step 3"));
      closing.dispose();
    }
  }

  @Test
  void whoBeginsAStepAfterOneHasLeftIsToldAtOnce() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      rig.groups.get(2).close().subscribe();
      List<Mono<String>> begun = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        int of = rank;
        begun.add(outcome(Mono.defer(() -> rig.step(of, 0, tokens()))));
      }
      assertThat(await(begun)).allMatch(outcome -> outcome.startsWith("2 "));
    }
  }

  @Test
  void aStepThatIsCancelledEndsOnAllRanks() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      Disposable cancelled = rig.step(2, 0, tokens, batch -> {}).subscribe();
      cancelled.dispose();
      assertThat(await(begin(rank -> rig.step(rank, 0, tokens))))
          .allMatch(outcome -> outcome.startsWith("2 "))
          .allMatch(outcome -> outcome.contains("has cancelled a step on lane 0"));
      assertThat(rig.groups.get(2).isOver()).isTrue();
    }
  }

  @Test
  void expertsThatFailEndTheStepOnAllRanks() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      List<Mono<String>> waiting = begin(rank -> rig.step(rank, 0, tokens));
      Mono<Void> failing =
          rig.step(
              2,
              0,
              tokens,
              batch -> {
                throw new IllegalStateException("no such kernel");
              });
      Mono<String> own = failing.thenReturn("done").onErrorResume(e -> Mono.just(e.toString()));
      assertThat(Cluster.await(own)).isEqualTo("java.lang.IllegalStateException: no such kernel");
      assertThat(await(waiting))
          .allMatch(outcome -> outcome.startsWith("2 "))
          .allMatch(outcome -> outcome.contains("no such kernel"));
    }
  }

  @Test
  void expertsThatFailWhileTokensAreBeingSentFailTheStepWithTheirOwnFailure() {
    try (Cluster cluster = Cluster.loopback(3, FailureTest::neverTellingThatAWriteIsDone);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      List<Mono<String>> waiting = begin(rank -> rig.step(rank, 0, tokens));
      Mono<Void> failing =
          rig.begin(2, 0, tokens)
              .run(
                  tokens.payload[2],
                  batch ->
                      Mono.error(new IllegalStateException("no such kernel"))
                          .subscribeOn(Schedulers.boundedElastic()),
                  rig.sums(2, tokens));
      Mono<String> own = failing.thenReturn("done").onErrorResume(e -> Mono.just(e.toString()));
      assertThat(Cluster.await(own)).isEqualTo("java.lang.IllegalStateException: no such kernel");
      assertThat(await(waiting))
          .allMatch(outcome -> outcome.startsWith("2 "))
          .allMatch(outcome -> outcome.contains("no such kernel"));
    }
  }

  /** So a step's own send is under way until the group ends, which it does on the spot. */
  private static TransferEngine neverTellingThatAWriteIsDone(TransferEngine engine) {
    OddRegions regions = new OddRegions();
    return Proxied.of(
        TransferEngine.class,
        engine,
        (method, arguments) ->
            switch (method) {
              case "submit" ->
                  regions
                      .submit(engine, (Publisher<?>) arguments[0], (Duration) arguments[1])
                      .filter(write -> false);
              case "register" ->
                  engine
                      .register((MemorySegment) arguments[0])
                      .map(region -> regions.odd(region, FailureTest::quiescedAtOnce));
              default -> null;
            });
  }

  private static Object quiescedAtOnce(String method, Object[] arguments) {
    return method.equals("quiesced") ? Mono.empty() : null;
  }

  @Test
  void tokensWhoseMemoryWasFreedEndTheStepOnAllRanks() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      List<Mono<String>> waiting = begin(rank -> rig.step(rank, 0, tokens));
      Arena arena = Arena.ofShared();
      MemorySegment freed = arena.allocate(24);
      Mono<Void> sent =
          rig.groups.get(2).lane(0).begin(1, new int[] {0, 5}, new float[2]).dispatchSend(freed);
      arena.close();
      assertThat(Cluster.await(outcome(sent))).startsWith("2 ").contains("freed before");
      assertThat(await(waiting)).allMatch(outcome -> outcome.startsWith("2 "));
    }
  }

  @Test
  void allLanesEndAndNothingBeginsAnyMore() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      List<Mono<String>> first = begin(rank -> rig.step(rank, 0, tokens));
      List<Mono<String>> second = begin(rank -> rig.step(rank, 1, tokens));
      MoeStep step = rig.begin(2, 0, tokens);
      step.dispatchSend(tokens.payload[2]).onErrorComplete().subscribe();
      step.giveUp("has better things to do");
      assertThat(await(first)).allMatch(outcome -> outcome.contains("has better things to do"));
      assertThat(await(second)).allMatch(outcome -> outcome.contains("has better things to do"));
      for (int rank = 0; rank < 3; rank++) {
        int of = rank;
        assertThat(Cluster.await(outcome(Mono.defer(() -> rig.step(of, 0, tokens)))))
            .startsWith("2 ");
      }
    }
  }

  /** The others have begun the same step, and wait for the routes of this rank. */
  @Test
  void aStepIsGivenUpBeforeItIsSent() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      List<Mono<String>> waiting = begin(rank -> rig.step(rank, 0, tokens));
      MoeStep step = rig.begin(2, 0, tokens);
      step.giveUp("has no accelerator");
      assertThat(await(waiting))
          .allMatch(outcome -> outcome.startsWith("2 ") && outcome.contains("has no accelerator"));
      assertThat(Cluster.await(outcome(step.dispatchSend(tokens.payload[2]))))
          .startsWith("2 ")
          .contains("has no accelerator");
    }
  }

  @Test
  void aStepThatAnotherOneHasReplacedIsNotThereToBeGivenUp() {
    try (Cluster cluster = open(3);
        Rig rig = new Rig(cluster, SHAPE, options().build())) {
      Rig.Tokens tokens = tokens();
      MoeStep replaced = rig.begin(2, 0, tokens);
      List<Mono<String>> all = begin(rank -> rig.step(rank, 0, tokens));
      MoeStep step = rig.begin(2, 0, tokens);
      replaced.giveUp("nobody needs it any more");
      Mono<Void> last =
          step.run(
              tokens.payload[2],
              batch -> Mono.fromRunnable(() -> Model.compute(SHAPE, batch)),
              rig.sums(2, tokens));
      assertThat(Cluster.await(outcome(last))).isEqualTo("done");
      assertThat(await(all)).containsOnly("done");
    }
  }

  @Test
  void anotherGroupOfThoseThatAreLeftTakesTheSameMemoryOnceTheFirstHasClosed() {
    try (Cluster cluster = open(3);
        Arena arena = Arena.ofShared()) {
      List<MemorySegment> memory = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        memory.add(arena.allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT));
      }
      List<MoeGroup> groups =
          Cluster.await(
              Flux.range(0, 3)
                  .flatMapSequential(
                      rank ->
                          Rig.join(
                              cluster, "first", SHAPE, rank, memory.get(rank), options().build()),
                      3)
                  .collectList());
      cluster.engines.get(2).close().block(Cluster.PATIENCE);
      for (int rank = 0; rank < 2; rank++) {
        groups.get(rank).close().block(Cluster.PATIENCE);
      }
      MoeShape smaller = MoeShape.builder(ExpertPlacement.even(2, 6), 2, 8, 24, 4).build();
      Cluster left = cluster.first(2);
      List<MoeGroup> second =
          Cluster.await(
              Flux.range(0, 2)
                  .flatMapSequential(
                      rank ->
                          Rig.join(
                              left, "second", smaller, rank, memory.get(rank), options().build()),
                      2)
                  .collectList());
      assertThat(second).noneMatch(MoeGroup::isOver);
      Flux.fromIterable(second).flatMap(MoeGroup::close).blockLast(Cluster.PATIENCE);
    }
  }
}
