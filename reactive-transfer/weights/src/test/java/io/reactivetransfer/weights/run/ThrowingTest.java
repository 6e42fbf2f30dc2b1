package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What options, engines and subscribers throw ends one run, and a rank can be closed after it. */
@Timeout(120)
class ThrowingTest {

  private static boolean gathers(RoutingTable table) {
    return table.cost().gathered().stream().anyMatch(bytes -> bytes > 0);
  }

  private static boolean prepares(RoutingTable table, int rank) {
    return table.steps(rank).stream().anyMatch(Step.Prepare.class::isInstance);
  }

  private static void requireQuiet(Rig rig) {
    for (TrainerRank trainer : rig.trainers) {
      assertThat(trainer.close().toFuture()).succeedsWithin(Cluster.PATIENCE);
    }
  }

  @Test
  void timersThatCannotWait() {
    Case of = Case.from(0, table -> !gathers(table));
    RunOptions.Builder options = RunOptions.builder().timers(Schedulers.immediate());
    try (Cluster cluster = Cluster.loopback();
        Rig rig = new Rig(cluster, of.table(), options)) {
      rig.fill(new ModelBytes(of.model()));
      for (int update = 1; update <= 2; update++) {
        UpdateTargets targets = rig.targets(0, update);
        assertThatThrownBy(() -> rig.trainers.getFirst().write(targets).blockLast(Cluster.PATIENCE))
            .isInstanceOf(RejectedExecutionException.class);
      }
      requireQuiet(rig);
    }
  }

  @Test
  void aSubscriberThatThrowsAsItIsToldOfTheEnd() throws InterruptedException {
    Case of = Case.from(0, table -> !gathers(table) && prepares(table, 0));
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
        };
    try (Cluster cluster = Cluster.loopback();
        Rig rig = new Rig(cluster, of.table(), RunOptions.builder().prepare(slow))) {
      rig.fill(new ModelBytes(of.model()));
      TrainerRank trainer = rig.trainers.getFirst();
      trainer
          .write(rig.targets(0, 1))
          .subscribe(
              progress -> {},
              why -> {
                throw new IllegalStateException(why);
              });
      assertThat(preparing.await(30, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> quiet = trainer.whenQuiet().toFuture();
      CompletableFuture<Void> closed = trainer.close().toFuture();
      assertThat(closed).isNotDone();
      goOn.countDown();
      assertThat(quiet).succeedsWithin(Cluster.PATIENCE);
      assertThat(closed).succeedsWithin(Cluster.PATIENCE);
    }
  }

  @Test
  void oneOfThoseWhoWaitForMemoryThrowsAndTheOthersHear() throws InterruptedException {
    Case of = Case.from(0, table -> !gathers(table) && prepares(table, 0));
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
        };
    try (Cluster cluster = Cluster.loopback();
        Rig rig = new Rig(cluster, of.table(), RunOptions.builder().prepare(slow))) {
      rig.fill(new ModelBytes(of.model()));
      TrainerRank trainer = rig.trainers.getFirst();
      trainer.write(rig.targets(0, 1)).subscribe(progress -> {}, why -> {});
      assertThat(preparing.await(30, TimeUnit.SECONDS)).isTrue();
      trainer.whenQuiet().subscribe(new Throwing());
      CompletableFuture<Void> quiet = trainer.whenQuiet().toFuture();
      CompletableFuture<Void> closed = trainer.close().toFuture();
      goOn.countDown();
      assertThat(quiet).succeedsWithin(Cluster.PATIENCE);
      assertThat(closed).succeedsWithin(Cluster.PATIENCE);
    }
  }

  /** Breaks the rule that signals must return. */
  private static final class Throwing implements CoreSubscriber<Void> {

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(Void nothing) {}

    @Override
    public void onError(Throwable failure) {
      throw new IllegalStateException("thrown by a subscriber");
    }

    @Override
    public void onComplete() {
      throw new IllegalStateException("thrown by a subscriber");
    }
  }

  /** The most steps that one rank gathers for one other. */
  private static int mostGathered(RoutingTable table) {
    int most = 0;
    for (int rank = 0; rank < table.sources().size(); rank++) {
      Map<Integer, Integer> ofPreparer = new HashMap<>();
      for (Step step : table.steps(rank)) {
        if (step instanceof Step.Gather gather) {
          most = Math.max(most, ofPreparer.merge(gather.preparer(), 1, Integer::sum));
        }
      }
    }
    return most;
  }

  @Test
  void questionsAreNoLongerThanMessages() {
    int longest = 18 + 16 * 10;
    Case of = Case.from(0, table -> mostGathered(table) > 10);
    try (Cluster cluster = Cluster.ofMessages(longest);
        Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      Cluster.await(rig.update(1));
      rig.requireArrived(bytes);
    }
  }

  @Test
  void messagesThatCannotSayWhereToGather() {
    Case of = Case.from(0, table -> mostGathered(table) > 0);
    RunOptions.Builder options = RunOptions.builder().deadline(Duration.ofSeconds(6));
    try (Cluster cluster = Cluster.ofMessages(40);
        Rig rig = new Rig(cluster, of.table(), options)) {
      rig.fill(new ModelBytes(of.model()));
      List<Mono<Throwable>> ends = new ArrayList<>();
      for (int rank = 0; rank < rig.trainers.size(); rank++) {
        ends.add(
            rig.trainers
                .get(rank)
                .write(rig.targets(rank, 1))
                .then(Mono.<Throwable>just(new AssertionError("it was done")))
                .onErrorResume(Mono::just));
      }
      assertThat(Cluster.await(Flux.mergeSequential(ends).collectList()))
          .anySatisfy(why ->
              assertThat(why)
                  .isInstanceOf(TransferRejectedException.class)
                  .hasMessageContaining("maxMessageBytes"));
      requireQuiet(rig);
    }
  }
}
