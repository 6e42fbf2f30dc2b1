package io.reactivetransfer.weights.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All of it in one process, each role on an engine of its own: trainers, ranks, a controller. */
final class Rig implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** For what is the same whatever carries it: tcp has its turn in a nightly build only. */
  static Stream<String> carriers() {
    return Integer.getInteger("reactivetransfer.rounds", 1) > 1
        ? Stream.of("loopback", "tcp")
        : Stream.of("loopback");
  }

  /** A random model, and its table. */
  record Case(RandomModel model, RoutingTable table) {

    /** The first one from a seed whose ranks all get something, and whose table is as wanted. */
    static Case from(long seed, Predicate<RoutingTable> wanted) {
      for (long i = seed; ; i++) {
        RandomModel model = new RandomModel(i);
        RoutingTable table =
            Planner.create().stepBytes(64).wholeBytes(64).plan(model.sources, model.targets);
        if (table.sources().size() <= 4
            && table.targets().size() <= 4
            && Arrays.stream(table.arrivals()).allMatch(count -> count > 0)
            && wanted.test(table)) {
          return new Case(model, table);
        }
      }
    }
  }

  final RandomModel model;
  final RoutingTable table;
  final List<TransferEngine> trainerEngines = new ArrayList<>();
  final List<TrainerRank> trainers = new ArrayList<>();
  final List<TrainerService> services = new ArrayList<>();
  final List<TransferEngine> rankEngines = new ArrayList<>();
  final List<WeightsRank> ranks = new ArrayList<>();
  final TransferEngine controllerEngine;
  final WeightsController controller;
  final RemoteTrainers remote;
  private final String backend;
  private final List<TransferEngine> engines = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private final List<List<MemorySegment>> memory = new ArrayList<>();
  private final Function<TransferEngine, Function<FilledBuffer, Publisher<?>>> verifiers;

  /** Of which bytes the ranks compare checksums. */
  ChecksumScope checksums = ChecksumScope.sampled();

  /** With ranks that compare checksums. */
  Rig(String backend, Case of, Supplier<RunOptions.Builder> options) {
    this(backend, of, options, engine -> Checksums.open(engine)::apply);
  }

  Rig(
      String backend,
      Case of,
      Supplier<RunOptions.Builder> options,
      Function<TransferEngine, Function<FilledBuffer, Publisher<?>>> verifiers) {
    this.backend = backend;
    this.verifiers = verifiers;
    this.model = of.model;
    this.table = of.table;
    for (int i = 0; i < table.sources().size(); i++) {
      trainerEngines.add(engine());
    }
    List<PeerAddress> addresses = trainerEngines.stream().map(TransferEngine::address).toList();
    for (int i = 0; i < table.sources().size(); i++) {
      addTrainer(i, options.get().trainers(addresses).build());
    }
    for (int i = 0; i < table.targets().size(); i++) {
      addRank(i);
    }
    controllerEngine = engine();
    controller = WeightsController.open(controllerEngine);
    remote = RemoteTrainers.open(controllerEngine);
  }

  TransferEngine engine() {
    EngineOptions options =
        EngineOptions.builder()
            .nics(1)
            .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
            .livenessDeadline(Duration.ofSeconds(15))
            .build();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend(backend).options(options).open());
    engines.add(engine);
    return engine;
  }

  private void addTrainer(int index, RunOptions options) {
    TransferEngine engine = trainerEngines.get(index);
    List<MemorySegment> segments = new ArrayList<>();
    List<SourceMemory> regions = new ArrayList<>();
    for (RegionSpec spec : table.sources().get(index).regions()) {
      MemorySegment segment = arena.allocate(spec.bytes(), 64);
      segments.add(segment);
      regions.add(
          spec.isRegistered()
              ? SourceMemory.of(await(engine.register(new HostMemory(segment), Access.LOCAL)))
              : SourceMemory.loaded(segment));
    }
    memory.add(segments);
    TrainerRank trainer =
        await(TrainerRank.open(engine, table.only(index), index, regions, options));
    trainers.add(trainer);
    services.add(TrainerService.open(engine, trainer, table.only(index)));
  }

  private void addRank(int index) {
    TransferEngine engine = engine();
    rankEngines.add(engine);
    String name = table.targets().get(index).name();
    ranks.add(
        await(
            WeightsRank.on(engine, name)
                .buffer(buffer(index))
                .buffer(buffer(index))
                .verify(verifiers.apply(engine))
                .open()));
  }

  private WeightsBuffer buffer(int rank) {
    return WeightsBuffer.of(
        table.targets().get(rank).regions().stream()
            .map(spec -> arena.allocate(spec.bytes(), 64))
            .toArray(MemorySegment[]::new));
  }

  /** The trainer computes other weights. */
  ModelBytes fill() {
    ModelBytes bytes = new ModelBytes(model);
    for (int rank = 0; rank < memory.size(); rank++) {
      for (int i = 0; i < memory.get(rank).size(); i++) {
        byte[] content = bytes.sources.get(rank)[i];
        MemorySegment.copy(
            content, 0, memory.get(rank).get(i), ValueLayout.JAVA_BYTE, 0, content.length);
      }
    }
    return bytes;
  }

  List<RankMember> members() {
    List<RankMember> members = new ArrayList<>();
    for (int i = 0; i < ranks.size(); i++) {
      members.add(
          new RankMember(ranks.get(i).name(), controllerEngine.peer(rankEngines.get(i).address())));
    }
    return members;
  }

  /** All trainers, as the controller reaches them. */
  List<WeightsTrainer> writers() {
    return trainerEngines.stream()
        .map(engine -> remote.trainer(controllerEngine.peer(engine.address()), checksums))
        .toList();
  }

  Mono<UpdateResult> update(long version, UpdateMode mode, Duration deadline) {
    List<Integer> all = IntStream.range(0, ranks.size()).boxed().toList();
    return update(version, mode, deadline, all);
  }

  /** Of some ranks only. */
  Mono<UpdateResult> update(long version, UpdateMode mode, Duration deadline, List<Integer> of) {
    Map<String, Long> arrivals = new LinkedHashMap<>();
    for (int i : of) {
      arrivals.put(ranks.get(i).name(), table.arrivals()[i]);
    }
    return controller.update(
        new WeightsUpdate(version, mode, arrivals, deadline),
        of.stream().map(members()::get).toList(),
        writers());
  }

  /** Of a rank of which no trainer knows anything. */
  Mono<UpdateResult> updateWithStranger(String name) {
    TransferEngine engine = engine();
    await(WeightsRank.on(engine, name).buffer(buffer(0)).open());
    return controller.update(
        new WeightsUpdate(1, UpdateMode.IN_PLACE, Map.of(name, 1L), PATIENCE),
        List.of(new RankMember(name, controllerEngine.peer(engine.address()))),
        writers());
  }

  /** A process dies, and another one is started in its place. */
  void replaceRank(int index) {
    rankEngines.get(index).close().block(PATIENCE);
    addRank(index);
    ranks.set(index, ranks.removeLast());
    rankEngines.set(index, rankEngines.removeLast());
  }

  /** Updates, and looks at every byte of every rank. */
  void requireFlips(long version, UpdateMode mode) {
    ModelBytes bytes = fill();
    UpdateResult result = await(update(version, mode, PATIENCE));
    assertThat(result.isFlipped()).as(result.toString()).isTrue();
    assertThat(result.isConfirmed()).isTrue();
    for (int i = 0; i < ranks.size(); i++) {
      requireServes(i, version, bytes);
    }
  }

  void requireServes(int rank, long version, ModelBytes bytes) {
    try (VersionLease lease = ranks.get(rank).lease()) {
      assertThat(lease.version()).isEqualTo(version);
      for (int region = 0; region < lease.regions().size(); region++) {
        MemorySegment read = ((HostMemory) lease.regions().get(region)).segment();
        assertThat(read.toArray(ValueLayout.JAVA_BYTE))
            .as("region %s of rank %s", region, rank)
            .isEqualTo(bytes.targets.get(rank)[region]);
      }
    }
  }

  void requireQuiet() {
    trainers.forEach(trainer -> trainer.whenQuiet().block(PATIENCE));
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  @Override
  public void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(PATIENCE);
    // Functions that prepare read the memory until they return.
    trainers.forEach(trainer -> trainer.whenQuiet().onErrorComplete().block(PATIENCE));
    arena.close();
  }
}
