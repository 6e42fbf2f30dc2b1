package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.LocalPart;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Rank;
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
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What checksums cost an update of weights: 256 MiB in 16 tensors, as they lie, from one trainer to
 * one inference rank, over loopback, which is as fast as a copy in memory, so that no network is
 * waited for. {@code none} has a rank that does not look at what comes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class ChecksumBenchmark {

  private static final int TENSORS = 16;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Of which bytes there are sums. */
  @Param({"none", "sampled", "all"})
  public String scope = "sampled";

  /** Of the weights, a multiple of 16 for as many tensors; what caches hold says nothing. */
  @Param({"256"})
  public int mebibytes = 256;

  private final List<TransferEngine> engines = new ArrayList<>();
  private WeightsController controller;
  private WeightsTrainer trainer;
  private RankMember member;
  private Map<String, Long> arrivals;
  private long version;

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public ChecksumBenchmark() {}

  /** Opens all roles, each on an engine of its own. */
  @Setup
  public void open() {
    RoutingTable table = table();
    long bytes = table.sources().getFirst().regions().getFirst().bytes();
    TransferEngine trainerEngine = engine();
    MemoryRegion region =
        await(trainerEngine.register(new HostMemory(memory(bytes)), Access.LOCAL));
    TrainerRank rank =
        await(
            TrainerRank.open(
                trainerEngine, table, 0, List.of(SourceMemory.of(region)), RunOptions.defaults()));
    ChecksumScope sums =
        switch (scope) {
          case "none" -> ChecksumScope.none();
          case "all" -> ChecksumScope.all();
          default -> ChecksumScope.sampled();
        };
    trainer = TrainerService.local(trainerEngine, rank, table, sums);
    TransferEngine rankEngine = engine();
    WeightsRankBuilder builder =
        WeightsRank.on(rankEngine, "rank")
            .buffer(WeightsBuffer.of(memory(bytes)))
            .buffer(WeightsBuffer.of(memory(bytes)));
    if (!scope.equals("none")) {
      builder.verify(Checksums.open(rankEngine));
    }
    await(builder.open());
    TransferEngine controllerEngine = engine();
    controller = WeightsController.open(controllerEngine);
    member = new RankMember("rank", controllerEngine.peer(rankEngine.address()));
    arrivals = Map.of("rank", table.arrivals()[0]);
  }

  private RoutingTable table() {
    Sharding whole = Sharding.replicated(Mesh.of("all", Mesh.axis("dp", 1)));
    List<SourceShare> held = new ArrayList<>();
    List<TargetShare> wanted = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < TENSORS; i++) {
      Tensor tensor =
          new Tensor("w" + i, DataType.BF16, Shape.of(mebibytes / TENSORS * 128L, 4_096));
      LocalPart part = whole.of(tensor, 0);
      held.add(new SourceShare(tensor, "dense", part.pieces(0, at)));
      wanted.add(new TargetShare(tensor, Content.of(tensor.name()), part.pieces(0, at)));
      at += part.bytes();
    }
    RegionSpec memory = RegionSpec.registered(at);
    return Planner.create()
        .plan(
            List.of(new SourceRank(Rank.of("trainer", memory), held)),
            List.of(new TargetRank(Rank.of("rank", memory), wanted)));
  }

  private static MemorySegment memory(long bytes) {
    return Arena.global().allocate(bytes, 64).fill((byte) 1);
  }

  private TransferEngine engine() {
    TransferEngine engine = await(TransferEngineBuilder.create().backend("loopback").open());
    engines.add(engine);
    return engine;
  }

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  /** One update, from its order to the flip. */
  @Benchmark
  public UpdateResult update() {
    UpdateResult result =
        await(
            controller.update(
                new WeightsUpdate(++version, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals, PATIENCE),
                List.of(member),
                List.of(trainer)));
    if (!result.isFlipped()) {
      throw new IllegalStateException("expected a flip, got " + result);
    }
    return result;
  }

  /** Closes all. */
  @TearDown
  public void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(PATIENCE);
  }
}
