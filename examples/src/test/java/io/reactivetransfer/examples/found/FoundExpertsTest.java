package io.reactivetransfer.examples.found;

import static io.reactivetransfer.examples.found.FoundEngines.PATIENCE;
import static io.reactivetransfer.examples.found.FoundEngines.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.FloatType;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A group of experts whose ranks only a membership has made known to each other. */
@Timeout(240)
class FoundExpertsTest {

  private static final String ROLE = "experts";
  private static final int RANKS = 3;

  /** Each rank has one expert, of its own number, and each token goes to two of them. */
  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(RANKS, RANKS), 2, 1, Float.BYTES, 1)
          .resultType(FloatType.FP32)
          .sumType(FloatType.FP32)
          .build();

  private final FoundEngines engines = new FoundEngines();
  private final Arena arena = Arena.ofShared();

  /** Enters, then waits for all others and joins with them. */
  private Mono<MoeGroup> join(int rank) {
    TransferEngine engine = engines.open();
    MemorySegment memory = arena.allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    MoeNode node = MoeNode.open(engine);
    MoeOptions options = MoeOptions.builder().joinDeadline(PATIENCE).deadline(PATIENCE).build();
    engines.membership.enter(engine, ROLE, rank);
    return engines
        .ranks(engine, ROLE, RANKS)
        .flatMap(all -> node.join("layers/1", SHAPE, all, memory, options));
  }

  /** A token of one number, for the expert of this rank and for that of the next one. */
  private static Mono<Float> step(MoeGroup group) {
    int next = (group.rank() + 1) % RANKS;
    MemorySegment token = MemorySegment.ofArray(new float[] {group.rank() + 1});
    MemorySegment sum = MemorySegment.ofArray(new float[1]);
    return group
        .lane(0)
        .begin(1, new int[] {group.rank(), next}, new float[] {1, 1})
        .run(token, batch -> Mono.fromRunnable(() -> compute(batch)), sum)
        .then(Mono.fromSupplier(() -> sum.getAtIndex(ValueLayout.JAVA_FLOAT, 0)));
  }

  /** An expert multiplies with ten to the power of its number. */
  private static void compute(ExpertBatch batch) {
    for (int i = 0; i < batch.experts(); i++) {
      for (int row = batch.firstRow(i); row < batch.firstRow(i) + batch.count(i); row++) {
        float token = batch.tokens().get(ValueLayout.JAVA_FLOAT, row * batch.tokenStride());
        float result = (float) (token * Math.pow(10, batch.expert(i)));
        batch.results().set(ValueLayout.JAVA_FLOAT, row * batch.resultStride(), result);
      }
    }
  }

  @Test
  void theGroupBeginsWhenItsLastRankHasEntered() throws Exception {
    try (arena;
        engines) {
      CompletableFuture<MoeGroup> two = join(2).toFuture();
      CompletableFuture<MoeGroup> zero = join(0).toFuture();
      engines.awaitAlive(engines.open(), ROLE, 2);
      assertThat(two).isNotDone();
      assertThat(zero).isNotDone();
      CompletableFuture<MoeGroup> one = join(1).toFuture();
      List<MoeGroup> groups =
          List.of(
              zero.get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
              one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
              two.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
      assertThat(groups).extracting(MoeGroup::rank).containsExactly(0, 1, 2);
      Flux<Float> sums = Flux.fromIterable(groups).flatMapSequential(FoundExpertsTest::step);
      assertThat(await(sums.collectList())).containsExactly(11f, 220f, 303f);
    }
  }
}
