package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.tck.process.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A rank in another process takes part, and ends the steps of the others when it is killed. They go
 * on without it, and then with the process that takes its place.
 */
class KilledRankTest {

  private final List<MemorySegment> memory = new ArrayList<>();
  private List<MoeGroup> groups = List.of();

  @Test
  void aProcessThatIsKilledEndsTheStepOfAllOthersWhoGoOnWithoutItAndWithItsSuccessor()
      throws Exception {
    try (Cluster cluster = Cluster.tcp(2);
        Arena arena = Arena.ofShared()) {
      allocate(arena);
      try (JavaProcess third = start(cluster, 0)) {
        doSteps(with(cluster, third), 0, cluster);
        third.awaitLine("done");
        List<Mono<String>> waiting = begin();
        third.handle().destroyForcibly();
        assertThat(Cluster.await(Flux.mergeSequential(waiting).collectList()))
            .allMatch(outcome -> outcome.startsWith("2 group processes is over: rank 2 "));
      }
      doSteps(cluster.addresses(), 1, cluster);
      try (JavaProcess successor = start(cluster, 2)) {
        doSteps(with(cluster, successor), 2, cluster);
        successor.awaitLine("done");
        List<Mono<String>> waiting = begin();
        successor.handle().destroyForcibly();
        assertThat(Cluster.await(Flux.mergeSequential(waiting).collectList()))
            .allMatch(
                outcome -> outcome.startsWith("2 group processes in epoch 2 is over: rank 2 "));
      }
      groups.forEach(group -> group.close().block(Cluster.PATIENCE));
    }
  }

  // In a usual build a rank stands still on the simulated network, where it writes late, too.
  @Tag("nightly")
  @Test
  void aProcessThatStandsStillIsNamedByAllOthersAndWritesNowhereWhenItGoesOn() throws Exception {
    try (Cluster cluster = Cluster.tcp(2);
        Arena arena = Arena.ofShared();
        ExecutorService waiting = Executors.newSingleThreadExecutor()) {
      allocate(arena);
      List<String> options = List.of("--sun-misc-unsafe-memory-access=allow", "-Dendless=true");
      try (JavaProcess third = start(cluster, 0, options)) {
        doSteps(with(cluster, third), 0, cluster);
        List<Mono<String>> steps = doStepsUntilTheEnd();
        third.awaitLine("round 3");
        signal(third, "-STOP");
        long stopped = System.nanoTime();
        assertThat(Cluster.await(Flux.mergeSequential(steps).collectList()))
            .allMatch(outcome -> outcome.startsWith("2 group processes is over: rank 2 "));
        assertThat(Duration.ofNanos(System.nanoTime() - stopped))
            .as("until both were told")
            .isLessThan(MoeOptions.defaults().deadline());
        // In the same memory, to which the other one has not written all that it had begun.
        doSteps(cluster.addresses(), 1, cluster);
        signal(third, "-CONT");
        Future<Matcher> over = waiting.submit(() -> third.awaitLine("over (.*)"));
        do {
          doSteps();
        } while (!over.isDone());
        assertThat(over.get().group(1)).startsWith("group processes is over: ");
        doSteps();
      }
      // Both at once, since each waits for the other.
      Flux.fromIterable(groups).flatMap(MoeGroup::close).blockLast(Cluster.PATIENCE);
    }
  }

  private static void signal(JavaProcess process, String signal) throws Exception {
    String pid = String.valueOf(process.handle().pid());
    assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
  }

  private void allocate(Arena arena) {
    for (int rank = 0; rank < 2; rank++) {
      long bytes =
          Math.max(
              RankProgram.shape(2).memory(rank).bytes(), RankProgram.shape(3).memory(rank).bytes());
      memory.add(arena.allocate(bytes, MoeMemory.ALIGNMENT));
    }
  }

  private static JavaProcess start(Cluster cluster, long epoch, List<String> options)
      throws Exception {
    return JavaProcess.start(
        JavaProcess.command(
            options,
            RankProgram.class.getName(),
            String.valueOf(epoch),
            cluster.engines.get(0).address().toText(),
            cluster.engines.get(1).address().toText()));
  }

  private static JavaProcess start(Cluster cluster, long epoch) throws Exception {
    return start(cluster, epoch, List.of("--sun-misc-unsafe-memory-access=allow"));
  }

  private static List<PeerAddress> with(Cluster cluster, JavaProcess third) throws Exception {
    List<PeerAddress> ranks = new ArrayList<>(cluster.addresses());
    ranks.add(PeerAddress.fromText(third.awaitLine("address (.*)").group(1)));
    return ranks;
  }

  /** Joins, or goes on as, a group of these ranks, and does all steps of the ranks 0 and 1. */
  private void doSteps(List<PeerAddress> ranks, long epoch, Cluster cluster) {
    MoeShape shape = RankProgram.shape(ranks.size());
    List<Mono<MoeGroup>> joining = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      joining.add(
          epoch == 0
              ? cluster
                  .nodes
                  .get(rank)
                  .join("processes", shape, ranks, memory.get(rank), Rig.OPTIONS)
              : groups.get(rank).regroup(epoch, shape, ranks, memory.get(rank)));
    }
    groups = Cluster.await(Flux.mergeSequential(joining).collectList());
    doSteps();
  }

  /** All steps of the ranks 0 and 1. */
  private void doSteps() {
    Flux.fromIterable(groups)
        .flatMap(group ->
            Mono.<Void>fromRunnable(() -> RankProgram.doSteps(group))
                .subscribeOn(Schedulers.boundedElastic()))
        .blockLast(Cluster.PATIENCE);
  }

  /** The same again and again, until the group is over, of which it emits how. */
  private List<Mono<String>> doStepsUntilTheEnd() {
    List<Mono<String>> all = new ArrayList<>();
    for (MoeGroup group : groups) {
      all.add(
          Mono.<String>fromRunnable(
                  () -> {
                    while (true) {
                      RankProgram.doSteps(group);
                    }
                  })
              .subscribeOn(Schedulers.boundedElastic())
              .onErrorResume(
                  GroupFailedException.class,
                  e -> Mono.just(e.rank().orElse(-1) + " " + e.getMessage()))
              .cache());
    }
    all.forEach(Mono::subscribe);
    return all;
  }

  /** Begins a step that does not end by itself. */
  private List<Mono<String>> begin() {
    List<Mono<String>> waiting = new ArrayList<>();
    for (MoeGroup group : groups) {
      MemorySegment none = MemorySegment.ofArray(new byte[0]);
      MoeStep step = group.lane(0).begin(0, new int[0], new float[0]);
      waiting.add(
          step.run(none, batch -> Mono.empty(), none)
              .thenReturn("done")
              .onErrorResume(
                  GroupFailedException.class,
                  e -> Mono.just(e.rank().orElse(-1) + " " + e.getMessage()))
              .cache());
    }
    waiting.forEach(Mono::subscribe);
    return waiting;
  }
}
