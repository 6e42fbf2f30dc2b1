package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.TargetShare;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a table says writes every byte of every target exactly once, and nothing else, with what the
 * plain words of both descriptions say.
 */
@Timeout(600)
class PlannerPropertyTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.weights.rounds", 600);
  private static final long[] BYTES = {1, 8, 64, 1 << 20};

  @Test
  void everyByteIsWrittenOnceFromASourceThatHasIt() {
    long seed = Long.getLong("reactivetransfer.weights.seed", new Random().nextLong());
    for (int round = 0; round < ROUNDS; round++) {
      try {
        check(new RandomModel(seed + round));
      } catch (Throwable e) {
        throw new AssertionError("-Dreactivetransfer.weights.seed=" + (seed + round), e);
      }
    }
  }

  private static void check(RandomModel model) {
    Planner planner =
        Planner.create()
            .stepBytes(BYTES[model.random.nextInt(BYTES.length)])
            .shareBytes(BYTES[model.random.nextInt(BYTES.length)])
            .wholeBytes(BYTES[model.random.nextInt(BYTES.length)]);
    RoutingTable table = planner.plan(model.sources, model.targets);
    assertThat(planner.plan(model.sources, model.targets)).as("again").isEqualTo(table);

    new TableProof(model).require(table);
    requireCost(model, table);
  }

  private static void requireCost(RandomModel model, RoutingTable table) {
    PlanCost cost = table.cost();
    for (int rank = 0; rank < model.targets.size(); rank++) {
      long bytes = 0;
      for (TargetShare share : model.targets.get(rank).tensors()) {
        for (Piece piece : share.pieces()) {
          bytes += share.tensor().type().bytes(piece.box().elements());
        }
      }
      assertThat(cost.received().get(rank)).isEqualTo(bytes);
    }
    long gathered = cost.gathered().stream().mapToLong(Long::longValue).sum();
    long received = cost.received().stream().mapToLong(Long::longValue).sum();
    assertThat(cost.bytes()).isEqualTo(gathered + received);
  }
}
