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

/** A rank in another process takes part, and ends the steps of the others when it is killed. */
class KilledRankTest {

  @Test
  void aProcessThatIsKilledEndsTheStepOfAllOthersWithItsName() throws Exception {
    MoeShape shape = RankProgram.SHAPE;
    try (Cluster cluster = Cluster.tcp(2);
        Arena arena = Arena.ofShared();
        JavaProcess third =
            JavaProcess.start(
                RankProgram.class.getName(),
                cluster.engines.get(0).address().toText(),
                cluster.engines.get(1).address().toText())) {
      List<PeerAddress> ranks = new ArrayList<>(cluster.addresses());
      ranks.add(PeerAddress.fromText(third.awaitLine("address (.*)").group(1)));
      List<Mono<MoeGroup>> joining = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        MemorySegment memory = arena.allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
        joining.add(cluster.nodes.get(rank).join("processes", shape, ranks, memory, Rig.OPTIONS));
      }
      List<MoeGroup> groups = Cluster.await(Flux.mergeSequential(joining).collectList());
      Flux.fromIterable(groups)
          .flatMap(group ->
              Mono.<Void>fromRunnable(() -> RankProgram.doSteps(group))
                  .subscribeOn(Schedulers.boundedElastic()))
          .blockLast(Cluster.PATIENCE);
      third.awaitLine("done");

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
      third.handle().destroyForcibly();
      assertThat(Cluster.await(Flux.mergeSequential(waiting).collectList()))
          .allMatch(outcome -> outcome.startsWith("2 group processes is over: rank 2 "));
      groups.forEach(group -> group.close().block(Cluster.PATIENCE));
    }
  }
}
