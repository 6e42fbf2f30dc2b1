package io.reactivetransfer.examples.together;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Three nodes on a network where a seed decides what comes first, and a clock that leaps. */
final class SimulatedSites implements AutoCloseable {

  private static final Duration LIVENESS = Duration.ofMillis(500);
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  /** Whatever it is, it has come about by then or never does. */
  private static final long LIMIT_NANOS = Duration.ofMinutes(10).toNanos();

  final SplittableRandom random;
  final SimulatedNetwork network;
  final List<Site> sites = new ArrayList<>();
  private final VirtualTime time;
  private final Weather weather;
  private final Arena arena = Arena.ofShared();
  private final List<SimulatedProcess> processes = new ArrayList<>();

  SimulatedSites(long seed, UnaryOperator<TransferEngine> mistake) {
    random = new SplittableRandom(seed);
    time = new VirtualTime(seed);
    weather =
        new Weather(
            new Span(500, random.nextInt(1_000, 300_000)),
            new Span(50, random.nextInt(100, 100_000)),
            new Span(1_000, 100_000),
            new Span(1_000, 100_000),
            1_000_000_000,
            random.nextInt(50),
            0,
            random.nextInt(500),
            random.nextInt(50),
            0,
            0,
            random.nextBoolean(),
            false,
            random.nextInt(1_024, 65_536),
            random.nextInt(4, 64),
            random.nextInt(1, 4),
            true);
    network = new SimulatedNetwork(time, weather, new WireObserver() {}, seed);
    int nics = random.nextInt(1, 4);
    for (String name : List.of("one", "two", "three")) {
      EngineId id = new EngineId(seed, sites.size());
      SimulatedProcess process = new SimulatedProcess(sites.size(), time, weather, seed);
      VirtualScheduler scheduler = new VirtualScheduler(process);
      processes.add(process);
      TransferEngine engine =
          value(
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
                          .livenessDeadline(LIVENESS)
                          .transferDeadline(DEADLINE)
                          .signalScheduler(scheduler)
                          .build())
                  .open());
      sites.add(new Site(name, mistake.apply(engine), scheduler, scheduler, arena));
    }
  }

  /** The process of a node is gone at once. */
  void kill(Site site) {
    processes.get(sites.indexOf(site)).kill();
    network.kill(site.engine.id());
  }

  /** How a publisher has ended. */
  static final class End<T> {
    private @Nullable T value;
    @Nullable Throwable failure;
    private int ends;

    boolean isOver() {
      return ends > 0;
    }
  }

  /** Subscribes, on a thread of the first process. */
  <T> End<T> start(Mono<T> publisher) {
    End<T> end = new End<>();
    processes
        .getFirst()
        .execute(
            () ->
                publisher.subscribe(
                    value -> end.value = value,
                    failure -> {
                      end.failure = failure;
                      end.ends++;
                    },
                    () -> end.ends++),
            1);
    return end;
  }

  /** Until it has ended. */
  <T> End<T> await(Mono<T> publisher) {
    End<T> end = start(publisher);
    runUntil(end::isOver);
    return end;
  }

  <T> T value(Mono<T> publisher) {
    if (processes.isEmpty()) {
      throw new IllegalStateException("expected a process");
    }
    End<T> end = await(publisher);
    if (end.failure != null || end.value == null) {
      throw new AssertionError("expected a value", end.failure);
    }
    return end.value;
  }

  /** An error if it takes ten minutes of this world, or nothing happens any more. */
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

  @Override
  public void close() {
    arena.close();
  }
}
