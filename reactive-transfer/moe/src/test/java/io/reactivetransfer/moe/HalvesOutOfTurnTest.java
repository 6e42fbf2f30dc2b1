package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** Halves that are out of their turn are refused, and change nothing. */
class HalvesOutOfTurnTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4).build();

  private final Rig.Tokens first = StepsTest.tokens(new RandomSteps(3), SHAPE, 1).getFirst();

  /** What is left of a step behind its first half. */
  private static Mono<Void> received(MoeStep step, MemorySegment sums) {
    return step.dispatchReceive()
        .flatMap(batch -> {
          Model.compute(SHAPE, batch);
          return Mono.when(step.combineSend(), step.combineReceive(sums));
        });
  }

  /** Whoever drives a step twice is told so, and the step goes on. */
  @Test
  void aSecondRunOfTheSameStepChangesNothing() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, MoeOptions.defaults())) {
      MoeStep step = rig.begin(0, 0, first);
      MemorySegment sums = rig.sums(0, first);
      Mono<Void> sent = step.dispatchSend(first.payload[0]).cache();
      sent.block(Cluster.PATIENCE);
      assertThatThrownBy(() ->
              step.run(first.payload[0], _ -> Mono.empty(), rig.sums(0, first))
                  .block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class);
      received(step, sums).block(Cluster.PATIENCE);
      rig.requireExact(0, first, sums);
    }
  }

  /** It was refused, so the next one is the first: whoever cancels that is heard by all. */
  @Test
  void aHalfThatCameTooEarlyDoesNotCount() {
    MoeShape two = MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).build();
    Rig.Tokens ofTwo = StepsTest.tokens(new RandomSteps(3), two, 1).getFirst();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, two, MoeOptions.defaults())) {
      MoeStep zero = rig.begin(0, 0, ofTwo);
      MoeStep one = rig.begin(1, 0, ofTwo);
      Mono<Void> early = zero.combineReceive(rig.sums(0, ofTwo));
      assertThatThrownBy(() -> early.block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class);
      Mono.when(
              zero.dispatchSend(ofTwo.payload[0]),
              one.dispatchSend(ofTwo.payload[1]),
              zero.dispatchReceive(),
              one.dispatchReceive())
          .then(zero.combineSend())
          .block(Cluster.PATIENCE);
      zero.combineReceive(rig.sums(0, ofTwo)).subscribe().dispose();
      Awaitility.await().atMost(Cluster.PATIENCE).until(rig.groups.get(1)::isOver);
      assertThatThrownBy(() -> one.combineSend().block(Cluster.PATIENCE))
          .hasMessageContaining("has cancelled a step on lane 0");
    }
  }

  /** Its half does not begin, and so the step is none that others could end. */
  @Test
  void whoThrowsWhenItSubscribesGivesTheStepUp() {
    MoeShape two = MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).build();
    Rig.Tokens ofTwo = StepsTest.tokens(new RandomSteps(3), two, 1).getFirst();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, two, MoeOptions.defaults())) {
      Mono<Void> half = rig.begin(0, 0, ofTwo).dispatchSend(ofTwo.payload[0]);
      BaseSubscriber<Void> throwing =
          new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
              throw new NoClassDefFoundError("subscriber");
            }
          };
      assertThatThrownBy(() -> half.subscribe(throwing)).isInstanceOf(NoClassDefFoundError.class);
      Awaitility.await().atMost(Cluster.PATIENCE).until(rig.groups.get(1)::isOver);
      MoeStep next = rig.begin(0, 0, ofTwo);
      assertThatThrownBy(() -> next.dispatchSend(ofTwo.payload[0]).block(Cluster.PATIENCE))
          .isInstanceOf(GroupFailedException.class)
          .hasMessageContaining("has cancelled a step on lane 0");
    }
  }

  @Test
  void aStepThatAnotherHasReplacedChangesNothing() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, MoeOptions.defaults())) {
      MoeStep replaced = rig.begin(0, 0, first);
      MoeStep step = rig.begin(0, 0, first);
      step.dispatchSend(first.payload[0]).block(Cluster.PATIENCE);
      assertThatThrownBy(() ->
              replaced
                  .run(first.payload[0], _ -> Mono.empty(), rig.sums(0, first))
                  .block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> replaced.dispatchReceive().block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class);
      MemorySegment sums = rig.sums(0, first);
      received(step, sums).block(Cluster.PATIENCE);
      rig.requireExact(0, first, sums);
    }
  }

  /** Whoever was not given the batch has put no results. */
  @Test
  void resultsAreNotSentBeforeSomebodyWasGivenTheBatch() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, MoeOptions.defaults())) {
      MoeStep step = rig.begin(0, 0, first);
      BaseSubscriber<ExpertBatch> receiving =
          new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {}

            @Override
            protected void hookOnNext(ExpertBatch batch) {
              Model.compute(SHAPE, batch);
            }
          };
      step.dispatchSend(first.payload[0]).block(Cluster.PATIENCE);
      step.dispatchReceive().subscribe(receiving);
      MoeLane lane = rig.groups.get(0).lane(0);
      Awaitility.await().atMost(Cluster.PATIENCE).until(lane.dispatch::hasReceived);
      assertThatThrownBy(() -> step.combineSend().block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("expected combineSend once, after dispatchReceive has completed, on lane 0");
      receiving.requestUnbounded();
      MemorySegment sums = rig.sums(0, first);
      Awaitility.await().atMost(Cluster.PATIENCE).until(receiving::isDisposed);
      Mono.when(step.combineSend(), step.combineReceive(sums)).block(Cluster.PATIENCE);
      rig.requireExact(0, first, sums);
    }
  }
}
