package io.reactivetransfer.moe;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** The last rank of a group in a process of its own. Does its steps, and then nothing. */
final class RankProgram {

  static final int STEPS = 10;

  static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(3, 6), 2, 16, 40, 8).privateTokens(3).build();

  private RankProgram() {}

  /** The same in each process. */
  static List<Rig.Tokens> tokens() {
    return StepsTest.tokens(new RandomSteps(20_261_131L), SHAPE, STEPS);
  }

  /** One rank's steps, one after the other; an AssertionError if a sum is another one. */
  static void doSteps(MoeGroup group) {
    for (Rig.Tokens step : tokens()) {
      int rank = group.rank();
      MemorySegment sums =
          MemorySegment.ofArray(new byte[(int) (step.count[rank] * SHAPE.sumBytes())]);
      group
          .lane(0)
          .begin(step.count[rank], step.experts[rank], step.weights[rank])
          .run(
              step.payload[rank],
              batch -> Mono.fromRunnable(() -> Model.compute(SHAPE, batch)),
              sums)
          .block(Cluster.PATIENCE);
      Model.requireSame("rank " + rank, sums, step.expected[rank]);
    }
  }

  /**
   * Runs it.
   *
   * @param args the addresses of the other ranks
   */
  public static void main(String[] args) throws InterruptedException {
    TransferEngine engine = Cluster.await(TransferEngineBuilder.create().backend("tcp").open());
    System.out.println("address " + engine.address().toText());
    List<PeerAddress> ranks = new ArrayList<>();
    for (String other : args) {
      ranks.add(PeerAddress.fromText(other));
    }
    ranks.add(engine.address());
    MemorySegment memory =
        Arena.global().allocate(SHAPE.memory(args.length).bytes(), MoeMemory.ALIGNMENT);
    MoeGroup group =
        Cluster.await(
            MoeNode.open(engine).join("processes", SHAPE, ranks, memory, MoeOptions.defaults()));
    doSteps(group);
    System.out.println("done");
    Thread.currentThread().join();
  }
}
