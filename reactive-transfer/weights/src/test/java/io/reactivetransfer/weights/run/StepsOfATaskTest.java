package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * A thread that has prepared goes on with the next step, but not for ever: the tasks of the
 * scheduler are run by hand.
 */
@Timeout(120)
class StepsOfATaskTest {

  /** Small steps of one task. */
  private static final int MOST_STEPS = 8;

  private final Cluster cluster = Cluster.loopback();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private int prepared;

  @AfterEach
  void close() {
    cluster.close();
  }

  private RunOptions.Builder options(int parallelism, PrepareFunction function) {
    return RunOptions.builder()
        .scheduler(Schedulers.fromExecutor(tasks::add))
        .parallelism(parallelism)
        .prepare(task -> {
          prepared++;
          function.prepare(task);
        });
  }

  private void runNext() {
    Objects.requireNonNull(tasks.poll(), "no task").run();
  }

  private static int prepares(RoutingTable table) {
    return (int) table.steps(0).stream().filter(Step.Prepare.class::isInstance).count();
  }

  /** One rank that prepares so many small steps. */
  private static Case small(int atLeast) {
    return Case.from(0, table -> table.sources().size() == 1 && prepares(table) >= atLeast);
  }

  @Test
  void oneTaskIsEightSmallSteps() {
    Case of = small(2 * MOST_STEPS + 1);
    int steps = prepares(of.table());
    try (Rig rig = new Rig(cluster, of.table(), options(1, PrepareFunction.standard()))) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      CompletableFuture<List<RunProgress>> update = rig.update(1).toFuture();
      List<Integer> after = new ArrayList<>();
      for (int i = 0; i < Math.ceilDiv(steps, MOST_STEPS); i++) {
        assertThat(tasks).as("tasks at once").hasSize(1);
        runNext();
        after.add(prepared);
      }
      assertThat(tasks).isEmpty();
      assertThat(after).startsWith(MOST_STEPS, 2 * MOST_STEPS).endsWith(steps);
      assertThat(update).succeedsWithin(Cluster.PATIENCE);
      rig.requireArrived(bytes);
    }
  }

  @Test
  void threadsShareWhatWaits() {
    Case of = small(2 * MOST_STEPS + 4);
    try (Rig rig = new Rig(cluster, of.table(), options(2, PrepareFunction.standard()))) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      CompletableFuture<List<RunProgress>> update = rig.update(1).toFuture();
      assertThat(tasks).as("tasks at once").hasSize(2);
      while (!tasks.isEmpty()) {
        runNext();
        assertThat(tasks).as("tasks at once").hasSizeLessThanOrEqualTo(2);
      }
      assertThat(prepared).isEqualTo(prepares(of.table()));
      assertThat(update).succeedsWithin(Cluster.PATIENCE);
      rig.requireArrived(bytes);
    }
  }

  /** A step of 8 MiB or more is a task of its own. */
  @Test
  void aLargeStepIsATask() {
    RoutingTable table = large(3);
    assertThat(prepares(table)).isEqualTo(3);
    try (Rig rig = new Rig(cluster, table, options(1, task -> {}))) {
      CompletableFuture<List<RunProgress>> update = rig.update(1).toFuture();
      for (int i = 1; i <= 3; i++) {
        runNext();
        assertThat(prepared).isEqualTo(i);
      }
      assertThat(update).succeedsWithin(Cluster.PATIENCE);
    }
  }

  /** Tensors of one scale each, and so of one step, which makes 8 MiB. */
  private static RoutingTable large(int count) {
    Sharding all = Sharding.replicated(Mesh.of("one"));
    List<SourceShare> held = new ArrayList<>();
    List<TargetShare> wanted = new ArrayList<>();
    long next = 0;
    long nextWanted = 0;
    for (int i = 0; i < count; i++) {
      Shape shape = Shape.of(8, 1 << 20);
      Tensor from = new Tensor("w" + i, DataType.BF16, shape);
      Tensor to = new Tensor("w" + i, DataType.INT8, shape);
      Tensor scale = new Tensor("scale" + i, DataType.FP32, Shape.of(1, 1));
      held.add(new SourceShare(from, "g", all.of(from, 0).pieces(0, next)));
      next += from.bytes();
      Content made = Content.quantized(Recipe.of("w" + i), Quantization.perTensor());
      wanted.add(new TargetShare(to, made, all.of(to, 0).pieces(0, nextWanted)));
      nextWanted += to.bytes();
      wanted.add(
          new TargetShare(
              scale, Content.scalesOf("w" + i), all.of(scale, 0).pieces(0, nextWanted)));
      nextWanted += scale.bytes();
    }
    return Planner.create()
        .plan(
            List.of(new SourceRank(Rank.of("trainer", RegionSpec.registered(next)), held)),
            List.of(new TargetRank(Rank.of("rank", RegionSpec.registered(nextWanted)), wanted)));
  }

  @Test
  void aFailureEndsTheTaskAtOnceAndTheNextUpdateIsRight() {
    Case of = small(2 * MOST_STEPS + 1);
    PrepareFunction breaks =
        task -> {
          if (prepared == 3) {
            throw new IllegalStateException("no more memory on the device");
          }
          PrepareFunction.standard().prepare(task);
        };
    try (Rig rig = new Rig(cluster, of.table(), options(1, breaks))) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      CompletableFuture<List<RunProgress>> update = rig.update(1).toFuture();
      runNext();
      assertThat(prepared).isEqualTo(3);
      assertThat(tasks).isEmpty();
      assertThat(update)
          .failsWithin(Cluster.PATIENCE)
          .withThrowableThat()
          .withRootCauseInstanceOf(IllegalStateException.class);
      assertThat(rig.trainers.getFirst().whenQuiet().toFuture()).succeedsWithin(Cluster.PATIENCE);
      requireNextIsRight(rig, bytes);
    }
  }

  @Test
  void aCancelEndsTheTaskAfterTheStepAtWork() {
    Case of = small(2 * MOST_STEPS + 1);
    List<Disposable> run = new ArrayList<>();
    List<CompletableFuture<Void>> quiet = new ArrayList<>();
    List<Boolean> wasQuiet = new ArrayList<>();
    PrepareFunction cancels =
        task -> {
          if (prepared == 3) {
            run.getFirst().dispose();
            wasQuiet.add(quiet.getFirst().isDone());
          }
          PrepareFunction.standard().prepare(task);
        };
    try (Rig rig = new Rig(cluster, of.table(), options(1, cancels))) {
      ModelBytes bytes = new ModelBytes(of.model());
      rig.fill(bytes);
      TrainerRank trainer = rig.trainers.getFirst();
      run.add(trainer.write(rig.targets(0, 1)).subscribe());
      quiet.add(trainer.whenQuiet().toFuture());
      runNext();
      assertThat(prepared).isEqualTo(3);
      assertThat(tasks).isEmpty();
      assertThat(wasQuiet).as("while it prepares").containsExactly(false);
      assertThat(quiet.getFirst()).succeedsWithin(Cluster.PATIENCE);
      requireNextIsRight(rig, bytes);
    }
  }

  private void requireNextIsRight(Rig rig, ModelBytes bytes) {
    rig.renewImmediates();
    rig.fill(bytes);
    CompletableFuture<List<RunProgress>> next = rig.update(2).toFuture();
    while (!tasks.isEmpty()) {
      runNext();
    }
    assertThat(next).succeedsWithin(Cluster.PATIENCE);
    rig.requireArrived(bytes);
  }
}
