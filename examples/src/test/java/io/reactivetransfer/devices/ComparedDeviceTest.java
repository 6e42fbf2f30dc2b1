package io.reactivetransfer.devices;

import static io.reactivetransfer.devices.FoundDevice.HARDWARE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.tck.FakeDevice;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
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
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** What a rank compares by itself where its buffer lies on an accelerator. */
@Timeout(120)
class ComparedDeviceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int BYTES = 64;
  private static final Tensor W = new Tensor("w", DataType.INT8, Shape.of(BYTES));

  private final List<TransferEngine> engines = new ArrayList<>();

  @AfterEach
  void close() {
    FoundDevice.READING.set(() -> {});
    engines.forEach(engine -> get(engine.close()));
  }

  private static <T> T get(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  private TransferEngine open(EngineEnvironment environment) {
    TransferEngine engine =
        get(TransferEngineBuilder.create().backend("loopback").environment(environment).open());
    engines.add(engine);
    return engine;
  }

  private static WeightsRank rank(TransferEngine engine, DeviceMemory buffer) {
    return get(WeightsRank.on(engine, "rank").buffer(new WeightsBuffer(List.of(buffer))).open());
  }

  /** Of the whole of a tensor, by one trainer to the one rank. */
  private Mono<UpdateResult> update(TransferEngine rank) {
    Sharding whole = Sharding.replicated(Mesh.of("all"));
    RegionSpec region = RegionSpec.registered(W.bytes());
    RoutingTable table =
        Planner.create()
            .plan(
                List.of(
                    new SourceRank(
                        Rank.of("trainer", region),
                        List.of(new SourceShare(W, "dense", whole.of(W, 0).pieces(0, 0))))),
                List.of(
                    new TargetRank(
                        Rank.of("rank", region),
                        List.of(
                            new TargetShare(W, Content.of("w"), whole.of(W, 0).pieces(0, 0))))));
    TransferEngine engine = open(EngineEnvironment.system());
    var weights = get(engine.register(Arena.ofAuto().allocate(BYTES, 64).fill((byte) 42)));
    TrainerRank trainer =
        get(
            TrainerRank.open(
                engine, table, 0, List.of(SourceMemory.of(weights)), RunOptions.defaults()));
    return WeightsController.open(engine)
        .update(
            new WeightsUpdate(
                1, UpdateMode.IN_PLACE, Map.of("rank", table.arrivals()[0]), PATIENCE),
            List.of(new RankMember("rank", engine.peer(rank.address()))),
            List.of(TrainerService.local(engine, trainer, table)));
  }

  @Test
  void aRankIsNotClosedWhileItReads() throws Exception {
    CountDownLatch reads = new CountDownLatch(1);
    CompletableFuture<Void> goesOn = new CompletableFuture<>();
    FoundDevice.READING.set(() -> {
      reads.countDown();
      goesOn.join(); // whoever is cancelled is interrupted, which this overlooks
    });
    TransferEngine engine = open(EngineEnvironment.system());
    WeightsRank rank = rank(engine, HARDWARE.allocate(BYTES));
    CompletableFuture<UpdateResult> update = update(engine).toFuture();
    assertThat(reads.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closed = rank.close().toFuture();
    while (engine.stats().registeredBytes() > 0) {
      Thread.onSpinWait();
    }
    assertThat(closed).isNotDone();
    goesOn.complete(null);
    closed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(update.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isFlipped()).isFalse();
  }

  /** The engine was given access to it, which nobody else finds. */
  @Test
  void whatTheCpuDoesNotReachIsNotCompared() {
    FakeDevice hidden = new FakeDevice(Device.of("hidden", 0));
    DeviceMemory buffer = hidden.allocate(BYTES);
    TransferEngine engine =
        open(EngineEnvironment.system().toBuilder().devices(Devices.of(List.of(hidden))).build());
    var _ = rank(engine, buffer);
    UpdateResult result = get(update(engine));
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    assertThat(hidden.read(buffer)).containsOnly((byte) 42);
  }
}
