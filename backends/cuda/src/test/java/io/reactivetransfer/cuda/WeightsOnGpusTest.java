package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.LocalPart;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Recipe;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TargetMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.run.UpdateTargets;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Weights that a trainer has on one GPU come to inference ranks that have theirs on another. */
@Timeout(120)
class WeightsOnGpusTest {

  private static final Duration PATIENCE = Duration.ofSeconds(50);
  private static final int RANKS = 2;

  /** Goes as it lies: half of the rows to each rank, more than is copied at once for a checksum. */
  private static final Tensor PLAIN = new Tensor("plain", DataType.BF16, Shape.of(640, 512));

  /** Is cast: half of the columns for each rank, so that each row has a gap. */
  private static final Tensor WIDE = new Tensor("wide", DataType.FP32, Shape.of(320, 384));

  private static final Tensor NARROW = new Tensor("narrow", DataType.BF16, Shape.of(320, 384));

  /** Is turned: neither its rows nor its columns are as long. */
  private static final Tensor TURNED = new Tensor("turned", DataType.BF16, Shape.of(512, 640));

  private static final long SOURCE_BYTES = PLAIN.bytes() + WIDE.bytes();
  private static final long TARGET_BYTES =
      (PLAIN.bytes() + NARROW.bytes() + TURNED.bytes()) / RANKS;

  /** Of the plain tensor at a rank; not among what is copied first for its sum. */
  private static final int LATE_BYTE = 300_000;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();
  private final List<TransferEngine> engines = new ArrayList<>();
  private final List<CudaMemory> allocated = new ArrayList<>();
  private final List<WeightsRank> ranks = new ArrayList<>();

  /** What happens to bytes at a rank after all have come. */
  private final AtomicReference<Consumer<FilledBuffer>> damage =
      new AtomicReference<>(filled -> {});

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  private TransferEngine engine(String backend) {
    TransferEngine engine = await(TransferEngineBuilder.create().backend(backend).open());
    engines.add(engine);
    return engine;
  }

  private DeviceMemory memory(Device device, long bytes) {
    CudaMemory memory = CudaMemory.allocate(device, bytes);
    allocated.add(memory);
    return memory.memory();
  }

  @AfterEach
  void closeAll() {
    engines.forEach(engine -> engine.close().block(PATIENCE));
    allocated.forEach(CudaMemory::close);
  }

  private static RoutingTable table() {
    Sharding all = Sharding.replicated(Mesh.of("train"));
    SourceRank source =
        new SourceRank(
            Rank.of("trainer", RegionSpec.registered(SOURCE_BYTES)),
            List.of(
                new SourceShare(PLAIN, "dense", all.of(PLAIN, 0).pieces(0, 0)),
                new SourceShare(WIDE, "dense", all.of(WIDE, 0).pieces(0, PLAIN.bytes()))));
    Sharding halves = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", RANKS))).split(0, "tp");
    Sharding columns = Sharding.replicated(Mesh.of("serve", Mesh.axis("tp", RANKS))).split(1, "tp");
    List<TargetRank> targets = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      long narrow = PLAIN.bytes() / RANKS;
      long turned = narrow + NARROW.bytes() / RANKS;
      targets.add(
          new TargetRank(
              Rank.of("rank-" + rank, RegionSpec.registered(TARGET_BYTES)),
              List.of(
                  new TargetShare(PLAIN, Content.of("plain"), halves.of(PLAIN, rank).pieces(0, 0)),
                  new TargetShare(
                      NARROW, Content.of("wide"), columns.of(NARROW, rank).pieces(0, narrow)),
                  new TargetShare(
                      TURNED,
                      Content.of(Recipe.transposed("plain")),
                      columns.of(TURNED, rank).pieces(0, turned)))));
    }
    return Planner.create().plan(List.of(source), targets);
  }

  /** Weights, of which the cast drops nothing. */
  private static byte[] weights(long seed) {
    byte[] bytes = new byte[Math.toIntExact(SOURCE_BYTES)];
    new Random(seed).nextBytes(bytes);
    for (int i = Math.toIntExact(PLAIN.bytes()); i < bytes.length; i += Float.BYTES) {
      bytes[i] = 0;
      bytes[i + 1] = 0;
      bytes[i + 3] &= 0x3f; // neither infinite nor a NaN
    }
    return bytes;
  }

  /** What a rank has of them, one element after the other. */
  private static byte[] expected(byte[] weights, int rank) {
    byte[] bytes = new byte[Math.toIntExact(TARGET_BYTES)];
    int at = 0;
    for (int row = rank * 320; row < (rank + 1) * 320; row++) {
      for (int column = 0; column < 512; column++) {
        at = put(weights, 2 * (row * 512 + column), bytes, at);
      }
    }
    int wide = Math.toIntExact(PLAIN.bytes());
    for (int row = 0; row < 320; row++) {
      for (int column = rank * 192; column < (rank + 1) * 192; column++) {
        at = put(weights, wide + 4 * (row * 384 + column) + 2, bytes, at);
      }
    }
    for (int column = 0; column < 512; column++) {
      for (int row = rank * 320; row < (rank + 1) * 320; row++) {
        at = put(weights, 2 * (row * 512 + column), bytes, at);
      }
    }
    return bytes;
  }

  private static int put(byte[] from, int offset, byte[] to, int at) {
    to[at] = from[offset];
    to[at + 1] = from[offset + 1];
    return at + 2;
  }

  private void fill(Memory memory, byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      access.copyFromHost(host, 0, (DeviceMemory) memory, 0, bytes.length);
    }
  }

  private byte[] bytes(Memory memory) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(memory.length());
      access.copyToHost((DeviceMemory) memory, 0, host, 0, memory.length());
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private WeightsRank rank(TransferEngine engine, int index) {
    Checksums checksums = Checksums.open(engine);
    WeightsBuffer[] buffers = new WeightsBuffer[2];
    for (int i = 0; i < 2; i++) {
      buffers[i] = new WeightsBuffer(List.of(memory(Gpus.SECOND, TARGET_BYTES)));
    }
    return await(
        WeightsRank.on(engine, "rank-" + index)
            .buffer(buffers[0])
            .buffer(buffers[1])
            .verify(filled -> {
              damage.get().accept(filled);
              return checksums.apply(filled);
            })
            .open());
  }

  /** A trainer, ranks and a controller. */
  private final class Serving {

    final RoutingTable table = table();
    final DeviceMemory weights = memory(Gpus.FIRST, SOURCE_BYTES);
    final TransferEngine controllerEngine;
    final TransferEngine trainerEngine;
    final WeightsController controller;
    final TrainerRank trainer;
    final List<RankMember> members = new ArrayList<>();

    Serving(String backend, RunOptions options) {
      controllerEngine = engine(backend);
      trainerEngine = controllerEngine;
      trainer =
          await(
              TrainerRank.open(
                  trainerEngine,
                  table,
                  0,
                  List.of(SourceMemory.of(await(trainerEngine.register(weights, Access.LOCAL)))),
                  options));
      controller = WeightsController.open(controllerEngine);
      for (int rank = 0; rank < RANKS; rank++) {
        TransferEngine engine = engine(backend);
        ranks.add(rank(engine, rank));
        members.add(new RankMember("rank-" + rank, controllerEngine.peer(engine.address())));
      }
    }

    Mono<UpdateResult> update(long version, UpdateMode mode) {
      long[] arrivals = table.arrivals();
      return controller.update(
          new WeightsUpdate(
              version, mode, Map.of("rank-0", arrivals[0], "rank-1", arrivals[1]), PATIENCE),
          members,
          List.of(TrainerService.local(trainerEngine, trainer, table, ChecksumScope.all())));
    }

    void requireServes(long version, byte[] weights) {
      for (int rank = 0; rank < RANKS; rank++) {
        try (VersionLease lease = ranks.get(rank).lease()) {
          assertThat(lease.version()).isEqualTo(version);
          assertThat(bytes(lease.regions().getFirst()))
              .as("rank %s", rank)
              .isEqualTo(expected(weights, rank));
        }
      }
    }
  }

  private static RunOptions options() {
    return RunOptions.builder().deadline(PATIENCE).build();
  }

  @ParameterizedTest
  @CsvSource({
    "tcp, TWO_BUFFERS_OUTLIVE", "tcp, IN_PLACE",
    "loopback, TWO_BUFFERS_OUTLIVE", "loopback, IN_PLACE"
  })
  void goFromOneGpuToAnother(String backend, UpdateMode mode) {
    Serving serving = new Serving(backend, options());
    for (int version = 1; version <= 2; version++) {
      byte[] weights = weights(version);
      fill(serving.weights, weights);
      UpdateResult result = await(serving.update(version, mode));
      assertThat(result.isFlipped()).as("%s", result).isTrue();
      serving.requireServes(version, weights);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void aByteThatCameOtherwiseIsFoundByItsSum(String backend) {
    Serving serving = new Serving(backend, options());
    byte[] weights = weights(1);
    fill(serving.weights, weights);
    assertThat(await(serving.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
    damage.set(filled -> {
      byte[] came = bytes(filled.regions().getFirst());
      came[LATE_BYTE] ^= 1;
      fill(filled.regions().getFirst(), came);
    });
    UpdateResult result = await(serving.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE));
    assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
    assertThat(result.reason()).contains("tensor plain,").contains("expected CRC-32C");
    serving.requireServes(1, weights);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void aRankThatGoesAwayEndsTheUpdate(String backend) {
    // It goes when the trainer prepares, so that neither has all bytes by then.
    AtomicReference<Runnable> goes = new AtomicReference<>(() -> {});
    RunOptions options =
        RunOptions.builder()
            .deadline(PATIENCE)
            .prepare(task -> {
              goes.getAndSet(() -> {}).run();
              PrepareFunction.standard().prepare(task);
            })
            .build();
    Serving serving = new Serving(backend, options);
    byte[] weights = weights(1);
    fill(serving.weights, weights);
    assertThat(await(serving.update(1, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
    TransferEngine gone = engines.getLast();
    goes.set(() -> gone.close().block(PATIENCE));
    UpdateResult result = await(serving.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE));
    assertThat(result.decision()).as("%s", result).isEqualTo(UpdateResult.Decision.ABORTED);
    serving.trainer.whenQuiet().block(PATIENCE);
    try (VersionLease lease = ranks.getFirst().lease()) {
      assertThat(lease.version()).isEqualTo(1);
      assertThat(bytes(lease.regions().getFirst())).isEqualTo(expected(weights, 0));
    }
  }

  /** What lies on a GPU is gathered, too, though the table says that NICs do not read it. */
  @Test
  void whatNicsAreNotToReadIsCopiedForAnotherTrainer() {
    Tensor tensor = new Tensor("t", DataType.FP32, Shape.of(129, 64));
    Tensor made = new Tensor("q", DataType.INT8, tensor.shape());
    Tensor scale = new Tensor("q.scale", DataType.FP32, Shape.of(1));
    // One scale for all: the first trainer, which has one row more, needs what the other one has.
    Sharding halves = Sharding.replicated(Mesh.of("train", Mesh.axis("fsdp", 2))).split(0, "fsdp");
    List<SourceRank> sources = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      LocalPart part = halves.of(tensor, rank);
      sources.add(
          new SourceRank(
              Rank.of("trainer-" + rank, RegionSpec.loaded(part.bytes())),
              List.of(new SourceShare(tensor, "dense", part.pieces(0, 0)))));
    }
    Sharding whole = Sharding.replicated(Mesh.of("serve"));
    TargetRank target =
        new TargetRank(
            Rank.of("rank", RegionSpec.registered(made.bytes() + scale.bytes())),
            List.of(
                new TargetShare(
                    made,
                    Content.quantized(Recipe.of("t"), Quantization.perTensor()),
                    whole.of(made, 0).pieces(0, 0)),
                new TargetShare(
                    scale, Content.scalesOf("q"), whole.of(scale, 0).pieces(0, made.bytes()))));
    RoutingTable table = Planner.create().plan(sources, List.of(target));
    byte[] ofHost = gathered(table, false);
    assertThat(ofHost).contains(127); // the largest value, whoever has it
    assertThat(gathered(table, true)).isEqualTo(ofHost);
  }

  /** What comes to the rank when trainers have their parts in the host, or on a GPU. */
  private byte[] gathered(RoutingTable table, boolean onGpu) {
    List<TransferEngine> trainers = List.of(engine("loopback"), engine("loopback"));
    RunOptions options =
        RunOptions.builder()
            .deadline(PATIENCE)
            .trainers(trainers.stream().map(TransferEngine::address).toList())
            .build();
    TransferEngine to = engine("loopback");
    long length = table.targets().getFirst().regions().getFirst().bytes();
    DeviceMemory came = memory(Gpus.SECOND, length);
    RegionDescriptor there = await(to.register(came, Access.REMOTE_WRITE)).descriptor();
    List<Mono<Void>> runs = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      long bytes = table.sources().get(rank).regions().getFirst().bytes();
      MemorySegment host = Arena.ofAuto().allocate(bytes, Float.BYTES);
      for (int i = 0; i < bytes / Float.BYTES; i++) {
        host.setAtIndex(ValueLayout.JAVA_FLOAT, i, (rank + 1) * (i % 251 - 125));
      }
      SourceMemory memory = SourceMemory.loaded(host);
      TransferEngine engine = trainers.get(rank);
      if (onGpu) {
        DeviceMemory device = memory(Gpus.FIRST, bytes);
        access.copyFromHost(host, 0, device, 0, bytes);
        memory = SourceMemory.of(await(engine.register(device, Access.LOCAL)));
      }
      TrainerRank trainer =
          await(TrainerRank.open(engine, table.only(rank), rank, List.of(memory), options));
      UpdateTargets targets =
          new UpdateTargets(
              1, List.of(new TargetMemory(List.of(engine.remote(there)), new Imm(7))));
      runs.add(trainer.write(targets).then());
    }
    Mono.when(runs).block(PATIENCE);
    return bytes(came);
  }

  @Test
  void copiesForTheCpuCountAsTemporaries() {
    TransferEngine engine = engine("loopback");
    DeviceMemory weights = memory(Gpus.FIRST, SOURCE_BYTES);
    MemoryRegion region = await(engine.register(weights, Access.LOCAL));
    RunOptions little = RunOptions.builder().temporaryBytes(1 << 19).build();
    assertThatThrownBy(() ->
            await(TrainerRank.open(engine, table(), 0, List.of(SourceMemory.of(region)), little)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected temporaries of at least 737280 bytes");
  }

  @Test
  void buffersThatShareMemoryAreRefused() {
    TransferEngine engine = engine("loopback");
    DeviceMemory memory = memory(Gpus.FIRST, 3000);
    assertThatThrownBy(() ->
            await(
                WeightsRank.on(engine, "rank")
                    .buffer(new WeightsBuffer(List.of(memory.slice(0, 1001))))
                    .buffer(new WeightsBuffer(List.of(memory.slice(1000, 1001))))
                    .open()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("share no memory");
    await(
        WeightsRank.on(engine, "rank")
            .buffer(new WeightsBuffer(List.of(memory.slice(1000, 1000))))
            .buffer(new WeightsBuffer(List.of(memory.slice(0, 1000))))
            .open());
  }
}
