package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.ImmLease;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** Writes are made once and go where the update says that has its turn. */
@Timeout(120)
class RedirectedWritesTest {

  private final Cluster cluster = Cluster.loopback();

  @AfterEach
  void close() {
    cluster.close();
  }

  private static boolean prepares(RoutingTable table) {
    return table.steps(0).stream().anyMatch(Step.Prepare.class::isInstance)
        && table.cost().gathered().stream().allMatch(bytes -> bytes == 0);
  }

  private static UpdateTargets under(UpdateTargets update, long number, List<ImmLease> leases) {
    List<TargetMemory> targets = new ArrayList<>();
    for (int rank = 0; rank < leases.size(); rank++) {
      targets.add(new TargetMemory(update.targets().get(rank).regions(), leases.get(rank).imm()));
    }
    return new UpdateTargets(number, targets);
  }

  @Test
  void anUpdateThatMayNotBeginRedirectsNothing() throws Exception {
    Case of = Case.from(0, RedirectedWritesTest::prepares);
    CountDownLatch preparing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    PrepareFunction slow =
        task -> {
          preparing.countDown();
          try {
            assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          PrepareFunction.standard().prepare(task);
        };
    try (Rig rig =
        new Rig(
            cluster,
            of.table(),
            rank -> rank == 0 ? RunOptions.builder().prepare(slow) : RunOptions.builder())) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      CompletableFuture<List<RunProgress>> first = rig.update(1).toFuture();
      assertThat(preparing.await(30, TimeUnit.SECONDS)).isTrue();
      List<ImmLease> others = new ArrayList<>();
      for (int rank = 0; rank < of.table().targets().size(); rank++) {
        others.add(cluster.target(rank).lease());
      }
      UpdateTargets second = under(rig.targets(0, 1), 2, others);
      assertThatThrownBy(() -> rig.trainers.getFirst().write(second).blockLast(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("one run at a time");
      goOn.countDown();
      first.get(30, TimeUnit.SECONDS);
      rig.requireArrived(bytes);
      for (ImmLease other : others) {
        assertThat(other.counter().discard().block(Cluster.PATIENCE)).isZero();
        other.close();
      }
    }
  }

  @Test
  void ranksAreLeftOutAndComeBack() {
    Case of =
        Case.from(
            0,
            table ->
                table.targets().size() > 1
                    && Arrays.stream(table.arrivals()).allMatch(count -> count > 0));
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      long[] arrivals = of.table().arrivals();
      long number = 0;
      for (int leftOut : new int[] {-1, 0, 0, 1, -1}) {
        ModelBytes bytes = new ModelBytes(of.model());
        rig.fill(bytes);
        rig.renewImmediates();
        long update = ++number;
        Flux.range(0, rig.trainers.size())
            .flatMap(rank -> rig.trainers.get(rank).write(without(leftOut, rig, rank, update)))
            .blockLast(Cluster.PATIENCE);
        for (int rank = 0; rank < arrivals.length; rank++) {
          long coming = rank == leftOut ? 0 : arrivals[rank];
          if (coming > 0) {
            rig.arrivals.get(rank).counter().next(coming).block(Cluster.PATIENCE);
          }
          assertThat(rig.arrivals.get(rank).counter().discard().block(Cluster.PATIENCE)).isZero();
        }
        if (leftOut < 0) {
          rig.requireWritten(bytes);
        }
      }
    }
  }

  private static UpdateTargets without(int leftOut, Rig rig, int trainer, long number) {
    List<TargetMemory> targets = new ArrayList<>(rig.targets(trainer, number).targets());
    if (leftOut >= 0) {
      targets.set(leftOut, TargetMemory.none());
    }
    return new UpdateTargets(number, targets);
  }
}
