package io.reactivetransfer.weights.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.fuzz.CapturedLog;
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
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A rank gets the sums of what is written to it, whatever becomes of other ranks. */
@Timeout(240)
class SumsOfEachRankTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final Shape SHAPE = Shape.of(8, 8);
  private static final Sharding WHOLE = Sharding.replicated(Mesh.of("whole"));

  private final Arena arena = Arena.ofShared();
  private final List<TransferEngine> engines = new ArrayList<>();
  private final TransferEngine steering = engine(UnaryOperator.identity());
  private final WeightsController controller = WeightsController.open(steering);
  private final List<TargetRank> targets = new ArrayList<>();
  private final List<RankMember> ranks = new ArrayList<>();

  /** What each rank has found in the first update. */
  private final List<CompletableFuture<Void>> looks = new ArrayList<>();

  @AfterEach
  void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(PATIENCE);
    arena.close();
  }

  private TransferEngine engine(UnaryOperator<EngineOptions.Builder> says) {
    EngineOptions options =
        says.apply(
                EngineOptions.builder()
                    .nics(1)
                    .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
                    .livenessDeadline(Duration.ofSeconds(15)))
            .build();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend("loopback").options(options).open());
    engines.add(engine);
    return engine;
  }

  private static <T> T await(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  /** A rank that serves these tensors as BF16. */
  private void rank(TransferEngine engine, List<String> tensors) {
    String name = "rank-" + ranks.size();
    long each = DataType.BF16.bytes(SHAPE.elements());
    List<TargetShare> shares = new ArrayList<>();
    for (String one : tensors) {
      Tensor tensor = new Tensor(one, DataType.BF16, SHAPE);
      shares.add(
          new TargetShare(
              tensor, Content.of(one), WHOLE.of(tensor, 0).pieces(0, shares.size() * each)));
    }
    long bytes = each * tensors.size();
    Checksums checksums = Checksums.open(engine);
    CompletableFuture<Void> look = new CompletableFuture<>();
    await(
        WeightsRank.on(engine, name)
            .buffer(WeightsBuffer.of(arena.allocate(bytes, 64)))
            .buffer(WeightsBuffer.of(arena.allocate(bytes, 64)))
            .verify(filled ->
                checksums
                    .apply(filled)
                    .doOnSuccess(look::complete)
                    .doOnError(look::completeExceptionally))
            .open());
    looks.add(look);
    targets.add(new TargetRank(Rank.of(name, RegionSpec.registered(bytes)), shares));
    ranks.add(new RankMember(name, steering.peer(engine.address())));
  }

  /** As many trainers on one engine as there are lists; each has these tensors as FP32. */
  private UpdateResult update(
      TransferEngine engine, PrepareFunction prepare, List<List<String>> trainers) {
    return await(updating(engine, engine, prepare, trainers));
  }

  /** The same, with an engine that says the sums. */
  private Mono<UpdateResult> updating(
      TransferEngine engine,
      TransferEngine saying,
      PrepareFunction prepare,
      List<List<String>> trainers) {
    long each = DataType.FP32.bytes(SHAPE.elements());
    List<SourceRank> sources = new ArrayList<>();
    for (List<String> tensors : trainers) {
      List<SourceShare> shares = new ArrayList<>();
      for (String one : tensors) {
        Tensor tensor = new Tensor(one, DataType.FP32, SHAPE);
        shares.add(
            new SourceShare(tensor, "dense", WHOLE.of(tensor, 0).pieces(0, shares.size() * each)));
      }
      String name = "trainer-" + sources.size();
      sources.add(
          new SourceRank(Rank.of(name, RegionSpec.registered(each * tensors.size())), shares));
    }
    RoutingTable table = Planner.create().plan(sources, targets);
    List<WeightsTrainer> writers = new ArrayList<>();
    for (int i = 0; i < trainers.size(); i++) {
      SourceMemory weights =
          SourceMemory.of(
              await(engine.register(arena.allocate(each * trainers.get(i).size(), 64))));
      RunOptions options = RunOptions.builder().parallelism(2).prepare(prepare).build();
      TrainerRank trainer = await(TrainerRank.open(engine, table, i, List.of(weights), options));
      writers.add(TrainerService.local(saying, trainer, table));
    }
    Map<String, Long> counts = new LinkedHashMap<>();
    for (int i = 0; i < ranks.size(); i++) {
      counts.put(ranks.get(i).name(), table.arrivals()[i]);
    }
    return controller.update(
        new WeightsUpdate(7, UpdateMode.TWO_BUFFERS_OUTLIVE, counts, PATIENCE), ranks, writers);
  }

  private static void requireFlipped(UpdateResult result) {
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
  }

  @Test
  void whoHasAllItsBytesDoesNotWaitForTheSumsOfAnother() throws Exception {
    rank(engine(UnaryOperator.identity()), List.of("a"));
    rank(engine(UnaryOperator.identity()), List.of("b"));
    CountDownLatch mayGoOn = new CountDownLatch(1);
    PrepareFunction held =
        task -> {
          if (task.tensor().tensor().name().equals("b")) {
            await(mayGoOn);
          }
          PrepareFunction.standard().prepare(task);
        };
    TransferEngine engine = engine(UnaryOperator.identity());
    CompletableFuture<UpdateResult> update =
        updating(engine, engine, held, List.of(List.of("a", "b"))).toFuture();
    try {
      looks.getFirst().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(looks.getLast()).isNotDone();
    } finally {
      mayGoOn.countDown();
    }
    requireFlipped(update.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
  }

  @Test
  void trainersOnOneEngineAreToldApart() {
    rank(engine(UnaryOperator.identity()), List.of("a", "b"));
    requireFlipped(
        update(
            engine(UnaryOperator.identity()),
            PrepareFunction.standard(),
            List.of(List.of("a"), List.of("b"))));
  }

  @Test
  void whoTakesShortMessagesOnlyGetsItsSumsInSuch() {
    List<String> tensors = IntStream.range(0, 150).mapToObj(i -> "tensor-" + i).toList();
    rank(engine(says -> says.maxMessageBytes(5_000)), tensors);
    TransferEngine engine = engine(UnaryOperator.identity());
    requireFlipped(update(engine, PrepareFunction.standard(), List.of(tensors)));
  }

  /** The sums of the other one are made when it is known that this one cannot be told. */
  @Test
  void whoCannotBeToldKeepsNobodyFromHearing() throws Exception {
    rank(engine(UnaryOperator.identity()), List.of("a"));
    rank(engine(UnaryOperator.identity()), List.of("b"));
    CountDownLatch failed = new CountDownLatch(1);
    PrepareFunction held =
        task -> {
          if (task.tensor().tensor().name().equals("b")) {
            await(failed);
          }
          PrepareFunction.standard().prepare(task);
        };
    TransferEngine engine = engine(UnaryOperator.identity());
    try (CapturedLog log = new CapturedLog()) {
      Disposable update =
          updating(engine, failing(engine, failed), held, List.of(List.of("a", "b"))).subscribe();
      looks.getLast().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(looks.getFirst()).isNotDone();
      assertThat(log.lines("trainer trainer-0 could not say the sums of update "))
          .singleElement()
          .asString()
          .contains(" to rank rank-0: ");
      update.dispose();
    }
  }

  /** An engine that sends nothing of the first sums. */
  private static TransferEngine failing(TransferEngine engine, CountDownLatch failed) {
    return (TransferEngine)
        Proxy.newProxyInstance(
            SumsOfEachRankTest.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              boolean isSums =
                  method.getName().equals("send")
                      && arguments[1].equals(new MessageChannel(24))
                      && failed.getCount() > 0;
              if (isSums) {
                return Mono.error(new TransferFailedException("it is not sent"))
                    .doFinally(end -> failed.countDown());
              }
              return method.invoke(engine, arguments);
            });
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
