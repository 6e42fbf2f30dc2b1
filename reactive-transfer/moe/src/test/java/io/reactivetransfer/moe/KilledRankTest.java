package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.tck.process.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
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
      for (int rank = 0; rank < 2; rank++) {
        long bytes =
            Math.max(
                RankProgram.shape(2).memory(rank).bytes(),
                RankProgram.shape(3).memory(rank).bytes());
        memory.add(arena.allocate(bytes, MoeMemory.ALIGNMENT));
      }
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

  private static JavaProcess start(Cluster cluster, long epoch) throws Exception {
    return JavaProcess.start(
        RankProgram.class.getName(),
        String.valueOf(epoch),
        cluster.engines.get(0).address().toText(),
        cluster.engines.get(1).address().toText());
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
    Flux.fromIterable(groups)
        .flatMap(group ->
            Mono.<Void>fromRunnable(() -> RankProgram.doSteps(group))
                .subscribeOn(Schedulers.boundedElastic()))
        .blockLast(Cluster.PATIENCE);
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
