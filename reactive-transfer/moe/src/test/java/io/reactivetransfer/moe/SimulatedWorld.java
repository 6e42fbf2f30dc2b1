package io.reactivetransfer.moe;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.simulation.network.SimulatedBackend;
import io.reactivetransfer.simulation.network.SimulatedNetwork;
import io.reactivetransfer.simulation.network.SimulatedProcess;
import io.reactivetransfer.simulation.network.Span;
import io.reactivetransfer.simulation.network.VirtualScheduler;
import io.reactivetransfer.simulation.network.VirtualTime;
import io.reactivetransfer.simulation.network.Weather;
import io.reactivetransfer.simulation.network.WireObserver;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * All ranks of a group on a network where a seed decides what comes first. One thread, and a clock
 * that goes from one event to the next.
 */
final class SimulatedWorld implements AutoCloseable {

  static final Duration LIVENESS = Duration.ofMillis(500);
  static final Duration DEADLINE = Duration.ofSeconds(3);

  /** Whatever it is, it has come about by then or never does. */
  private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();

  final VirtualTime time;
  final SimulatedNetwork network;
  final MoeShape shape;
  final List<SimulatedProcess> processes = new ArrayList<>();
  final List<VirtualScheduler> schedulers = new ArrayList<>();
  final List<TransferEngine> engines = new ArrayList<>();
  final List<MemorySegment> memory = new ArrayList<>();
  final List<MoeGroup> groups = new ArrayList<>();
  private final Arena arena = Arena.ofShared();

  SimulatedWorld(
      RandomSteps random,
      MoeShape shape,
      Weather weather,
      WireObserver observer,
      UnaryOperator<TransferEngine> mistake) {
    this.shape = shape;
    time = new VirtualTime(random.seed());
    network = new SimulatedNetwork(time, weather, observer, random.seed());
    int nics = random.between(1, 3);
    List<MoeNode> nodes = new ArrayList<>();
    for (int rank = 0; rank < shape.ranks(); rank++) {
      EngineId id = new EngineId(random.seed(), rank);
      SimulatedProcess process = new SimulatedProcess(rank, time, weather, random.seed());
      VirtualScheduler scheduler = new VirtualScheduler(process);
      processes.add(process);
      schedulers.add(scheduler);
      memory.add(
          arena
              .allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT)
              .fill((byte) random.between(-128, 127)));
      TransferEngine engine =
          soon(
              process,
              TransferEngineBuilder.create()
                  .backend(new SimulatedBackend(network, process))
                  .environment(
                      EngineEnvironment.builder()
                          .nanoClock(time::nanos)
                          .identities(() -> EngineIdentity.of(id))
                          .build())
                  .options(
                      EngineOptions.builder()
                          .nics(nics)
                          .minPieceBytes(random.between(1, 64))
                          .livenessDeadline(LIVENESS)
                          .transferDeadline(DEADLINE)
                          .signalScheduler(scheduler)
                          .build())
                  .open());
      engines.add(mistake.apply(engine));
      nodes.add(MoeNode.open(engines.get(rank)));
    }
    join(random, nodes);
  }

  private void join(RandomSteps random, List<MoeNode> nodes) {
    List<Outcome<MoeGroup>> joining = new ArrayList<>();
    for (int rank = 0; rank < shape.ranks(); rank++) {
      MoeOptions options =
          MoeOptions.builder()
              .deadline(DEADLINE)
              .scheduler(schedulers.get(rank))
              .timers(schedulers.get(rank))
              .build();
      joining.add(
          start(
              rank,
              random.between(0, 1_000_000),
              nodes
                  .get(rank)
                  .join(
                      "simulated",
                      shape,
                      engines.stream().map(TransferEngine::address).toList(),
                      memory.get(rank),
                      options)));
    }
    runUntil(() -> joining.stream().allMatch(Outcome::isOver));
    joining.forEach(outcome -> groups.add(outcome.value()));
  }

  /** In any order, and at times late; nothing is lost. */
  static Weather rough(RandomSteps random) {
    return weather(random, 0, 0);
  }

  /**
   * The same, where writes fail though nothing is wrong with a link, and who breaks says nothing.
   */
  static Weather stormy(RandomSteps random) {
    return weather(random, random.between(0, 5), random.between(0, 500));
  }

  private static Weather weather(RandomSteps random, int fail, int silent) {
    // What is done before it has come can be counted only if it is not cut into many pieces.
    boolean sourceFree = random.chance(25);
    return new Weather(
        new Span(500, random.between(1_000, 300_000)),
        new Span(50, random.between(100, 100_000)),
        new Span(1_000, 100_000),
        new Span(1_000, 100_000),
        1_000_000_000,
        random.between(0, 50),
        fail,
        random.between(0, 500),
        random.between(0, 50),
        silent,
        0,
        random.chance(50),
        sourceFree,
        sourceFree ? 1 << 20 : random.between(16, 4_096),
        random.between(1, 32),
        random.between(1, 4),
        true);
  }

  /** What a publisher has come to. */
  static final class Outcome<T> {
    private T value;
    Throwable failure;
    int ends;

    boolean isOver() {
      return ends > 0;
    }

    T value() {
      if (failure != null) {
        throw new AssertionError("expected a value", failure);
      }
      return value;
    }
  }

  /** Subscribes on a thread of that rank's process, after a while. */
  <T> Outcome<T> start(int rank, long delayNanos, Mono<T> publisher) {
    Outcome<T> outcome = new Outcome<>();
    processes
        .get(rank)
        .execute(
            () ->
                publisher.subscribe(
                    value -> outcome.value = value,
                    failure -> {
                      outcome.failure = failure;
                      outcome.ends++;
                    },
                    () -> outcome.ends++),
            delayNanos);
    return outcome;
  }

  private <T> T soon(SimulatedProcess process, Mono<T> publisher) {
    Outcome<T> outcome = new Outcome<>();
    process.execute(
        () ->
            publisher.subscribe(
                value -> outcome.value = value,
                failure -> outcome.failure = failure,
                () -> outcome.ends++),
        1);
    runUntil(outcome::isOver);
    return outcome.value();
  }

  /** Goes on until it is so; an error if it takes a minute of this world, or nothing happens. */
  void runUntil(BooleanSupplier isSo) {
    long limit = time.nanos() + LIMIT_NANOS;
    while (!isSo.getAsBoolean()) {
      if (!time.step() || time.nanos() > limit) {
        throw new AssertionError("somebody waits for ever, at " + time.nanos() + " ns");
      }
    }
  }

  void runFor(long nanos) {
    long end = time.nanos() + nanos;
    Long next = time.nextNanos();
    while (next != null && next <= end) {
      time.step();
      next = time.nextNanos();
    }
  }

  /** How many writes may still read memory of a rank, or were not reported. */
  long readersOf(int rank) {
    return network.readersOf(memory.get(rank), 0, memory.get(rank).byteSize());
  }

  @Override
  public void close() {
    arena.close();
  }
}
