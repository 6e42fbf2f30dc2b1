package io.reactivetransfer.examples.snippets;

import static jcuda.driver.JCudaDriver.CU_MEMHOSTREGISTER_DEVICEMAP;
import static jcuda.driver.JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE;
import static jcuda.driver.JCudaDriver.cuMemHostGetDevicePointer;
import static jcuda.driver.JCudaDriver.cuMemHostRegister;
import static jcuda.driver.JCudaDriver.cuStreamWaitValue64;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.CudaMemory;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeLane;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.Function;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
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

  void registeredTokens(
      TransferEngine engine,
      MemorySegment memory,
      MoeShape shape,
      MoeStep step,
      long offset,
      long tokens,
      Function<ExpertBatch, Mono<Void>> experts,
      MemorySegment sums) {
    MemoryRegion region = engine.register(new HostMemory(memory), Access.LOCAL).block(); // once
    step.run(region.slice(offset, tokens * shape.tokenBytes()), experts, sums);
  }

  abstract void compute(int expert, MemorySegment memory, long token, long result);

  void eachToken(ExpertBatch batch) {
    MemorySegment memory = batch.memory();
    for (int e = 0; e < batch.experts(); e++) {
      for (int i = 0; i < batch.count(e); i++) {
        compute(batch.expert(e), memory, batch.tokenAt(e, i), batch.resultAt(e, i));
      }
    }
  }

  /** What a micro-batch has in a layer. */
  record Batch(
      int tokens, int[] experts, float[] weights, MemorySegment payload, MemorySegment sums) {}

  abstract Mono<Void> attention(Batch of);

  abstract Mono<Void> kernels(ExpertBatch batch);

  Mono<Void> layer(MoeLane lane, Batch of) {
    return attention(of)
        .then(
            Mono.defer(() -> {
              MoeStep step = lane.begin(of.tokens(), of.experts(), of.weights());
              Mono<Void> sent = step.dispatchSend(of.payload());
              Mono<Void> computed = step.dispatchReceive().flatMap(batch -> kernels(batch));
              Mono<Void> back =
                  Mono.defer(() -> Mono.when(step.combineSend(), step.combineReceive(of.sums())));
              return Mono.when(sent, computed.then(back));
            }));
  }

  Mono<Void> overlapped(MoeGroup group, Batch first, Batch second) {
    Mono<Void> both = Mono.when(layer(group.lane(0), first), layer(group.lane(1), second));
    return both;
  }

  void arrivalFlags(Arena arena, int lanes, int lane, long n) {
    MemorySegment flags = arena.allocate(24 * lanes, 8);
    MoeOptions options = MoeOptions.builder().arrivalFlags(flags).build();
    begin(options);
    while ((long) WORD.getAcquire(flags, 24L * lane + 16) < n) {
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

  static void flagsForAGpu(Arena arena, int lanes, int lane, long n, CUstream stream) {
    MemorySegment flags = arena.allocate(4096, 4096); // a page of their own, for up to 170 lanes
    Pointer host = Pointer.to(flags.asByteBuffer());
    CUdeviceptr words = new CUdeviceptr(); // what kernels and streams call them
    cuMemHostRegister(
        host, flags.byteSize(), CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    cuMemHostGetDevicePointer(words, host, 0);
    // The stream goes on when its experts have all tokens of step n of this lane.
    cuStreamWaitValue64(stream, words.withByteOffset(24 * lane + 16), n, 0); // 0: greater or equal
  }
}
