package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A rank that closes its group while others still end the last step. */
class ClosingTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).build();

  @Test
  void aStepThatIsBegunThenIsRefusedAndChangesNothing() {
    MoeOptions options = MoeOptions.builder().scheduler(Schedulers.immediate()).build();
    Rig.Tokens tokens = StepsTest.tokens(new RandomSteps(3), SHAPE, 1).getFirst();
    try (Cluster cluster = Cluster.onNicThreads(2);
        Rig rig = new Rig(cluster, SHAPE, options)) {
      MoeStep zero = rig.begin(0, 0, tokens);
      MoeStep one = rig.begin(1, 0, tokens);
      Mono.when(
              zero.dispatchSend(tokens.payload[0]),
              one.dispatchSend(tokens.payload[1]),
              zero.dispatchReceive().doOnNext(batch -> Model.compute(SHAPE, batch)),
              one.dispatchReceive().doOnNext(batch -> Model.compute(SHAPE, batch)))
          .block(Cluster.PATIENCE);
      Mono.when(zero.combineSend(), one.combineSend(), zero.combineReceive(rig.sums(0, tokens)))
          .block(Cluster.PATIENCE);

      MoeGroup group = rig.groups.getFirst();
      CompletableFuture<Void> closed = group.close().toFuture();
      assertThat(group.isOver()).isTrue();
      MoeStep late = rig.begin(0, 0, tokens);
      CompletableFuture<Void> refused = new CompletableFuture<>();
      cluster
          .engines
          .getFirst()
          .executor()
          .execute(() ->
              late.run(tokens.payload[0], batch -> Mono.empty(), rig.sums(0, tokens))
                  .subscribe(
                      nothing -> {}, refused::completeExceptionally, () -> refused.complete(null)));
      assertThatThrownBy(() -> Mono.fromFuture(refused).block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a group that nobody closes");

      MemorySegment sums = rig.sums(1, tokens);
      one.combineReceive(sums).block(Cluster.PATIENCE);
      rig.requireExact(1, tokens, sums);
      rig.groups.get(1).close().block(Cluster.PATIENCE);
      Mono.fromFuture(closed).block(Cluster.PATIENCE);
    }
  }
}
