package io.reactivetransfer.simulation;

import io.reactivetransfer.Access;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One process with one engine, from its beginning to its end. */
final class Node extends Host {

  private static final int SOURCE_BYTES = 8_192;
  private static final int TARGET_BYTES = 4_096;

  private record Resolved(RegionDescriptor descriptor, RemoteRegion region) {}

  private final World world;
  private final SplittableRandom random;
  private final List<Plot> plots = new ArrayList<>();
  private final Map<Plot, Resolved> resolved = new HashMap<>();
  private final Spares spares = new Spares();
  private @Nullable TransferEngine engine;
  private final @Nullable Probe<?>[] readers = new Probe<?>[Letters.CHANNELS];
  private boolean acting;
  private boolean closing;
  private boolean everRevoked;

  Node(World world, int index, int place, SplittableRandom random) {
    super(
        index, place, world, world.forecast().weather(), world.forecast().patienceNanos(), random);
    this.world = world;
    this.random = random;
  }

  // ---- what it is ----

  World world() {
    return world;
  }

  List<Plot> plots() {
    return plots;
  }

  /** Writes that it uses again. */
  Spares spares() {
    return spares;
  }

  @Override
  public @Nullable TransferEngine engine() {
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

  boolean isClosing() {
    return closing;
  }

  /** Some of its memory is not what it was when others began to write. */
  void revoked() {
    everRevoked = true;
  }

  boolean hasRevoked() {
    return everRevoked;
  }

  @Override
  public boolean isUp() {
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

  @Override
  public void act(long delayNanos, Runnable action) {
    super.act(
        delayNanos,
        () -> {
          acting = true;
          try {
            action.run();
          } finally {
            acting = false;
          }
        });
  }

  void open() {
    act(
        0,
        () ->
            TransferEngineBuilder.create()
                .backend(world.sabotage().apply(new SimulatedBackend(world.network(), process())))
                .environment(environment())
                .options(world.forecast().options(scheduler(), random))
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

  @Override
  public void close() {
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

  @Override
  public String toString() {
    return "engine " + index();
  }
}
