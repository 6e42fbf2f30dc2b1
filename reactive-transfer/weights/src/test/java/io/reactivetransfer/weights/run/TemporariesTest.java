package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** How much memory is taken, and what is refused before anything is taken. */
@Timeout(120)
class TemporariesTest {

  /** What steps have from when they are prepared to the end of their run at the latest. */
  private static final class Held implements PrepareFunction {
    final AtomicLong now = new AtomicLong();
    final AtomicLong most = new AtomicLong();

    @Override
    public void prepare(PrepareTask task) {
      long bytes = task.output().byteSize() + task.scales().byteSize();
      most.accumulateAndGet(now.addAndGet(bytes), Math::max);
      PrepareFunction.standard().prepare(task);
      now.addAndGet(-bytes);
    }
  }

  private static RoutingTable table(RandomModel model) {
    return Planner.create().stepBytes(64).wholeBytes(0).plan(model.sources, model.targets);
  }

  /** The first model in which one rank has much more to prepare than its largest step. */
  private static RandomModel model(int times) {
    for (long seed = 0; ; seed++) {
      RandomModel model = new RandomModel(seed);
      RoutingTable table = table(model);
      for (int rank = 0; rank < table.sources().size(); rank++) {
        long largest = table.cost().temporaries().get(rank);
        if (largest > 0 && table.cost().allTemporaries().get(rank) > times * largest) {
          return model;
        }
      }
    }
  }

  @Test
  void noMoreThanTheWatermarkIsHeldWhateverIsDoneAtOnce() {
    RandomModel model = model(6);
    RoutingTable table = table(model);
    try (Cluster cluster = Cluster.loopback()) {
      for (int times = 1; times <= 3; times++) {
        int factor = times;
        Held[] held = new Held[table.sources().size()];
        try (Rig rig =
            new Rig(
                cluster,
                table,
                rank ->
                    RunOptions.builder()
                        .parallelism(8)
                        .prepare(held[rank] = new Held())
                        .temporaryBytes(factor * table.cost().temporaries().get(rank)))) {
          ModelBytes bytes = new ModelBytes(model);
          rig.fill(bytes);
          AtomicLong[] most = new AtomicLong[rig.trainers.size()];
          Flux.range(0, most.length)
              .flatMap(rank -> {
                most[rank] = new AtomicLong();
                return rig.trainers
                    .get(rank)
                    .write(rig.targets(rank, 1))
                    .doOnNext(now -> most[rank].accumulateAndGet(now.temporaryBytes(), Math::max));
              })
              .blockLast(Cluster.PATIENCE);
          rig.requireArrived(bytes);
          for (int rank = 0; rank < most.length; rank++) {
            long watermark = factor * table.cost().temporaries().get(rank);
            assertThat(most[rank].get()).isLessThanOrEqualTo(watermark);
            assertThat(held[rank].most.get()).isLessThanOrEqualTo(watermark);
          }
        }
      }
    }
  }

  @Test
  void aStepThatIsLargerThanTheWatermarkIsRefusedByName() {
    RandomModel model = model(1);
    RoutingTable table = table(model);
    try (Cluster cluster = Cluster.loopback()) {
      assertThatThrownBy(() ->
              new Rig(
                  cluster,
                  table,
                  rank ->
                      RunOptions.builder()
                          .temporaryBytes(Math.max(0, table.cost().temporaries().get(rank) - 1))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("which one step of tensor w")
          .hasMessageContaining("got a watermark of");
    }
  }

  @Test
  void aTableThatGathersIsRefusedIfNobodyKnowsWhereTheOthersAre() {
    RandomModel model = gathering();
    RoutingTable table = table(model);
    int rank = 0;
    while (table.steps(rank).stream().noneMatch(Step.Gather.class::isInstance)) {
      rank++;
    }
    int gatherer = rank;
    try (Cluster cluster = Cluster.loopback();
        Rig rig = new Rig(cluster, table, RunOptions.builder())) {
      assertThatThrownBy(() ->
              TrainerRank.open(
                      cluster.trainer(gatherer),
                      table,
                      gatherer,
                      rig.memory(gatherer),
                      RunOptions.defaults())
                  .block(Cluster.PATIENCE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "expected the engines of " + table.sources().size() + " ranks of the trainer, got 0");
    }
  }

  private static RandomModel gathering() {
    for (long seed = 0; ; seed++) {
      RandomModel model = new RandomModel(seed);
      if (table(model).cost().gathered().stream().anyMatch(bytes -> bytes > 0)) {
        return model;
      }
    }
  }

  @Test
  void rowsThatTheNicsCannotCountAreRefusedByTheNameOfTheTensor() {
    RandomModel model = withRows();
    RoutingTable table = table(model);
    try (Cluster cluster = Cluster.sourceFree()) {
      assertThatThrownBy(() -> new Rig(cluster, table, RunOptions.builder()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rows of tensor w")
          .hasMessageContaining("as one write");
    }
  }

  private static RandomModel withRows() {
    for (long seed = 0; ; seed++) {
      RandomModel model = new RandomModel(seed);
      RoutingTable table = table(model);
      for (int rank = 0; rank < table.sources().size(); rank++) {
        for (Step step : table.steps(rank)) {
          for (int run = 0; run < step.runs().size(); run++) {
            if (step.runs().rows(run) > 8) {
              return model;
            }
          }
        }
      }
    }
  }

  @Test
  void memoryThatIsNotThatOfTheTableIsRefused() {
    RandomModel model = model(1);
    RoutingTable table = table(model);
    try (Cluster cluster = Cluster.loopback();
        Rig rig = new Rig(cluster, table, RunOptions.builder())) {
      assertThatThrownBy(() ->
              TrainerRank.open(
                      cluster.trainer(0),
                      table,
                      0,
                      rig.memory(0).subList(1, rig.memory(0).size()),
                      RunOptions.defaults())
                  .block(Cluster.PATIENCE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("regions of rank trainer-0");
      UpdateTargets targets = rig.targets(0, 1);
      UpdateTargets fewer =
          new UpdateTargets(1, targets.targets().subList(1, targets.targets().size()));
      assertThatThrownBy(() -> rig.trainers.getFirst().write(fewer))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("inference ranks");
    }
  }
}
