package io.reactivetransfer.moe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The last rank of a group in a process of its own. Does its steps, and then nothing; or, with
 * {@code -Dendless=true}, the same ones again and again until the group is over.
 */
final class RankProgram {

  static final int STEPS = 10;

  /** For so many ranks. */
  static MoeShape shape(int ranks) {
    return MoeShape.builder(ExpertPlacement.even(ranks, 6), 2, 16, 40, 8).privateTokens(3).build();
  }

  private RankProgram() {}

  /** The same in each process. */
  static List<Rig.Tokens> tokens(MoeShape shape) {
    return StepsTest.tokens(new RandomSteps(20_261_131L), shape, STEPS);
  }

  /** One rank's steps, one after the other; an AssertionError if a sum is another one. */
  static void doSteps(MoeGroup group) {
    MoeShape shape = group.shape();
    int rank = group.rank();
    for (Rig.Tokens step : tokens(shape)) {
      MemorySegment sums =
          MemorySegment.ofArray(new byte[(int) (step.count[rank] * shape.sumBytes())]);
      group
          .lane(0)
          .begin(step.count[rank], step.experts[rank], step.weights[rank])
          .run(
              step.payload[rank],
              batch -> Mono.fromRunnable(() -> Model.compute(shape, batch)),
              sums)
          .block(Cluster.PATIENCE);
      Model.requireSame("rank " + rank, sums, step.expected[rank]);
    }
  }

  /**
   * Runs it.
   *
   * @param args the epoch of the group, and the addresses of the other ranks
   */
  public static void main(String[] args) throws InterruptedException {
    // The end of a process is seen by its connections; silence is not what this is about.
    EngineOptions options =
        EngineOptions.builder().livenessDeadline(Duration.ofSeconds(30)).build();
    TransferEngine engine =
        Cluster.await(TransferEngineBuilder.create().backend("tcp").options(options).open());
    System.out.println("address " + engine.address().toText());
    List<PeerAddress> ranks = new ArrayList<>();
    for (int other = 1; other < args.length; other++) {
      ranks.add(PeerAddress.fromText(args[other]));
    }
    ranks.add(engine.address());
    MoeShape shape = shape(ranks.size());
    MemorySegment memory =
        Arena.global().allocate(shape.memory(ranks.size() - 1).bytes(), MoeMemory.ALIGNMENT);
    MoeGroup group =
        Cluster.await(
            MoeNode.open(engine)
                .join(
                    "processes",
                    Long.parseLong(args[0]),
                    shape,
                    ranks,
                    memory,
                    MoeOptions.defaults()));
    doSteps(group);
    System.out.println("done");
    if (Boolean.getBoolean("endless")) {
      try {
        for (int round = 1; ; round++) {
          doSteps(group);
          System.out.println("round " + round);
        }
      } catch (GroupFailedException e) {
        System.out.println("over " + e.getMessage());
      }
    }
    Thread.currentThread().join();
  }
}
