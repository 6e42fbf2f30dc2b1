package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever model the planner has made a table of, engines bring every byte where it belongs. */
@Timeout(600)
class RandomUpdatesTest {

  private static final int ROUNDS =
      Integer.getInteger(
          "reactivetransfer.weights.updates",
          Integer.getInteger("reactivetransfer.rounds", 1) > 1 ? 12 : 6);
  private static final long[] BYTES = {1, 64, 1 << 20};

  @Test
  void everyByteArrivesOverLoopback() {
    try (Cluster cluster = Cluster.loopback()) {
      run(cluster, ROUNDS);
    }
  }

  @Test
  void everyByteArrivesOverTcp() {
    try (Cluster cluster = Cluster.tcp()) {
      run(cluster, Math.ceilDiv(ROUNDS, 4));
    }
  }

  private static void run(Cluster cluster, int rounds) {
    long seed = Long.getLong("reactivetransfer.weights.seed", new Random().nextLong());
    for (int round = 0; round < rounds; round++) {
      try {
        run(cluster, seed + round);
      } catch (Throwable e) {
        throw new AssertionError("-Dreactivetransfer.weights.seed=" + (seed + round), e);
      }
    }
  }

  private static void run(Cluster cluster, long seed) {
    RandomModel model = new RandomModel(seed);
    Random random = new Random(seed);
    RoutingTable table =
        Planner.create()
            .stepBytes(BYTES[random.nextInt(BYTES.length)])
            .wholeBytes(BYTES[random.nextInt(BYTES.length)])
            .plan(model.sources, model.targets);
    boolean inTurn = random.nextBoolean();
    boolean tight = random.nextBoolean();
    try (Rig rig =
        new Rig(
            cluster,
            table,
            rank ->
                RunOptions.builder()
                    .groupsInTurn(inTurn)
                    .parallelism(1 + random.nextInt(3))
                    .temporaryBytes(tight ? table.cost().temporaries().get(rank) : 1 << 20))) {
      for (int update = 0; update < 3; update++) {
        ModelBytes bytes = new ModelBytes(model);
        rig.fill(bytes);
        List<RunProgress> ends = rig.update(update).block(Cluster.PATIENCE);
        for (int rank = 0; rank < ends.size(); rank++) {
          RunProgress end = ends.get(rank);
          assertThat(end.isDone()).isTrue();
          assertThat(end.written().bytes()).isEqualTo(table.cost().sent().get(rank));
          assertThat(end.temporaryBytes()).isZero();
        }
        rig.requireArrived(bytes);
      }
    }
  }
}
