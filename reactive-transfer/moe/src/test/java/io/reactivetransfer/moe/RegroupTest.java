package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Those that are left, and those that come, go on as a group of a later epoch. */
class RegroupTest {

  private static final long SEED = Seeds.first(20_261_132);
  private static final int ENGINES = 5;

  private static final MoeOptions OPTIONS =
      FailureTest.options().joinDeadline(Cluster.PATIENCE.multipliedBy(5)).build();

  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> memory = new ArrayList<>();
  private Cluster cluster;

  Cluster open(int ranks) {
    return Cluster.loopback(ranks);
  }

  @BeforeEach
  void open() {
    cluster = open(ENGINES);
    long bytes = 0;
    for (int ranks = 1; ranks <= ENGINES; ranks++) {
      bytes = Math.max(bytes, shape(ranks).memory(0).bytes());
    }
    for (int engine = 0; engine < ENGINES; engine++) {
      memory.add(arena.allocate(bytes, MoeMemory.ALIGNMENT).fill((byte) 0x7e));
    }
  }

  @AfterEach
  void close() {
    // All at once, since each waits for the others.
    Flux.fromIterable(cluster.nodes).flatMap(MoeNode::close).blockLast(Cluster.PATIENCE);
    cluster.close();
    arena.close();
  }

  private static MoeShape shape(int ranks) {
    return MoeShape.builder(ExpertPlacement.even(ranks, 60), 2, 8, 24, 4)
        .privateTokens(2)
        .lanes(2)
        .build();
  }

  private List<PeerAddress> addresses(int... engines) {
    List<PeerAddress> addresses = new ArrayList<>();
    for (int engine : engines) {
      addresses.add(cluster.engines.get(engine).address());
    }
    return addresses;
  }

  private Mono<MoeGroup> join(long epoch, int engine, int... engines) {
    return join(epoch, OPTIONS, engine, engines);
  }

  private Mono<MoeGroup> join(long epoch, MoeOptions options, int engine, int... engines) {
    return cluster
        .nodes
        .get(engine)
        .join(
            "group", epoch, shape(engines.length), addresses(engines), memory.get(engine), options);
  }

  private Mono<MoeGroup> regroup(MoeGroup group, long epoch, int engine, int... engines) {
    return group.regroup(epoch, shape(engines.length), addresses(engines), memory.get(engine));
  }

  private static Rig rig(List<Mono<MoeGroup>> joining) {
    List<MoeGroup> groups = Cluster.await(Flux.mergeSequential(joining).collectList());
    return new Rig(groups.get(0).shape(), groups);
  }

  private Rig first(int... engines) {
    List<Mono<MoeGroup>> joining = new ArrayList<>();
    for (int engine : engines) {
      joining.add(join(0, engine, engines));
    }
    return rig(joining);
  }

  private static void doSteps(Rig rig) {
    RandomSteps random = new RandomSteps(SEED);
    Mono.when(
            rig.steps(0, StepsTest.tokens(random, rig.shape, 10)),
            rig.steps(1, StepsTest.tokens(random, rig.shape, 10)))
        .block(Cluster.PATIENCE);
  }

  private static Mono<String> outcome(Mono<?> publisher) {
    return publisher
        .thenReturn("done")
        .onErrorResume(
            GroupFailedException.class, e -> Mono.just(e.rank().orElse(-1) + " " + e.getMessage()));
  }

  private static List<Mono<String>> begin(Rig rig, int... ranks) {
    Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(SEED), rig.shape);
    List<Mono<String>> outcomes = new ArrayList<>();
    for (int rank : ranks) {
      Mono<String> outcome = outcome(rig.step(rank, 0, tokens)).cache();
      outcome.subscribe();
      outcomes.add(outcome);
    }
    return outcomes;
  }

  private static List<String> await(List<Mono<String>> outcomes) {
    return Cluster.await(Flux.mergeSequential(outcomes).collectList());
  }

  @Test
  void threeOfFourGoOnWithoutTheOneThatDiedAndThenWithAnother() {
    Rig four = first(0, 1, 2, 3);
    doSteps(four);
    List<Mono<String>> broken = begin(four, 0, 1, 2);
    cluster.engines.get(3).close().block(Cluster.PATIENCE);
    assertThat(await(broken)).allMatch(outcome -> outcome.startsWith("3 group group is over: "));

    // In any order, in the same memory.
    Rig three =
        rig(
            List.of(
                regroup(four.groups.get(2), 1, 2, 2, 0, 1),
                regroup(four.groups.get(0), 1, 0, 2, 0, 1),
                regroup(four.groups.get(1), 1, 1, 2, 0, 1)));
    assertThat(three.groups).extracting(MoeGroup::epoch).containsOnly(1L);
    assertThat(three.groups).extracting(MoeGroup::rank).containsExactly(0, 1, 2);
    assertThat(four.groups.subList(0, 3)).allMatch(MoeGroup::isOver);
    doSteps(three);

    Rig fourAgain =
        rig(
            List.of(
                regroup(three.groups.get(1), 2, 0, 0, 4, 1, 2),
                join(2, 4, 0, 4, 1, 2),
                regroup(three.groups.get(2), 2, 1, 0, 4, 1, 2),
                regroup(three.groups.get(0), 2, 2, 0, 4, 1, 2)));
    doSteps(fourAgain);
    List<Mono<String>> old = begin(three, 0, 1, 2);
    assertThat(await(old)).allMatch(outcome -> outcome.contains("group group in epoch 1 is over"));
    fourAgain.close();
    for (int engine : new int[] {0, 1, 2, 4}) {
      Awaitility.await()
          .atMost(Cluster.PATIENCE)
          .untilAsserted(() -> {
            assertThat(cluster.engines.get(engine).stats().openRegions()).isZero();
            assertThat(cluster.engines.get(engine).stats().openLeases()).isZero();
          });
    }
  }

  @Test
  void aStepThatIsUnderWayWhereARankRegroupsEndsOnAllWithItsName() {
    Rig rig = first(0, 1, 2);
    List<Mono<String>> broken = begin(rig, 0, 1);
    List<Mono<MoeGroup>> next = new ArrayList<>();
    for (int engine = 0; engine < 3; engine++) {
      next.add(regroup(rig.groups.get(engine), 1, engine, 0, 1, 2).cache());
    }
    next.get(1).subscribe();
    assertThat(await(broken))
        .allMatch(outcome -> outcome.startsWith("1 group group is over: rank 1 "))
        .allMatch(outcome -> outcome.contains("closes before all halves of a step"));
    doSteps(rig(next));
  }

  @Test
  void whoHasCancelledAStepIsInTheNextGroupLikeAllOthers() {
    Rig rig = first(0, 1, 2);
    // Before the others: with them, the step might be over when it is cancelled.
    rig.step(2, 0, new Rig.Tokens(new RandomSteps(SEED), rig.shape)).subscribe().dispose();
    List<Mono<String>> broken = begin(rig, 0, 1);
    assertThat(await(broken)).allMatch(outcome -> outcome.startsWith("2 "));
    doSteps(
        rig(
            List.of(
                regroup(rig.groups.get(0), 7, 0, 0, 1, 2),
                regroup(rig.groups.get(1), 7, 1, 0, 1, 2),
                regroup(rig.groups.get(2), 7, 2, 0, 1, 2))));
  }

  @Test
  void whoDiesWhileOthersRegroupIsNamedAndThoseLeftTryAgain() {
    Rig rig = first(0, 1, 2);
    List<Mono<String>> broken =
        List.of(
            outcome(regroup(rig.groups.get(0), 1, 0, 0, 1, 2)).cache(),
            outcome(regroup(rig.groups.get(1), 1, 1, 0, 1, 2)).cache());
    Mono.when(broken).subscribe();
    cluster.engines.get(2).close().block(Cluster.PATIENCE);
    assertThat(await(broken))
        .allMatch(outcome -> outcome.startsWith("2 group group in epoch 1 is over: rank 2 "));
    doSteps(rig(List.of(join(2, 0, 0, 1), join(2, 1, 0, 1))));
  }

  @Test
  void whoIsInAnEarlierEpochIsToldSoAndTheOthersWaitForIt() {
    Mono<MoeGroup> ahead = join(5, 0, 0, 1).cache();
    ahead.subscribe();
    assertThat(Cluster.await(outcome(join(4, 1, 0, 1))))
        // Who hears the other first says so; rank 1 of epoch 4 is refused in either case.
        .containsPattern("expected epoch (5 of group group, got 4|4 of group group, got 5)");
    doSteps(rig(List.of(ahead, join(5, 1, 0, 1))));
  }

  @Test
  void whoStaysBehindIsNamedWithItsEpoch() {
    MoeOptions options = MoeOptions.builder().joinDeadline(Duration.ofSeconds(8)).build();
    Mono<String> ahead = outcome(join(5, options, 0, 0, 1)).cache();
    ahead.subscribe();
    Awaitility.await()
        .atMost(Cluster.PATIENCE)
        .until(() -> cluster.engines.get(0).stats().openLeases() == 1);
    assertThat(Cluster.await(outcome(join(4, 1, 0, 1)))).contains("in epoch 4 is over");
    // It may have heard that this is over before it could say so itself.
    say(
        1,
        0,
        new MoeMessage.Join(new GroupEpoch("group", 4), 1, false, 0, "", "", 0, descriptorOfAny()));
    assertThat(Cluster.await(ahead))
        .startsWith("1 group group in epoch 5 is over: rank 1 ")
        .contains("has not joined within PT8S; missing are: rank 1 ")
        .endsWith(", which joins epoch 4");
  }

  @Test
  void whoListsOtherRanksIsRefusedWithBothLists() {
    List<Mono<String>> joining =
        List.of(outcome(join(1, 0, 0, 1, 2)).cache(), outcome(join(1, 1, 0, 1, 3)).cache());
    Mono.when(joining).subscribe();
    assertThat(await(joining))
        .allMatch(outcome -> outcome.contains("lists other ranks: "))
        .allMatch(outcome -> outcome.contains("; here they are "))
        .allMatch(outcome -> outcome.contains(addresses(2).get(0).toString()))
        .allMatch(outcome -> outcome.contains(addresses(3).get(0).toString()));
  }

  @Test
  void whoIsNotListedIsRefusedAndTheOthersGoOn() {
    Mono<MoeGroup> one = join(1, 0, 0, 1).cache();
    one.subscribe();
    String outcome = Cluster.await(outcome(join(1, 2, 0, 1, 2)));
    assertThat(outcome)
        .startsWith("2 group group in epoch 1 is over: rank 2 ")
        .contains("is none of the ranks of group group in epoch 1, which are ")
        .contains("(says rank 0 ");
    doSteps(rig(List.of(one, join(1, 1, 0, 1))));
  }

  @Test
  void epochsOfANameRise() {
    Rig rig = first(0, 1);
    MoeGroup group = rig.groups.get(0);
    assertThatThrownBy(() -> regroup(group, 0, 0, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected an epoch above 0, which is that of this group, got 0");
    assertThatThrownBy(() -> join(-1, 0, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected an epoch of 0 or more, got -1");
    Rig later = rig(List.of(regroup(group, 9, 0, 0, 1), regroup(rig.groups.get(1), 9, 1, 0, 1)));
    assertThatThrownBy(() -> join(8, 0, 0, 1).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected an epoch above 9 of group group, which this engine is in, got 8");
    doSteps(later);
  }

  @Test
  void whoJoinsALaterEpochHasLeftTheEarlierOne() {
    Rig rig = first(0, 1, 2);
    List<Mono<String>> broken = begin(rig, 0, 1);
    MoeMessage.Join join =
        new MoeMessage.Join(new GroupEpoch("group", 3), 2, true, 0, "", "", 0, descriptorOfAny());
    say(2, 0, join);
    say(2, 1, join);
    assertThat(await(broken))
        .allMatch(outcome -> outcome.startsWith("2 group group is over: rank 2 "))
        .allMatch(outcome -> outcome.contains("expected epoch 0 of group group, got 3"));
  }

  @Test
  void whoJoinsWhatOthersHaveGivenUpAlreadyIsToldWhoWasTheReason() {
    MoeOptions options = MoeOptions.builder().joinDeadline(Duration.ofMillis(200)).build();
    // Rank 2 does not come.
    assertThat(Cluster.await(outcome(join(1, options, 0, 0, 1, 2)))).startsWith("1 ");
    assertThat(Cluster.await(outcome(join(1, 1, 0, 1, 2))))
        .startsWith("1 group group in epoch 1 is over: rank 1 ")
        .contains("has not joined within PT0.2S; missing are: rank 1 ")
        .contains("(says rank 0 ");
    assertThatThrownBy(() -> join(1, 0, 0, 1, 2).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "expected an epoch above 1, which was the last of group group on this engine, got 1");
    doSteps(rig(List.of(join(2, 0, 0, 1), join(2, 1, 0, 1))));
  }

  private void say(int from, int to, MoeMessage message) {
    cluster
        .engines
        .get(from)
        .send(
            cluster.engines.get(from).peer(addresses(to).get(0)),
            Mail.CHANNEL,
            MoeCodec.encode(message))
        .block(Cluster.PATIENCE);
  }

  @Test
  void whatIsSaidOfAnEarlierEpochIsDropped() {
    Rig old = first(0, 1);
    Rig rig =
        rig(
            List.of(
                regroup(old.groups.get(0), 1, 0, 0, 1), regroup(old.groups.get(1), 1, 1, 0, 1)));
    GroupEpoch earlier = new GroupEpoch("group", 0);
    say(1, 0, new MoeMessage.GiveUp(earlier, 1, MoeMessage.NOT_HEARD, "is over"));
    say(1, 0, new MoeMessage.Leave(earlier, List.of(0L, 0L)));
    say(1, 0, new MoeMessage.Join(earlier, 1, true, 0, "", "", 0, descriptorOfAny()));
    say(1, 0, new MoeMessage.Tell(earlier, 0, 0));
    doSteps(rig);
    assertThat(rig.groups).noneMatch(MoeGroup::isOver);
  }

  @Test
  void whatIsSaidOfAnEarlierGroupOfTheSameEpochIsDropped() {
    Mono<MoeGroup> joining = join(0, 0, 0, 1).cache();
    joining.subscribe();
    Awaitility.await()
        .atMost(Cluster.PATIENCE)
        .until(() -> cluster.engines.get(0).stats().openLeases() == 1);
    // To another immediate than any that was leased here.
    say(1, 0, new MoeMessage.GiveUp(new GroupEpoch("group", 0), 1, 0, "is over"));
    doSteps(rig(List.of(joining, join(0, 1, 0, 1))));
  }

  private RegionDescriptor descriptorOfAny() {
    MemorySegment any = arena.allocate(64, 64);
    return Cluster.await(cluster.engines.get(2).register(any)).descriptor();
  }
}
