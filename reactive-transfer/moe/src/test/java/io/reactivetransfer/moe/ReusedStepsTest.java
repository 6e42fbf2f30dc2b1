package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Steps of a lane that are one object. */
class ReusedStepsTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4).build();
  private static final MoeOptions REUSING = MoeOptions.builder().reuseSteps(true).build();

  private final List<Rig.Tokens> tokens = StepsTest.tokens(new RandomSteps(3), SHAPE, 6);

  @Test
  void stepsThatAreOneObjectAreExact() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, REUSING)) {
      Flux.fromIterable(tokens)
          .concatMap(one -> rig.step(0, 0, one))
          .then()
          .block(Cluster.PATIENCE);
      MoeStep one = rig.begin(0, 0, tokens.getFirst());
      assertThat(rig.begin(0, 0, tokens.getFirst())).isSameAs(one);
    }
  }

  /**
   * Though the step keeps one of each, or who subscribes to both would meet himself. The other one
   * may have an end that is still to come when the step is over, so the next step is another
   * object.
   */
  @Test
  void aHalfThatIsAskedForTwiceIsTwoPublishers() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, REUSING)) {
      Rig.Tokens first = tokens.getFirst();
      MoeStep step = rig.begin(0, 0, first);
      Mono<Void> sent = step.dispatchSend(first.payload[0]);
      assertThat(step.dispatchSend(first.payload[0])).isNotSameAs(sent);
      MemorySegment sums = rig.sums(0, first);
      Mono.when(
              sent,
              step.dispatchReceive()
                  .flatMap(batch -> {
                    Model.compute(SHAPE, batch);
                    return Mono.when(step.combineSend(), step.combineReceive(sums));
                  }))
          .block(Cluster.PATIENCE);
      rig.requireExact(0, first, sums);
      assertThat(rig.begin(0, 0, first)).isNotSameAs(step);
    }
  }

  /** As operators do that clear away behind themselves. */
  @Test
  void whoCancelsWhenHeWasToldDoesNotCancelTheNextStep() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, REUSING)) {
      AtomicReference<Subscription> last = new AtomicReference<>();
      for (Rig.Tokens one : tokens) {
        MoeStep step = rig.begin(0, 0, one);
        if (last.get() != null) {
          last.get().cancel();
        }
        MemorySegment sums = rig.sums(0, one);
        Mono.when(
                step.dispatchSend(one.payload[0]).doOnSubscribe(last::set),
                step.dispatchReceive()
                    .flatMap(batch -> {
                      Model.compute(SHAPE, batch);
                      return Mono.when(step.combineSend(), step.combineReceive(sums));
                    }))
            .block(Cluster.PATIENCE);
        rig.requireExact(0, one, sums);
      }
    }
  }
}
