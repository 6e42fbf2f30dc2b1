package io.reactivetransfer.simulation;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.simulation.network.SimulatedBackend;
import io.reactivetransfer.simulation.network.SimulatedProcess;
import io.reactivetransfer.simulation.network.VirtualScheduler;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One process with one engine, from its beginning to its end. */
final class Node {

  private static final int SOURCE_BYTES = 8_192;
  private static final int TARGET_BYTES = 4_096;

  private record Resolved(RegionDescriptor descriptor, RemoteRegion region) {}

  private final World world;
  private final int index;
  private final EngineId id;
  private final SimulatedProcess process;
  private final VirtualScheduler scheduler;
  private final SplittableRandom random;
  private final List<Plot> plots = new ArrayList<>();
  private final Map<Plot, Resolved> resolved = new HashMap<>();
  private @Nullable TransferEngine engine;
  private final @Nullable Probe<?>[] readers = new Probe<?>[Letters.CHANNELS];
  private boolean acting;
  private boolean closing;
  private boolean everOverdue;
  private long stoodStillNanos;
  private long goesOnNanos;
  private boolean everRevoked;

  Node(World world, int index, int place, SplittableRandom random) {
    this.world = world;
    this.index = index;
    this.random = random;
    this.id = new EngineId(random.nextLong(), index);
    this.process =
        new SimulatedProcess(place, world.time(), world.forecast().weather(), random.nextLong());
    this.scheduler = new VirtualScheduler(process);
  }

  // ---- what it is ----

  World world() {
    return world;
  }

  int index() {
    return index;
  }

  EngineId id() {
    return id;
  }

  VirtualScheduler scheduler() {
    return scheduler;
  }

  SimulatedProcess process() {
    return process;
  }

  List<Plot> plots() {
    return plots;
  }

  @Nullable TransferEngine engine() {
    return engine;
  }

  /** Who reads the messages of a channel. */
  @Nullable Probe<?> reader(int channel) {
    return readers[channel];
  }

  void reader(int channel, Probe<?> reader) {
    readers[channel] = reader;
  }

  boolean isReader(Probe<?> probe) {
    return Arrays.asList(readers).contains(probe);
  }

  /** Whether its own threads are just doing something on behalf of a user. */
  boolean isActing() {
    return acting;
  }

  boolean isKilled() {
    return process.isKilled();
  }

  boolean isClosing() {
    return closing;
  }

  /** Whether it ever stood still for so long that others may have given it up, or it them. */
  boolean wasOverdue() {
    return everOverdue;
  }

  /** Some of its memory is not what it was when others began to write. */
  void revoked() {
    everRevoked = true;
  }

  boolean hasRevoked() {
    return everRevoked;
  }

  /** Whether its engine is open and nothing was done to it. */
  boolean isUp() {
    return engine != null && !closing && !isKilled();
  }

  boolean mayOverflow() {
    return world.forecast().overflows();
  }

  /** Whether it may say no because it has too much to do, or because it was told to break. */
  boolean mayRefuse(Throwable error) {
    return world.isForgiving()
        || (error instanceof TransferRejectedException && world.forecast().crowded());
  }

  // ---- what is done to it ----

  /** Has one of its threads do something soon. */
  void act(long delayNanos, Runnable action) {
    process.execute(
        () -> {
          acting = true;
          try {
            action.run();
          } finally {
            acting = false;
          }
        },
        delayNanos);
  }

  void open() {
    var environment =
        EngineEnvironment.builder()
            .nanoClock(world.time()::nanos)
            .identities(() -> EngineIdentity.of(id))
            .build();
    act(
        0,
        () ->
            TransferEngineBuilder.create()
                .backend(world.sabotage().apply(new SimulatedBackend(world.network(), process)))
                .environment(environment)
                .options(world.forecast().options(scheduler, random))
                .open()
                .subscribe(new OpenProbe(this)));
  }

  private void opened(TransferEngine opened) {
    engine = opened;
    register(true);
    register(false);
    if (random.nextBoolean()) {
      register(false);
    }
  }

  private static final class OpenProbe extends Probe<TransferEngine> {
    OpenProbe(Node node) {
      super(node, "open", true);
    }

    @Override
    void next(TransferEngine value) {
      node.opened(value);
    }

    @Override
    void end(@Nullable Throwable error) {
      node.world()
          .referee()
          .require(error == null || node.world().isForgiving(), "could not open: " + error);
    }
  }

  /** Registers more memory. */
  void register(boolean source) {
    int length = source ? SOURCE_BYTES : TARGET_BYTES;
    if (engine == null || !world.ground().hasRoom(length)) {
      return;
    }
    Plot plot = new Plot(this, source, length, random);
    engine
        .register(new HostMemory(plot.memory), source ? Access.LOCAL : Access.REMOTE_WRITE)
        .subscribe(new RegisterProbe(this, plot));
  }

  private static final class RegisterProbe extends Probe<MemoryRegion> {
    private final Plot plot;

    RegisterProbe(Node node, Plot plot) {
      super(node, "register", true);
      this.plot = plot;
    }

    @Override
    void next(MemoryRegion value) {
      if (!value.isClosed()) {
        plot.registered(value);
        node.plots.add(plot);
      }
    }

    @Override
    void end(@Nullable Throwable error) {
      node.world()
          .referee()
          .require(
              error == null || node.closing || node.mayRefuse(error), this + " failed: " + error);
    }
  }

  /** Another engine's memory as this one writes to it. */
  RemoteRegion remote(Plot plot, RegionDescriptor descriptor, TransferEngine engine) {
    Resolved known = resolved.get(plot);
    if (known == null || !known.descriptor().equals(descriptor)) {
      known = new Resolved(descriptor, engine.remote(descriptor));
      resolved.put(plot, known);
    }
    return known.region();
  }

  void close() {
    TransferEngine open = engine;
    if (open == null) {
      return;
    }
    closing = true;
    open.close().subscribe(new CloseProbe(this, open));
  }

  private static final class CloseProbe extends Probe<Void> {
    private final TransferEngine engine;

    CloseProbe(Node node, TransferEngine engine) {
      super(node, "close engine", true);
      this.engine = engine;
    }

    @Override
    void end(@Nullable Throwable error) {
      Referee referee = node.world().referee();
      boolean notClosed = error instanceof TransferFailedException && node.world().isForgiving();
      referee.require(error == null || notClosed, this + " failed: " + error);
      EngineStats stats = engine.stats();
      referee.require(
          stats.transfersInFlight() == 0
              && stats.writesInFlight() == 0
              && stats.openRegions() == 0
              && stats.pendingClaims() == 0,
          this + " completed, and left " + stats);
      referee.require(engine.isClosed(), this + " completed, and it is not closed");
      if (error == null) {
        node.plots.forEach(Plot::free);
      }
    }
  }

  /** When its process goes on, if it stands still. */
  long goesOnNanos() {
    return goesOnNanos;
  }

  /** Stops its process. Stops that follow each other closely count as one. */
  void stop(long nanos) {
    long now = world.time().nanos();
    boolean follows = goesOnNanos > 0 && now - goesOnNanos < world.forecast().patienceNanos();
    stoodStillNanos = follows ? stoodStillNanos + nanos : nanos;
    goesOnNanos = Math.max(goesOnNanos, now + nanos);
    everOverdue |= stoodStillNanos >= world.forecast().patienceNanos();
    process.stop();
    world.time().after(nanos, process::resume);
  }

  void kill() {
    process.kill();
    world.network().kill(id);
  }

  @Override
  public String toString() {
    return "engine " + index;
  }
}
