package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** However a run ends, its memory is quiet, and the next one is right. */
@Timeout(120)
class RunEndsTest {

  private final Cluster cluster = open();

  Cluster open() {
    return Cluster.loopback();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private static long prepares(RoutingTable table, int rank) {
    return table.steps(rank).stream().filter(Step.Prepare.class::isInstance).count();
  }

  private static boolean gathers(RoutingTable table) {
    return table.cost().gathered().stream().anyMatch(bytes -> bytes > 0);
  }

  private static int busiest(RoutingTable table) {
    int busiest = 0;
    for (int rank = 1; rank < table.sources().size(); rank++) {
      busiest = prepares(table, rank) > prepares(table, busiest) ? rank : busiest;
    }
    return busiest;
  }

  private void requireNextIsRight(Rig rig, Case of, long number) {
    ModelBytes bytes = new ModelBytes(of.model());
    rig.renewImmediates();
    rig.fill(bytes);
    rig.update(number).block(Cluster.PATIENCE);
    rig.requireArrived(bytes);
  }

  private static void requireAllQuiet(Rig rig) {
    rig.trainers.forEach(trainer -> trainer.whenQuiet().block(Cluster.PATIENCE));
  }

  // Cancel

  @Test
  void cancelAtAnyStepLeavesAllQuietAndTheNextUpdateRight() {
    Random random = new Random(5);
    for (int round = 0; round < 12; round++) {
      boolean withGathers = round % 2 == 0;
      Case of = Case.from(100L * round, table -> gathers(table) == withGathers);
      try (Rig rig =
          new Rig(cluster, of.table(), RunOptions.builder().temporaryBytes(4096).parallelism(2))) {
        for (int update = 0; update < 3; update++) {
          rig.fill(new ModelBytes(of.model()));
          int after = random.nextInt(6);
          List<Disposable> runs = new ArrayList<>();
          for (int rank = 0; rank < rig.trainers.size(); rank++) {
            runs.add(
                rig.trainers
                    .get(rank)
                    .write(rig.targets(rank, update))
                    .take(1 + after)
                    .subscribe(progress -> {}, why -> {}));
          }
          if (after == 0) {
            runs.forEach(Disposable::dispose);
          }
          // Others may have to be told by hand: nobody waits for a rank that was cancelled.
          runs.get(random.nextInt(runs.size())).dispose();
          requireAllQuietWithin(rig, runs);
        }
        requireNextIsRight(rig, of, 1_000);
      }
    }
  }

  private static void requireAllQuietWithin(Rig rig, List<Disposable> runs) {
    requireAllQuiet(rig);
    runs.forEach(Disposable::dispose);
  }

  @Test
  void anUpdateAfterACancelWaitsUntilThatOneIsQuiet() throws InterruptedException {
    Case of = Case.from(0, table -> !gathers(table) && prepares(table, busiest(table)) > 2);
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
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder().prepare(slow))) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      TrainerRank trainer = rig.trainers.get(busiest(of.table()));
      UpdateTargets targets = rig.targets(busiest(of.table()), 1);
      Disposable first = trainer.write(targets).subscribe();
      assertThat(preparing.await(30, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> trainer.write(targets).blockLast(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("one run at a time");
      first.dispose();
      CompletableFuture<Void> quiet = trainer.whenQuiet().toFuture();
      rig.renewImmediates();
      CompletableFuture<List<RunProgress>> next = rig.update(2).toFuture();
      assertThat(quiet).isNotDone();
      goOn.countDown();
      assertThat(next).succeedsWithin(Cluster.PATIENCE);
      rig.requireArrived(bytes);
      assertThat(quiet).isCompleted();
    }
  }

  // Failures

  @Test
  void whatPrepareThrowsEndsTheRunsOfAllThatWaitForIt() {
    Case of = Case.from(7, table -> gathers(table) && prepares(table, busiest(table)) > 3);
    AtomicInteger left = new AtomicInteger();
    PrepareFunction broken =
        task -> {
          if (left.getAndDecrement() == 0) {
            throw new IllegalStateException("no more memory on the device");
          }
          PrepareFunction.standard().prepare(task);
        };
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder().prepare(broken))) {
      for (int update = 0; update < 5; update++) {
        left.set(update / 2);
        rig.fill(new ModelBytes(of.model()));
        List<Throwable> ends = ends(rig, update);
        assertThat(ends)
            .anySatisfy(why ->
                assertThat(why)
                    .isInstanceOf(PrepareFailedException.class)
                    .hasMessageContaining("could not be prepared by trainer trainer-")
                    .hasRootCauseMessage("no more memory on the device"));
        requireAllQuiet(rig);
      }
      left.set(-1);
      requireNextIsRight(rig, of, 1_000);
    }
  }

  /** How each rank's run has ended; no rank's end ends that of another one here. */
  private static List<Throwable> ends(Rig rig, long number) {
    List<Mono<Throwable>> ends = new ArrayList<>();
    for (int rank = 0; rank < rig.trainers.size(); rank++) {
      ends.add(
          rig.trainers
              .get(rank)
              .write(rig.targets(rank, number))
              .then(Mono.<Throwable>just(new AssertionError("it was done")))
              .onErrorResume(Mono::just));
    }
    return Cluster.await(Flux.mergeSequential(ends).collectList());
  }

  @Test
  void aTargetThatIsLostEndsTheRun() {
    Case of = Case.from(50, table -> table.targets().size() > 1);
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      rig.fill(new ModelBytes(of.model()));
      int lost = 0;
      for (int rank = 0; rank < of.table().arrivals().length; rank++) {
        lost = of.table().arrivals()[rank] > of.table().arrivals()[lost] ? rank : lost;
      }
      List<UpdateTargets> targets = new ArrayList<>();
      for (int rank = 0; rank < rig.trainers.size(); rank++) {
        targets.add(rig.targets(rank, 1));
      }
      cluster.target(lost).close().block(Cluster.PATIENCE);
      List<Mono<Throwable>> ends = new ArrayList<>();
      for (int rank = 0; rank < rig.trainers.size(); rank++) {
        ends.add(
            rig.trainers
                .get(rank)
                .write(targets.get(rank))
                .then(Mono.<Throwable>just(new AssertionError("it was done")))
                .onErrorResume(Mono::just));
      }
      List<Throwable> all = Cluster.await(Flux.mergeSequential(ends).collectList());
      assertThat(all)
          .anySatisfy(why -> assertThat(why).isInstanceOf(PeerUnreachableException.class));
      requireAllQuiet(rig);
    }
  }

  @Test
  void aTrainerThatIsLostEndsTheRunsOfThoseThatGatherWithIt() {
    Case of = Case.from(11, RunEndsTest::gathers);
    int preparer = preparer(of.table());
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      rig.fill(new ModelBytes(of.model()));
      List<CompletableFuture<Throwable>> ends = new ArrayList<>();
      for (int rank = 0; rank < rig.trainers.size(); rank++) {
        if (rank != preparer) {
          ends.add(
              rig.trainers
                  .get(rank)
                  .write(rig.targets(rank, 1))
                  .then(Mono.<Throwable>just(new AssertionError("it was done")))
                  .onErrorResume(Mono::just)
                  .toFuture());
        }
      }
      cluster.trainer(preparer).close().block(Cluster.PATIENCE);
      assertThat(ends)
          .anySatisfy(end ->
              assertThat(end)
                  .succeedsWithin(Cluster.PATIENCE)
                  .isInstanceOf(PeerUnreachableException.class));
      ends.forEach(end -> assertThat(end).succeedsWithin(Cluster.PATIENCE));
      requireAllQuiet(rig);
    }
  }

  private static int preparer(RoutingTable table) {
    for (int rank = 0; rank < table.sources().size(); rank++) {
      for (Step step : table.steps(rank)) {
        if (step instanceof Step.Gather gather) {
          return gather.preparer();
        }
      }
    }
    throw new AssertionError("nothing is gathered");
  }

  @Test
  void aTrainerThatDoesNotBeginIsWaitedForUntilTheDeadline() {
    Case of = Case.from(23, RunEndsTest::gathers);
    int preparer = preparer(of.table());
    Duration deadline = Duration.ofSeconds(6);
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder().deadline(deadline))) {
      rig.fill(new ModelBytes(of.model()));
      assertThatThrownBy(() ->
              rig.trainers
                  .get(gatherer(of.table(), preparer))
                  .write(rig.targets(gatherer(of.table(), preparer), 1))
                  .blockLast(Cluster.PATIENCE))
          .isInstanceOf(DeadlineExceededException.class)
          .hasMessageContaining("steps; waits for ")
          .hasMessageContaining("trainer " + of.table().sources().get(preparer).name())
          .hasMessageEndingWith(" to say where it gathers");
      requireAllQuiet(rig);
      // Whoever comes later to the same update hears at once that it is over.
      assertThatThrownBy(() ->
              rig.trainers
                  .get(preparer)
                  .write(rig.targets(preparer, 1))
                  .blockLast(Cluster.PATIENCE))
          .isInstanceOf(TransferFailedException.class)
          .hasMessageContaining("has ended the update");
    }
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      requireNextIsRight(rig, of, 2);
    }
  }

  private static int gatherer(RoutingTable table, int preparer) {
    for (int rank = 0; rank < table.sources().size(); rank++) {
      for (Step step : table.steps(rank)) {
        if (step instanceof Step.Gather gather && gather.preparer() == preparer) {
          return rank;
        }
      }
    }
    throw new AssertionError("nothing is gathered");
  }

  /** Whoever is in the cluster and no rank of the trainer has no say in its runs. */
  @Test
  void whatAStrangerSaysIsDropped() {
    Case of = Case.from(23, RunEndsTest::gathers);
    int gatherer = gatherer(of.table(), preparer(of.table()));
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      rig.fill(new ModelBytes(of.model()));
      CompletableFuture<RunProgress> waiting =
          rig.trainers.get(gatherer).write(rig.targets(gatherer, 1)).last().toFuture();
      TransferEngine stranger = cluster.target(0);
      Peer to = stranger.peer(cluster.trainer(gatherer).address());
      for (GatherMessage said :
          List.of(
              new GatherMessage.Ask(1, List.of(new GatherMessage.AskedStep(1 << 20, 1))),
              new GatherMessage.Grant(1, firstGathered(of.table(), gatherer), 0, 77),
              new GatherMessage.Failed(1, "says a stranger"))) {
        stranger.send(to, GatherDesk.CHANNEL, GatherCodec.encode(said)).block(Cluster.PATIENCE);
      }
      List<Mono<RunProgress>> others = new ArrayList<>();
      for (int rank = 0; rank < rig.trainers.size(); rank++) {
        if (rank != gatherer) {
          others.add(rig.trainers.get(rank).write(rig.targets(rank, 1)).last());
        }
      }
      Mono.when(others).block(Cluster.PATIENCE);
      assertThat(waiting).succeedsWithin(Cluster.PATIENCE);
    }
  }

  private static long firstGathered(RoutingTable table, int rank) {
    return table.steps(rank).stream()
        .filter(Step.Gather.class::isInstance)
        .findFirst()
        .orElseThrow()
        .order();
  }

  @Test
  void closingEndsARunAndTheNextOneIsRefused() {
    Case of = Case.from(0, RunEndsTest::gathers);
    int gatherer = gatherer(of.table(), preparer(of.table()));
    try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      rig.fill(new ModelBytes(of.model()));
      TrainerRank trainer = rig.trainers.get(gatherer);
      CompletableFuture<RunProgress> run =
          trainer.write(rig.targets(gatherer, 1)).last().toFuture();
      trainer.close().block(Cluster.PATIENCE);
      assertThat(run).failsWithin(Cluster.PATIENCE); // told a moment behind the close
      assertThatThrownBy(() -> trainer.write(rig.targets(gatherer, 2)).blockLast(Cluster.PATIENCE))
          .hasMessageContaining("is closed");
    }
  }
}
