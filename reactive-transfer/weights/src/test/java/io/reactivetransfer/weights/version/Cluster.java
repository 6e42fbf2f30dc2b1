package io.reactivetransfer.weights.version;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks, trainers and a controller, each with an engine of its own in one process. */
final class Cluster implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final int CHUNK = 1_000;
  static final int CHUNKS = 8;
  static final int BYTES = CHUNK * CHUNKS;

  private static final EngineOptions OPTIONS =
      EngineOptions.builder()
          .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
          .livenessDeadline(Duration.ofSeconds(15))
          .build();

  /** For what is the same whatever carries it: tcp has its turn in a nightly build only. */
  static Stream<String> carriers() {
    return Integer.getInteger("reactivetransfer.rounds", 1) > 1
        ? Stream.of("loopback", "tcp")
        : Stream.of("loopback");
  }

  private final String backend;
  private final Arena arena = Arena.ofShared();
  private final List<TransferEngine> engines = new ArrayList<>();
  final List<WeightsRank> ranks = new ArrayList<>();
  final List<TransferEngine> rankEngines = new ArrayList<>();
  final List<TestTrainer> trainers = new ArrayList<>();
  final TransferEngine controllerEngine;
  final WeightsController controller;

  Cluster(String backend, int ranks, int trainers) {
    this.backend = backend;
    for (int i = 0; i < ranks; i++) {
      addRank("rank-" + i);
    }
    for (int i = 0; i < trainers; i++) {
      this.trainers.add(new TestTrainer(i, trainers));
    }
    controllerEngine = engine();
    controller = WeightsController.open(controllerEngine);
  }

  TransferEngine engine() {
    return engine(OPTIONS);
  }

  TransferEngine engine(EngineOptions options) {
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend(backend).options(options).open());
    engines.add(engine);
    return engine;
  }

  /** A rank that serves version 0 from the start. */
  WeightsRank addRank(String name) {
    return addRank(name, filled -> Mono.empty());
  }

  /** The same, which looks at what comes. */
  WeightsRank addRank(String name, Function<FilledBuffer, Publisher<?>> verifier) {
    return addRank(engine(), name, verifier);
  }

  /** The same, on an engine that the caller has made here. */
  WeightsRank addRank(
      TransferEngine engine, String name, Function<FilledBuffer, Publisher<?>> verifier) {
    WeightsRank rank =
        await(
            WeightsRank.on(engine, name)
                .buffer(WeightsBuffer.of(arena.allocate(BYTES, 64)))
                .buffer(WeightsBuffer.of(arena.allocate(BYTES, 64)))
                .version(0)
                .verify(verifier)
                .open());
    ranks.add(rank);
    rankEngines.add(engine);
    return rank;
  }

  List<RankMember> members() {
    return members(controllerEngine);
  }

  List<RankMember> members(TransferEngine seenFrom) {
    List<RankMember> members = new ArrayList<>();
    for (int i = 0; i < ranks.size(); i++) {
      Peer peer = seenFrom.peer(rankEngines.get(i).address());
      members.add(new RankMember(ranks.get(i).name(), peer));
    }
    return members;
  }

  WeightsUpdate order(long version, UpdateMode mode) {
    Map<String, Long> arrivals = new HashMap<>();
    ranks.forEach(rank -> arrivals.put(rank.name(), (long) CHUNKS));
    return new WeightsUpdate(version, mode, arrivals, Duration.ofSeconds(15));
  }

  Mono<UpdateResult> update(long version, UpdateMode mode) {
    return controller.update(order(version, mode), members(), trainers);
  }

  /** The byte that all of a buffer must have; fails if it is a mixture. */
  static int read(VersionLease lease) {
    MemorySegment memory = ((HostMemory) lease.regions().getFirst()).segment();
    byte first = memory.get(ValueLayout.JAVA_BYTE, 0);
    for (long i = 0; i < BYTES; i += CHUNK / 2) {
      byte next = memory.get(ValueLayout.JAVA_BYTE, i);
      if (next != first) {
        throw new AssertionError(
            "a mixture of " + first + " and " + next + " under version " + lease.version());
      }
    }
    return first;
  }

  static <T> T await(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  /** What a rank shows of itself is a moment behind what it reports. */
  static void awaitState(WeightsRank rank, RankState state) {
    await(rank.statuses().filter(now -> now.state() == state).next());
  }

  @Override
  public void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(PATIENCE);
    arena.close();
  }

  /** One of several that share the chunks of each rank. */
  final class TestTrainer implements WeightsTrainer {

    private final int index;
    private final int of;
    final TransferEngine engine = engine();
    private final MemorySegment weights = arena.allocate(BYTES, 64);
    private final MemoryRegion region = await(engine.register(weights));

    /** How many chunks it writes before it fails; negative for never. */
    volatile int chunksUntilFailure = -1;

    /** The last order that it had. */
    volatile WriteOrder last = new WriteOrder(UpdateNumber.NONE, 0, List.of(), TraceContext.NONE);

    TestTrainer(int index, int of) {
      this.index = index;
      this.of = of;
    }

    @Override
    public Flux<WriteImm> write(WriteOrder order) {
      last = order;
      weights.fill((byte) order.version());
      Flux<WriteImm> writes =
          Flux.fromIterable(order.targets())
              .concatMap(target ->
                  Flux.range(0, CHUNKS)
                      .filter(chunk -> chunk % of == index)
                      .map(chunk -> write(target, chunk)));
      int failing = chunksUntilFailure;
      return engine.submit(
          failing < 0
              ? writes
              : writes
                  .take(failing)
                  .concatWith(Mono.error(new IllegalStateException("out of memory"))));
    }

    WriteImm write(RankTarget target, int chunk) {
      RemoteRegion remote = engine.remote(target.regions().getFirst());
      long offset = (long) chunk * CHUNK;
      return WriteImm.of(region.slice(offset, CHUNK), remote.slice(offset, CHUNK), target.imm());
    }
  }
}
