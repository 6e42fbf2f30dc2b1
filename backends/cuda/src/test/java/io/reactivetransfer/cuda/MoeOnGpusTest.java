package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.FloatType;
import io.reactivetransfer.moe.GroupFailedException;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Tokens of one GPU go to experts on GPUs, and their sums come back to it. */
@Timeout(120)
class MoeOnGpusTest {

  private static final Duration PATIENCE = Duration.ofSeconds(50);
  private static final int RANKS = 2;
  private static final int EXPERTS = 6;
  private static final int TOP_K = 2;
  private static final int HIDDEN = 1024;
  private static final int TOKEN_BYTES = HIDDEN * Float.BYTES;

  /** More than are copied at once. */
  private static final int MAX_TOKENS = 90;

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(RANKS, EXPERTS), TOP_K, MAX_TOKENS, TOKEN_BYTES, HIDDEN)
          .resultType(FloatType.FP32)
          .sumType(FloatType.FP32)
          .privateTokens(16)
          .expertAlignment(8)
          .lanes(2)
          .build();

  /** What is in memory before anything comes there. */
  private static final byte BEFORE = 0x5b;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();
  private final List<TransferEngine> engines = new ArrayList<>();
  private final List<CudaMemory> allocated = new ArrayList<>();
  private final List<MoeNode> nodes = new ArrayList<>();
  private final List<MoeGroup> groups = new ArrayList<>();

  /** Where the experts of each rank have tokens and results. */
  private final List<DeviceMemory> ofExperts = new ArrayList<>();

  private final Arena arena = Arena.ofShared();

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  private DeviceMemory memory(Device device, long bytes) {
    CudaMemory memory = CudaMemory.allocate(device, bytes);
    allocated.add(memory);
    return memory.memory();
  }

  @AfterEach
  void closeAll() {
    Mono.when(groups.stream().map(MoeGroup::close).toList()).block(PATIENCE);
    engines.forEach(engine -> engine.close().block(PATIENCE));
    allocated.forEach(CudaMemory::close);
    arena.close();
  }

  private void open(String backend) {
    for (int rank = 0; rank < RANKS; rank++) {
      engines.add(await(TransferEngineBuilder.create().backend(backend).open()));
    }
  }

  private Mono<MoeGroup> join(int rank, MoeOptions options) {
    List<PeerAddress> ranks = engines.stream().map(TransferEngine::address).toList();
    MemorySegment host = arena.allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    MoeNode node = MoeNode.open(engines.get(rank));
    nodes.add(node);
    return node.join("layer", SHAPE, ranks, host, options);
  }

  /** Both ranks, with experts on a GPU each. */
  private void join(String backend) {
    join(backend, null);
  }

  /**
   * The same.
   *
   * @param flags of the first rank, or null
   */
  private void join(String backend, @Nullable MemorySegment flags) {
    open(backend);
    List<Mono<MoeGroup>> joining = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      Device device = rank == 0 ? Gpus.FIRST : Gpus.SECOND;
      DeviceMemory experts = memory(device, SHAPE.memory(rank).expertBytes());
      ofExperts.add(experts);
      MoeOptions.Builder options = MoeOptions.builder().expertMemory(experts);
      if (rank == 0 && flags != null) {
        options.arrivalFlags(flags);
      }
      joining.add(join(rank, options.build()));
    }
    groups.addAll(await(Mono.zip(joining, all -> List.of((MoeGroup) all[0], (MoeGroup) all[1]))));
  }

  private void fill(DeviceMemory memory) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment host = own.allocate(memory.length()).fill(BEFORE);
      access.copyFromHost(host, 0, memory, 0, memory.length());
    }
  }

  private byte[] bytes(DeviceMemory memory) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment host = own.allocate(memory.length());
      access.copyToHost(memory, 0, host, 0, memory.length());
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** Expert e multiplies with e + 1, as a kernel does it: in the memory of its GPU. */
  private void compute(ExpertBatch batch) {
    DeviceMemory tokens = (DeviceMemory) batch.tokenMemory();
    DeviceMemory results = (DeviceMemory) batch.resultMemory();
    for (int i = 0; i < batch.experts(); i++) {
      long count = batch.count(i) * (long) HIDDEN;
      if (count == 0) {
        continue;
      }
      try (Arena own = Arena.ofConfined()) {
        MemorySegment host = own.allocate(count * Float.BYTES, Float.BYTES);
        access.copyToHost(
            tokens, batch.firstRow(i) * batch.tokenStride(), host, 0, host.byteSize());
        for (long j = 0; j < count; j++) {
          float value = host.getAtIndex(ValueLayout.JAVA_FLOAT, j);
          host.setAtIndex(ValueLayout.JAVA_FLOAT, j, value * (batch.expert(i) + 1));
        }
        access.copyFromHost(
            host, 0, results, batch.firstRow(i) * batch.resultStride(), host.byteSize());
      }
    }
    requireGapsAsBefore(batch, bytes(tokens));
  }

  /** Behind the tokens of each expert, up to where those of the next one begin. */
  private static void requireGapsAsBefore(ExpertBatch batch, byte[] tokens) {
    for (int i = 0; i + 1 < batch.experts(); i++) {
      int from = (batch.firstRow(i) + batch.count(i)) * TOKEN_BYTES;
      for (int at = from; at < batch.firstRow(i + 1) * TOKEN_BYTES; at++) {
        if (tokens[at] != BEFORE) {
          throw new AssertionError("byte " + at + " behind expert " + batch.expert(i));
        }
      }
    }
  }

  /** The tokens of one rank in one step, where they lie and where their sums go. */
  private final class Part {

    final int count;
    final int[] experts;
    final float[] weights;
    final float[][] tokens;
    final long stride;
    final DeviceMemory from;
    final DeviceMemory to;

    /**
     * Some at random.
     *
     * @param gap bytes between two tokens, and two sums
     */
    Part(Device device, int count, long gap, Random random) {
      this.count = count;
      experts = new int[count * TOP_K];
      weights = new float[count * TOP_K];
      tokens = new float[count][HIDDEN];
      stride = TOKEN_BYTES + gap;
      from = memory(device, count * stride);
      to = memory(device, count * stride);
      fill(to);
      for (int token = 0; token < count; token++) {
        experts[token * TOP_K] = random.nextInt(EXPERTS);
        experts[token * TOP_K + 1] =
            (experts[token * TOP_K] + 1 + random.nextInt(EXPERTS - 1)) % EXPERTS;
        for (int k = 0; k < TOP_K; k++) {
          weights[token * TOP_K + k] = random.nextInt(1, 8);
        }
        for (int i = 0; i < HIDDEN; i++) {
          tokens[token][i] = random.nextInt(-1000, 1000); // small: all sums are exact
        }
        try (Arena own = Arena.ofConfined()) {
          MemorySegment host = own.allocateFrom(ValueLayout.JAVA_FLOAT, tokens[token]);
          access.copyFromHost(host, 0, from, token * stride, TOKEN_BYTES);
        }
      }
    }

    Mono<Void> run(MoeGroup group, int lane) {
      MoeStep step = group.lane(lane).begin(count, experts, weights);
      Mono<Void> sent = step.dispatchSend(from, stride);
      Mono<Void> summed = step.combineReceive(to, stride);
      return Mono.when(
          sent,
          step.dispatchReceive()
              .doOnNext(MoeOnGpusTest.this::compute)
              .flatMap(batch -> Mono.when(step.combineSend(), summed)));
    }

    void requireSums() {
      byte[] bytes = bytes(to);
      MemorySegment sums = MemorySegment.ofArray(bytes);
      for (int token = 0; token < count; token++) {
        float factor = 0;
        for (int pair = token * TOP_K; pair < (token + 1) * TOP_K; pair++) {
          factor += weights[pair] * (experts[pair] + 1);
        }
        for (int i = 0; i < HIDDEN; i++) {
          float sum = sums.get(ValueLayout.JAVA_FLOAT_UNALIGNED, token * stride + 4L * i);
          if (sum != factor * tokens[token][i]) {
            throw new AssertionError("token " + token + ", number " + i + ": " + sum);
          }
        }
        for (long at = token * stride + TOKEN_BYTES; at < (token + 1) * stride; at++) {
          assertThat(bytes[Math.toIntExact(at)]).as("behind token %s", token).isEqualTo(BEFORE);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void tokensAndSumsStayOnGpus(String backend) {
    join(backend);
    Random random = new Random(5);
    for (int step = 0; step < 3; step++) {
      int lane = step % 2;
      ofExperts.forEach(this::fill);
      Part first = new Part(Gpus.FIRST, MAX_TOKENS - step, 0, random);
      Part second = new Part(Gpus.SECOND, step == 1 ? 1 : MAX_TOKENS, 64, random);
      Mono.when(first.run(groups.get(0), lane), second.run(groups.get(1), lane)).block(PATIENCE);
      first.requireSums();
      second.requireSums();
    }
  }

  /** As an application maps them; a {@link CudaWord} has not room for them. */
  @Test
  void aStreamWaitsForArrivalFlagsThatTheDriverHasMapped() {
    long bytes = 24L * SHAPE.lanes();
    MemorySegment flags = arena.allocate(bytes, 4_096);
    Pointer host = Pointer.to(flags.asByteBuffer());
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    CUstream stream = new CUstream();
    gpu.within(() -> {
      int map = JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE | JCudaDriver.CU_MEMHOSTREGISTER_DEVICEMAP;
      CUdeviceptr words = new CUdeviceptr();
      Results.require("register", () -> JCudaDriver.cuMemHostRegister(host, bytes, map));
      Results.require("map", () -> JCudaDriver.cuMemHostGetDevicePointer(words, host, 0));
      Results.require("cuStreamCreate", () -> JCudaDriver.cuStreamCreate(stream, 0));
      // The third word of lane 1, in its second step.
      CUdeviceptr batches = words.withByteOffset(24 + 16);
      Results.require(
          "cuStreamWaitValue64",
          () -> JCudaDriver.cuStreamWaitValue64(stream, batches, 2, Cu.CU_STREAM_WAIT_VALUE_GEQ));
      return true;
    });
    join("loopback", flags);
    Random random = new Random(8);
    for (int step = 1; step <= 2; step++) {
      assertThat(gpu.within(() -> JCudaDriver.cuStreamQuery(stream)))
          .as("before step %s", step)
          .isEqualTo(CUresult.CUDA_ERROR_NOT_READY);
      ofExperts.forEach(this::fill);
      Part first = new Part(Gpus.FIRST, 5, 0, random);
      Part second = new Part(Gpus.SECOND, 5, 0, random);
      Mono.when(first.run(groups.get(0), 1), second.run(groups.get(1), 1)).block(PATIENCE);
      first.requireSums();
    }
    gpu.within(() -> {
      Results.require("cuStreamSynchronize", () -> JCudaDriver.cuStreamSynchronize(stream));
      return JCudaDriver.cuStreamDestroy(stream);
    });
    Mono.when(groups.stream().map(MoeGroup::close).toList()).block(PATIENCE);
    gpu.within(() -> JCudaDriver.cuMemHostUnregister(host));
  }

  @Test
  void aGroupIsNotJoinedInMemoryOfExpertsOfAnother() {
    join("loopback");
    DeviceMemory experts = ofExperts.getFirst();
    MoeOptions options = MoeOptions.builder().expertMemory(experts).build();
    List<PeerAddress> ranks = engines.stream().map(TransferEngine::address).toList();
    MemorySegment host = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
    Mono<MoeGroup> joining = nodes.getFirst().join("other", SHAPE, ranks, host, options);
    String range =
        "memory for experts (%d bytes at 0x%x of %s)"
            .formatted(experts.length(), experts.address(), experts.device());
    assertThatThrownBy(() -> joining.block(PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "expected memory that no other group uses on this engine, got "
                + range
                + " for group other, where "
                + range
                + " of group layer is; wait until close() of that one has completed");
  }

  @Test
  void expertsThatComputeInPlaceAreNotOnAGpu() {
    open("loopback");
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(1, EXPERTS), TOP_K, 1, 16, 4).inPlace(true).build();
    DeviceMemory experts = memory(Gpus.FIRST, 256);
    MoeOptions options = MoeOptions.builder().expertMemory(experts).build();
    MemorySegment host = arena.allocate(shape.memory(0).bytes(), MoeMemory.ALIGNMENT);
    List<PeerAddress> one = List.of(engines.getFirst().address());
    MoeNode node = MoeNode.open(engines.getFirst());
    assertThatThrownBy(() -> node.join("layer", shape, one, host, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected experts that compute in memory of the host, as the shape is in place, got"
                + " some on "
                + Gpus.FIRST);
  }

  @Test
  void aGpuThatRefusesACopyEndsTheGroup() {
    join("loopback");
    Random random = new Random(6);
    Part first = new Part(Gpus.FIRST, 4, 0, random);
    Part second = new Part(Gpus.SECOND, 4, 0, random);
    gpus.driver().fault("cuMemcpyDtoHAsync_v2", 1, 1);
    assertThatThrownBy(() ->
            Mono.when(first.run(groups.get(0), 0), second.run(groups.get(1), 0)).block(PATIENCE))
        .isInstanceOf(GroupFailedException.class)
        .hasMessageContaining("copying or summing up has failed")
        .hasMessageContaining("CUDA_ERROR_INVALID_VALUE");
  }

  @Test
  void memoryThatDoesNotFitIsRefusedBeforeAnythingBegins() {
    join("loopback");
    DeviceMemory little = memory(Gpus.FIRST, TOKEN_BYTES);
    DeviceMemory nowhere = new DeviceMemory(Device.of("cuda", 9), 4096, 1L << 30);
    assertThatThrownBy(() -> join(0, MoeOptions.builder().expertMemory(little).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("for the experts of rank 0, got 4096 of cuda:0");
    assertThatThrownBy(() -> join(0, MoeOptions.builder().expertMemory(nowhere).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected access to device cuda:9, got none");
    assertThatThrownBy(() -> MoeOptions.builder().expertMemory(little.slice(16, 16)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected memory at a multiple of 256");
    MoeStep step = groups.getFirst().lane(0).begin(2, new int[] {0, 1, 2, 3}, new float[4]);
    assertThatThrownBy(() -> step.dispatchSend(little))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory for 2 of them");
    assertThatThrownBy(() -> step.dispatchSend(nowhere))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected tokens that can be copied: expected access to device");
    assertThatThrownBy(() -> step.combineReceive(nowhere))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected sums that can be copied: expected access to device");
  }

  @Test
  void expertsOnAGpuAreNotGivenMemoryOfTheHost() {
    join("loopback");
    Part first = new Part(Gpus.FIRST, 4, 0, new Random(7));
    Mono<Void> all =
        Mono.when(
            groups.stream()
                .map(group -> {
                  MoeStep step = group.lane(0).begin(4, first.experts, first.weights);
                  Mono<Void> sent = step.dispatchSend(first.from);
                  return Mono.when(
                      sent,
                      step.dispatchReceive()
                          .doOnNext(batch -> {
                            assertThatThrownBy(batch::tokens)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("take tokenMemory()");
                            assertThatThrownBy(batch::results)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("take resultMemory()");
                          }));
                })
                .toList());
    all.block(PATIENCE);
  }
}
