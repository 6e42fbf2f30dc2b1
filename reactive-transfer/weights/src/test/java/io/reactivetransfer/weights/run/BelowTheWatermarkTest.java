package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** A rank that has room waits for none that has none, but with what it gathers for that one. */
@Timeout(120)
class BelowTheWatermarkTest {

  /** One rank prepares nothing until it may, and its first step takes all room that it has. */
  private static final class Full implements AutoCloseable {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final Cluster cluster = Cluster.loopback();
    private final ModelBytes bytes;
    private final Rig rig;
    private final List<Flux<RunProgress>> runs = new ArrayList<>();

    Full(Case of, int rank) {
      RoutingTable table = of.table();
      PrepareFunction held =
          task -> {
            begun.countDown();
            await(mayGoOn);
            PrepareFunction.standard().prepare(task);
          };
      rig =
          new Rig(
              cluster,
              table,
              one ->
                  one == rank
                      ? RunOptions.builder()
                          .temporaryBytes(table.cost().temporaries().get(one))
                          .prepare(held)
                      : RunOptions.builder());
      bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      for (int one = 0; one < rig.trainers.size(); one++) {
        Flux<RunProgress> run =
            rig.trainers.get(one).write(rig.targets(one, 1)).replay().autoConnect(0);
        runs.add(run);
      }
      await(begun);
    }

    private static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    Flux<RunProgress> run(int one) {
      return runs.get(one);
    }

    /** Then all ends as if nothing had been. */
    void goOn() {
      mayGoOn.countDown();
      runs.forEach(run -> run.blockLast(Cluster.PATIENCE));
      rig.requireArrived(bytes);
    }

    @Override
    public void close() {
      mayGoOn.countDown();
      rig.close();
      cluster.close();
    }
  }

  /** The first step of a rank for which it needs room takes all of it, and others follow. */
  private static boolean fills(RoutingTable table, int rank) {
    long largest = table.cost().temporaries().get(rank);
    List<Long> needed =
        table.steps(rank).stream()
            .map(step -> table.temporaryBytes(rank, step))
            .filter(bytes -> bytes > 0)
            .toList();
    Step first =
        table.steps(rank).stream()
            .filter(step -> table.temporaryBytes(rank, step) > 0)
            .findFirst()
            .orElse(null);
    return needed.size() > 1
        && needed.getFirst() == largest
        && first instanceof Step.Prepare prepare
        && prepare.gatherWrites() == 0;
  }

  private static IntStream ranks(RoutingTable table) {
    return IntStream.range(0, table.sources().size());
  }

  private static long gathers(RoutingTable table, int rank) {
    return table.steps(rank).stream().filter(Step.Gather.class::isInstance).count();
  }

  private static boolean gathersOnlyFor(RoutingTable table, int rank, int preparer) {
    return table.steps(rank).stream()
        .allMatch(step -> !(step instanceof Step.Gather one) || one.preparer() == preparer);
  }

  @Test
  void whereNothingIsGatheredAllOthersEndWhileOneRankIsFull() {
    Case of =
        Case.from(
            0,
            table ->
                table.sources().size() > 1
                    && ranks(table).allMatch(rank -> gathers(table, rank) == 0)
                    && ranks(table).filter(rank -> table.cost().temporaries().get(rank) > 0).count()
                        > 1
                    && ranks(table).anyMatch(rank -> fills(table, rank)));
    RoutingTable table = of.table();
    int full = ranks(table).filter(rank -> fills(table, rank)).findFirst().orElseThrow();
    try (Full held = new Full(of, full)) {
      ranks(table)
          .filter(rank -> rank != full)
          .forEach(rank ->
              assertThat(held.run(rank).blockLast(Cluster.PATIENCE))
                  .matches(RunProgress::isDone, "is done"));
      assertThat(held.mayGoOn.getCount()).isOne();
      held.goOn();
    }
  }

  /** What it gathers has to wait for room there; all that it does itself has not. */
  @Test
  void whoGathersForARankThatIsFullDoesAllElseMeanwhile() {
    Case of =
        Case.from(
            0,
            table ->
                ranks(table).anyMatch(full -> fills(table, full) && gatherer(table, full) >= 0));
    RoutingTable table = of.table();
    int full =
        ranks(table)
            .filter(rank -> fills(table, rank) && gatherer(table, rank) >= 0)
            .findFirst()
            .orElseThrow();
    int gatherer = gatherer(table, full);
    long own = table.steps(gatherer).size() - gathers(table, gatherer);
    try (Full held = new Full(of, full)) {
      RunProgress all =
          held.run(gatherer)
              .filter(now -> now.written().steps() == own)
              .blockFirst(Cluster.PATIENCE);
      assertThat(all).isNotNull().matches(now -> !now.isDone(), "waits for room there");
      held.goOn();
    }
  }

  /** Who gathers for this rank only, and writes something itself; -1 if nobody does. */
  private static int gatherer(RoutingTable table, int full) {
    return ranks(table)
        .filter(rank -> rank != full)
        .filter(rank -> gathers(table, rank) > 0 && gathersOnlyFor(table, rank, full))
        .filter(rank -> table.steps(rank).size() > gathers(table, rank) + 1)
        .findFirst()
        .orElse(-1);
  }
}
