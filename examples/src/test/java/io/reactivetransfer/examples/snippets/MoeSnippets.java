package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.Device;
import io.reactivetransfer.Memory;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.CudaMemory;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import reactor.core.publisher.Mono;

/** The lines of docs/moe.md that nothing else here compiles. */
abstract class MoeSnippets {

  static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  abstract Mono<Void> kernels(Memory tokens, Memory results);

  MoeOptions memoryOfAGpu(Device gpu, MoeShape shape, int rank) {
    CudaMemory experts = CudaMemory.allocate(gpu, shape.memory(rank).expertBytes());
    MoeOptions options = MoeOptions.builder().expertMemory(experts.memory()).build();
    return options;
  }

  void stepOnAGpu(MoeStep step, Memory tokens, Memory sums) {
    step.run(tokens, batch -> kernels(batch.tokenMemory(), batch.resultMemory()), sums);
  }

  void arrivalFlags(Arena arena, int lanes, int lane, long n) {
    MemorySegment flags = arena.allocate(16 * lanes, 8);
    MoeOptions options = MoeOptions.builder().arrivalFlags(flags).build();
    begin(options);
    while ((long) WORD.getAcquire(flags, 16L * lane) < n) {
      Thread.onSpinWait();
    }
  }

  abstract void begin(MoeOptions options);

  List<Mono<MoeGroup>> epochs(
      TransferEngine engine,
      MoeGroup group,
      PeerAddress rank0,
      PeerAddress rank1,
      PeerAddress rank2,
      MoeShape whole,
      MemorySegment memory,
      MoeOptions options) {
    MoeShape without = MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 16, 4).build();
    Mono<MoeGroup> two = group.regroup(1, without, List.of(rank0, rank1), memory);

    Mono<MoeGroup> three = group.regroup(2, whole, List.of(rank0, rank1, rank2), memory);
    Mono<MoeGroup> joined =
        MoeNode.open(engine)
            .join("layers/1", 2, whole, List.of(rank0, rank1, rank2), memory, options);
    return List.of(two, three, joined);
  }
}
