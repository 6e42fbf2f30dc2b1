package io.reactivetransfer.examples.first;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.FloatType;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import reactor.core.publisher.Mono;

public final class FirstExperts {

  // Two ranks, four experts, two for each token; at most eight tokens of four numbers.
  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 16, 4)
          .resultType(FloatType.FP32)
          .sumType(FloatType.FP32)
          .build();

  public static void main(String[] args) {
    TransferEngine left = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine right = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      // Between two processes, send address().toBytes() by whatever means you have.
      List<PeerAddress> ranks = List.of(left.address(), right.address());
      Mono.zip(join(left, ranks, arena), join(right, ranks, arena))
          .flatMap(groups ->
              Mono.when(step(groups.getT1()), step(groups.getT2()))
                  .then(Mono.when(groups.getT1().close(), groups.getT2().close())))
          .block();
      left.close().then(right.close()).block();
    }
  }

  private static Mono<MoeGroup> join(TransferEngine engine, List<PeerAddress> ranks, Arena arena) {
    long bytes = SHAPE.memory(ranks.indexOf(engine.address())).bytes();
    MemorySegment memory = arena.allocate(bytes, MoeMemory.ALIGNMENT);
    return MoeNode.open(engine).join("layers/1", SHAPE, ranks, memory, MoeOptions.defaults());
  }

  // Each rank has one token: its own number, for the experts 0 and 3.
  private static Mono<Void> step(MoeGroup group) {
    float number = group.rank() + 1;
    MemorySegment token = MemorySegment.ofArray(new float[] {number, number, number, number});
    MemorySegment sum = MemorySegment.ofArray(new float[4]);
    MoeStep step = group.lane(0).begin(1, new int[] {0, 3}, new float[] {0.5f, 2});
    return step.run(token, batch -> Mono.fromRunnable(() -> compute(batch)), sum)
        .doOnSuccess(done ->
            System.out.println(
                "The sum of rank "
                    + group.rank()
                    + " is "
                    + sum.getAtIndex(ValueLayout.JAVA_FLOAT, 0)));
  }

  // Expert e multiplies with e + 1.
  private static void compute(ExpertBatch batch) {
    for (int i = 0; i < batch.experts(); i++) {
      for (int row = batch.firstRow(i); row < batch.firstRow(i) + batch.count(i); row++) {
        for (int j = 0; j < 4; j++) {
          float value =
              batch.tokens().get(ValueLayout.JAVA_FLOAT, row * batch.tokenStride() + 4L * j);
          batch
              .results()
              .set(
                  ValueLayout.JAVA_FLOAT,
                  row * batch.resultStride() + 4L * j,
                  value * (batch.expert(i) + 1));
        }
      }
    }
  }
}
