package io.reactivetransfer.moe;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PeerAddress;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * All ranks of a group on a network where a seed decides what comes first. One thread, and a clock
 * that goes from one event to the next.
 */
final class SimulatedWorld implements AutoCloseable {

  static final Duration LIVENESS = Duration.ofMillis(500);
  static final Duration DEADLINE = Duration.ofSeconds(3);
  static final Duration JOIN_DEADLINE = Duration.ofSeconds(10);

  /** Whatever it is, it has come about by then or never does. */
  private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();

  final VirtualTime time;
  final SimulatedNetwork network;
  final MoeShape shape;
  final List<SimulatedProcess> processes = new ArrayList<>();
  final List<VirtualScheduler> schedulers = new ArrayList<>();
  final List<TransferEngine> engines = new ArrayList<>();
  final List<MemorySegment> memory = new ArrayList<>();

  /** Of each engine, the words that say how many steps' tokens and results have come. */
  final List<MemorySegment> flags = new ArrayList<>();

  final List<MoeNode> nodes = new ArrayList<>();

  /** Of the first shape, on the first engines. */
  final List<MoeGroup> groups = new ArrayList<>();

  private final Arena arena = Arena.ofShared();

  private final Map<Integer, List<RegisteredTokens.Given>> cancelled = new HashMap<>();

  /**
   * By engine: those whose half has not told yet how it has ended, or that are being given back.
   */
  private final Map<Integer, List<RegisteredTokens.Given>> out = new HashMap<>();

  /** What the application registers with all engines, for tokens. */
  final RegisteredTokens tokens;

  private final Weather weather;
  final UnaryOperator<TransferEngine> mistake;

  /** Is run after each event, while anybody waits for anything. */
  Runnable watch = () -> {};

  private final int nics;
  private final long bytes;

  /** Who are in a group of this shape, with just the memory that each needs. */
  SimulatedWorld(
      RandomSteps random,
      MoeShape shape,
      Weather weather,
      WireObserver observer,
      UnaryOperator<TransferEngine> mistake) {
    this(random, shape, 0, weather, observer, mistake);
  }

  /**
   * The same, where each engine has memory for whatever comes later.
   *
   * @param bytes of memory of each engine, or 0 for what it needs now
   */
  SimulatedWorld(
      RandomSteps random,
      MoeShape shape,
      long bytes,
      Weather weather,
      WireObserver observer,
      UnaryOperator<TransferEngine> mistake) {
    this.shape = shape;
    this.weather = weather;
    this.mistake = mistake;
    this.bytes = bytes;
    time = new VirtualTime(random.seed());
    network = new SimulatedNetwork(time, weather, observer, random.seed());
    tokens = new RegisteredTokens(engines, arena, new RandomSteps(random.seed()));
    nics = random.between(1, 3);
    for (int rank = 0; rank < shape.ranks(); rank++) {
      open(random, rank, bytes > 0 ? bytes : shape.memory(rank).bytes());
    }
    List<Outcome<MoeGroup>> joining = new ArrayList<>();
    int[] all = new int[shape.ranks()];
    Arrays.setAll(all, rank -> rank);
    for (int rank = 0; rank < shape.ranks(); rank++) {
      joining.add(join(random, 0, shape, all, rank));
    }
    runUntil(() -> joining.stream().allMatch(Outcome::isOver));
    joining.forEach(outcome -> groups.add(outcome.value()));
  }

  /**
   * Opens another engine.
   *
   * @param place where it is found; one that was killed leaves its place
   * @return its number
   */
  int open(RandomSteps random, int place) {
    return open(random, place, bytes);
  }

  private int open(RandomSteps random, int place, long bytes) {
    EngineId id = new EngineId(random.seed(), engines.size());
    SimulatedProcess process = new SimulatedProcess(place, time, weather, random.seed());
    VirtualScheduler scheduler = new VirtualScheduler(process);
    processes.add(process);
    schedulers.add(scheduler);
    memory.add(arena.allocate(bytes, MoeMemory.ALIGNMENT).fill((byte) random.between(-128, 127)));
    flags.add(arena.allocate(3L * MoeShape.MAX_LANES * Long.BYTES, Long.BYTES));
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
    nodes.add(MoeNode.open(engines.getLast()));
    return engines.size() - 1;
  }

  /**
   * Has an engine join a group.
   *
   * @param members the engines of all ranks
   * @param rank the one that is to join
   */
  Outcome<MoeGroup> join(RandomSteps random, long epoch, MoeShape shape, int[] members, int rank) {
    int engine = members[rank];
    MoeOptions options =
        MoeOptions.builder()
            .deadline(DEADLINE)
            .joinDeadline(JOIN_DEADLINE)
            .scheduler(schedulers.get(engine))
            .timers(schedulers.get(engine))
            .arrivalFlags(flags.get(engine))
            .build();
    return start(
        engine,
        random.between(0, 1_000_000),
        nodes
            .get(engine)
            .join("simulated", epoch, shape, addresses(members), memory.get(engine), options));
  }

  /** The same of an engine that is in an earlier epoch. */
  Outcome<MoeGroup> regroup(
      RandomSteps random, MoeGroup group, long epoch, MoeShape shape, int[] members, int rank) {
    int engine = members[rank];
    return start(
        engine,
        random.between(0, 1_000_000),
        Mono.defer(() -> group.regroup(epoch, shape, addresses(members), memory.get(engine))));
  }

  private List<PeerAddress> addresses(int[] members) {
    return Arrays.stream(members).mapToObj(engine -> engines.get(engine).address()).toList();
  }

  /** In any order, and at times late; nothing is lost. */
  static Weather rough(RandomSteps random) {
    return weather(random, 0, 0, random.between(0, 50));
  }

  /** The same, where much comes so late that what it was for may be over. */
  static Weather late(RandomSteps random) {
    return weather(random, 0, 0, random.between(0, 300));
  }

  /**
   * The same, where writes fail though nothing is wrong with a link, and who breaks says nothing.
   */
  static Weather stormy(RandomSteps random) {
    return weather(random, random.between(0, 5), random.between(0, 500), random.between(0, 50));
  }

  private static Weather weather(RandomSteps random, int fail, int silent, int slow) {
    // What is done before it has come can be counted only if it is not cut into many pieces.
    boolean sourceFree = random.chance(25);
    // Of many rows a NIC gathers all tokens of a rank, of a few only those of small steps.
    int maxRows = random.chance(30) ? random.between(1, 4) : random.between(4, 64);
    return new Weather(
        new Span(500, random.between(1_000, 300_000)),
        new Span(50, random.between(100, 100_000)),
        new Span(1_000, 100_000),
        new Span(1_000, 100_000),
        1_000_000_000,
        random.between(0, 50),
        fail,
        random.between(0, 500),
        slow,
        silent,
        0,
        random.chance(50),
        sourceFree,
        sourceFree ? 1 << 20 : random.between(16, 4_096),
        random.between(1, 32),
        maxRows,
        random.chance(80) ? maxRows : random.between(1, maxRows),
        true);
  }

  /** What a publisher has come to. */
  static final class Outcome<T> {
    private T value;
    Throwable failure;
    int ends;

    /** When it had ended, in nanoseconds of its world. */
    long endNanos;

    private Disposable subscription = Disposables.disposed();

    boolean hasValue() {
      return value != null;
    }

    void cancel() {
      subscription.dispose();
    }

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

  /** Subscribes on a thread of that engine's process, after a while. */
  <T> Outcome<T> start(int engine, long delayNanos, Mono<T> publisher) {
    Outcome<T> outcome = new Outcome<>();
    processes
        .get(engine)
        .execute(
            () ->
                outcome.subscription =
                    publisher.subscribe(
                        value -> outcome.value = value,
                        failure -> {
                          outcome.failure = failure;
                          ended(outcome);
                        },
                        () -> ended(outcome)),
            delayNanos);
    return outcome;
  }

  private void ended(Outcome<?> outcome) {
    outcome.ends++;
    outcome.endNanos = time.nanos();
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
      watch.run();
    }
  }

  void runFor(long nanos) {
    long end = time.nanos() + nanos;
    Long next = time.nextNanos();
    while (next != null && next <= end) {
      time.step();
      watch.run();
      next = time.nextNanos();
    }
  }

  /** Tokens that a half gets. */
  void given(int engine, RegisteredTokens.Given given) {
    out.computeIfAbsent(engine, key -> new ArrayList<>()).add(given);
  }

  /** Tokens of a half that was cancelled, which may be read until its group has closed. */
  void cancelled(int engine, RegisteredTokens.Given given) {
    out.get(engine).remove(given);
    cancelled.computeIfAbsent(engine, key -> new ArrayList<>()).add(given);
  }

  /** Tokens that nobody reads any more. */
  void giveBack(int engine, RegisteredTokens.Given given) {
    Mono<Void> back =
        tokens.giveBack(engine, given).onErrorComplete(); // the engine may have closed
    start(engine, 0, back.doFinally(end -> out.get(engine).remove(given)));
  }

  /** Closes what was registered for tokens, when all groups of an engine have closed. */
  void closeTokens(int engine) {
    runUntil(() -> out.getOrDefault(engine, List.of()).isEmpty());
    for (RegisteredTokens.Given given : cancelled.getOrDefault(engine, List.of())) {
      if (readersOf(given) != 0) {
        throw new AssertionError("tokens of engine " + engine + " are read though it has closed");
      }
      close(engine, given.region().close());
    }
    cancelled.remove(engine);
    close(engine, tokens.close(engine));
  }

  private void close(int engine, Mono<Void> closing) {
    Outcome<Void> closed = start(engine, 0, closing);
    runUntil(closed::isOver);
    closed.value();
  }

  /** How many writes may still read tokens that are registered, or were not reported. */
  long readersOf(RegisteredTokens.Given given) {
    return network.readersOf(given.memory(), 0, given.memory().byteSize());
  }

  /** How many writes may still read memory of an engine, or were not reported. */
  long readersOf(int engine) {
    return network.readersOf(memory.get(engine), 0, memory.get(engine).byteSize());
  }

  @Override
  public void close() {
    arena.close();
  }
}
