package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a step allocates depends on how many ranks there are, and not on how many tokens. */
class AllocationTest {

  private static final int WARM_UP = 40;
  private static final int STEPS = 40;
  private static final int MANY = 512;
  private static final int ATTEMPTS = 3;

  /** What a token may allocate that is less than any object. */
  private static final int LESS_THAN_AN_OBJECT = 16;

  /** A slice of memory, and what compilers may leave on the heap or not. */
  private static final int FEW_OBJECTS = 256;

  /** What batches have told of, so that nobody leaves the telling out. */
  private final AtomicLong told = new AtomicLong();

  private final ExpertRuns runs = (group, count, tokens, results) -> told.addAndGet(count);

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void noTokenAllocates(boolean inPlace, boolean registered) {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(2, 4), 2, MANY, 32, 8)
            .privateTokens(MANY / 2)
            .inPlace(inPlace)
            .build();
    try (Cluster cluster = Cluster.plainLoopback(2);
        Arena arena = Arena.ofShared();
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      List<MemoryRegion> regions = registered ? regions(cluster, arena) : List.of();
      long few = 0;
      long many = 0;
      long perToken = Long.MAX_VALUE;
      // Whatever else runs in this JVM allocates, too: what a token allocates is in each attempt.
      for (int attempt = 0;
          attempt < ATTEMPTS && (perToken >= LESS_THAN_AN_OBJECT || few >= 64 << 10);
          attempt++) {
        few = bytesPerStep(rig, 8, regions);
        many = bytesPerStep(rig, MANY, regions);
        perToken = (many - few) / (2 * (MANY - 8)); // sent to two experts on two ranks
      }
      assertThat(perToken)
          .as("of %s and %s bytes per step", few, many)
          .isLessThan(LESS_THAN_AN_OBJECT);
      assertThat(few).as("bytes of a step of two ranks").isLessThan(64 << 10);
    }
  }

  /** What NICs gather from where it is takes no more than what was put in send order before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tokensThatAreRegisteredAllocateNothingMore(boolean reuse) {
    MoeShape shape = MoeShape.builder(ExpertPlacement.even(2, 4), 2, MANY, 32, 8).build();
    MoeOptions options = MoeOptions.builder().reuseSteps(reuse).build();
    try (Cluster cluster = Cluster.plainLoopback(2);
        Arena arena = Arena.ofShared();
        Rig rig = new Rig(cluster, shape, options)) {
      List<MemoryRegion> regions = regions(cluster, arena);
      long plain = Long.MAX_VALUE;
      long registered = Long.MAX_VALUE;
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        plain = Math.min(plain, bytesPerStep(rig, 64, List.of()));
        registered = Math.min(registered, bytesPerStep(rig, 64, regions));
      }
      assertThat(registered)
          .as("bytes of a step of two ranks, next to %s of tokens that are copied", plain)
          .isLessThan(plain + 2 * FEW_OBJECTS);
    }
  }

  private static List<MemoryRegion> regions(Cluster cluster, Arena arena) {
    List<MemoryRegion> regions = new ArrayList<>();
    for (TransferEngine engine : cluster.engines) {
      HostMemory memory = new HostMemory(arena.allocate(MANY * 32));
      regions.add(Cluster.await(engine.register(memory, Access.LOCAL)));
    }
    return regions;
  }

  private long bytesPerStep(Rig rig, int tokens, List<MemoryRegion> regions) {
    int[] experts = new int[tokens * 2];
    for (int i = 0; i < experts.length; i++) {
      experts[i] = i % 4;
    }
    float[] weights = new float[experts.length];
    MemorySegment payload = MemorySegment.ofArray(new byte[tokens * 32]);
    List<MemorySegment> sums = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      sums.add(MemorySegment.ofArray(new byte[tokens * 16]));
    }
    steps(rig, WARM_UP, tokens, experts, weights, payload, regions, sums);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getTotalThreadAllocatedBytes();
    steps(rig, STEPS, tokens, experts, weights, payload, regions, sums);
    return (threads.getTotalThreadAllocatedBytes() - before) / STEPS;
  }

  private void steps(
      Rig rig,
      int steps,
      int tokens,
      int[] experts,
      float[] weights,
      MemorySegment payload,
      List<MemoryRegion> regions,
      List<MemorySegment> sums) {
    List<MemorySlice> slices = regions.stream().map(MemoryRegion::whole).toList();
    List<Mono<Void>> ranks = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      int of = rank;
      ranks.add(
          Flux.range(0, steps)
              .concatMap(i -> {
                MoeStep step = rig.groups.get(of).lane(0).begin(tokens, experts, weights);
                Mono<Void> sent =
                    slices.isEmpty()
                        ? step.dispatchSend(payload)
                        : step.dispatchSend(slices.get(of));
                return Mono.when(
                    sent,
                    step.dispatchReceive()
                        .doOnNext(this::ask)
                        .then(Mono.when(step.combineSend(), step.combineReceive(sums.get(of)))));
              })
              .then());
    }
    Mono.when(ranks).block(Cluster.PATIENCE);
  }

  /** Of each token. */
  private void ask(ExpertBatch batch) {
    for (int expert = 0; expert < batch.experts(); expert++) {
      batch.runs(expert, runs);
      for (int i = 0; i < batch.count(expert); i++) {
        told.addAndGet(batch.tokenAt(expert, i) + batch.resultAt(expert, i));
      }
    }
  }
}
