package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Many steps leave nothing behind and get no slower. {@code -Dmoe.steps=10000000} does ten million;
 * a night does a million, a quarter on each of two lanes of two groups. Where other processes want
 * the same processors, the time of a step says more of them than of steps; so it counts as slower
 * only if it takes more time and more of the processors, too.
 */
@Timeout(6 * 3_600)
class ManyStepsTest {

  private static final int STEPS = Integer.getInteger("moe.steps", 4_000);

  /** Of each lane of each group, where there are two of both. */
  private static final int STEPS_OF_EACH = Integer.getInteger("moe.steps", 1_000_000) / 4;

  private static final int PARTS = 100;

  /** Of fewer, a part takes so little that the processors' time for it is counted in ticks. */
  private static final int TIMED_STEPS = 100_000;

  private static final long SPARE_HEAP = 8 << 20;

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).privateTokens(2).build();

  private final List<Rig.Tokens> tokens = StepsTest.tokens(new RandomSteps(7), SHAPE, 16);

  /** When rank 0 had done each part of the steps, in nanoseconds. */
  private final long[] ends = new long[PARTS + 1];

  /** How much of the processors this process had used by then, in nanoseconds. */
  private final long[] used = new long[PARTS + 1];

  private long heapEarly;

  @Test
  void theLastAreAsTheFirst() {
    MoeOptions options = MoeOptions.builder().scheduler(Schedulers.immediate()).build();
    try (Cluster cluster = Cluster.onNicThreads(2);
        Rig rig = new Rig(cluster, SHAPE, options)) {
      doSteps(rig, 200); // until it is warm
      long[] before = idle(cluster);
      mark(0);
      Mono.when(steps(rig, 0, STEPS), steps(rig, 1, STEPS)).block(Duration.ofHours(6));
      assertThat(idle(cluster)).as("what engines hold").isEqualTo(before);
      assertThat(heap()).as("heap in use").isLessThan(heapEarly + SPARE_HEAP);
      long late = median(ends, 90);
      long early = median(ends, 10);
      long lateUse = median(used, 90);
      long earlyUse = median(used, 10);
      String figures =
          STEPS
              + (" steps in " + (ends[PARTS] - ends[0]) / 1_000_000 + " ms; one takes ")
              + (early + " ns early and " + late + " ns late, and of the processors ")
              + (earlyUse + " ns early and " + lateUse + " ns late; the heap had ")
              + ((heapEarly >> 10) + " kB early and has " + (heap() >> 10) + " kB late");
      System.out.println(figures);
      if (STEPS >= TIMED_STEPS) {
        assertThat(late <= early * 3 / 2 || lateUse <= earlyUse * 3 / 2).as(figures).isTrue();
      }
    }
  }

  // In a usual build one lane of one group does 4,000, and lanes and groups are side by side in
  // StepsTest.
  @Tag("nightly")
  @Test
  void twoLanesOfTwoGroupsLeaveNothingBehind() {
    MoeShape shape =
        MoeShape.builder(SHAPE.placement(), 2, 4, 16, 4).privateTokens(2).lanes(2).build();
    try (Cluster cluster = Cluster.plainLoopback(2);
        Rig one = new Rig(cluster, "one", shape, Rig.OPTIONS);
        Rig other = new Rig(cluster, "other", shape, Rig.OPTIONS)) {
      all(one, other, 200).block(Cluster.PATIENCE);
      long[] before = idle(cluster);
      all(one, other, STEPS_OF_EACH / 5).block(Duration.ofHours(6));
      long early = heap();
      all(one, other, STEPS_OF_EACH * 4 / 5).block(Duration.ofHours(6));
      assertThat(idle(cluster)).as("what engines hold").isEqualTo(before);
      assertThat(heap()).as("heap in use").isLessThan(early + SPARE_HEAP);
    }
  }

  private Mono<Void> all(Rig one, Rig other, int count) {
    List<Mono<Void>> all = new ArrayList<>();
    for (Rig rig : List.of(one, other)) {
      for (int lane = 0; lane < 2; lane++) {
        for (int rank = 0; rank < 2; rank++) {
          all.add(steps(rig, rank, lane, count, done -> {}));
        }
      }
    }
    return Mono.when(all);
  }

  private void doSteps(Rig rig, int count) {
    Mono.when(steps(rig, 0, count), steps(rig, 1, count)).block(Cluster.PATIENCE);
  }

  private Mono<Void> steps(Rig rig, int rank, int count) {
    return steps(rig, rank, 0, count, rank == 0 ? this::done : done -> {});
  }

  private Mono<Void> steps(Rig rig, int rank, int lane, int count, IntConsumer done) {
    MemorySegment sums = MemorySegment.ofArray(new byte[4 * (int) SHAPE.sumBytes()]);
    return Flux.range(0, count)
        .concatMap(i -> step(rig, rank, lane, i, sums).doOnSuccess(nothing -> done.accept(i + 1)))
        .then();
  }

  private Mono<Void> step(Rig rig, int rank, int lane, int number, MemorySegment sums) {
    Rig.Tokens of = tokens.get((number + lane) % tokens.size());
    MemorySegment own = sums.asSlice(0, of.count[rank] * SHAPE.sumBytes());
    return rig.begin(rank, lane, of)
        .run(of.payload[rank], batch -> Mono.fromRunnable(() -> Model.compute(SHAPE, batch)), own)
        .doOnSuccess(done -> rig.requireExact(rank, of, own));
  }

  private void done(int steps) {
    if (steps % (STEPS / PARTS) == 0) {
      int part = steps / (STEPS / PARTS);
      if (part == 20) {
        heapEarly = heap();
      }
      if (part <= PARTS) {
        mark(part);
      }
    }
  }

  private void mark(int part) {
    ends[part] = System.nanoTime();
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    used[part] = system.getProcessCpuTime();
  }

  /** Nanoseconds of a step, in the parts of one tenth. */
  private static long median(long[] marks, int from) {
    long[] times = new long[PARTS / 10];
    for (int part = 0; part < times.length; part++) {
      times[part] = (marks[from + part + 1] - marks[from + part]) / (STEPS / PARTS);
    }
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /** What engines hold when no step is under way. */
  private static long[] idle(Cluster cluster) {
    List<Long> held = new ArrayList<>();
    for (TransferEngine engine : cluster.engines) {
      EngineStats stats = engine.stats();
      held.addAll(
          List.of(
              stats.transfersInFlight(),
              stats.writesInFlight(),
              stats.openRegions(),
              stats.openLeases(),
              stats.pendingClaims(),
              stats.unclaimedImms(),
              stats.droppedImms(),
              stats.defects()));
    }
    return held.stream().mapToLong(Long::longValue).toArray();
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
