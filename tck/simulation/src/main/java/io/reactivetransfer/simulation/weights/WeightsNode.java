package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.simulation.Host;
import io.reactivetransfer.simulation.network.SimulatedBackend;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** One process with one engine and one role, from its beginning to its end. */
final class WeightsNode extends Host {

  /** What a process is for. */
  enum Kind {
    TRAINER,
    RANK,
    CONTROLLER
  }

  private final WeightsWorld world;
  private final Kind kind;
  private final SplittableRandom random;
  private final Role role;
  private final Scheduler timers;
  private @Nullable TransferEngine engine;
  private boolean begun;
  private boolean closing;
  private boolean closed;
  private boolean refusedMemory;

  WeightsNode(
      WeightsWorld world,
      int number,
      int place,
      Kind kind,
      int index,
      boolean isFirst,
      SplittableRandom random) {
    super(
        number, place, world, world.forecast().weather(), world.forecast().patienceNanos(), random);
    this.world = world;
    this.kind = kind;
    this.random = random;
    this.timers = world.tampering().timers(new QuickTimers(scheduler()));
    this.role =
        switch (kind) {
          case TRAINER -> new Training(this, index, random.split());
          case RANK -> new Serving(this, index, isFirst, random.split());
          case CONTROLLER -> new Steering(this, index);
        };
  }

  // ---- what it is ----

  WeightsWorld world() {
    return world;
  }

  Kind kind() {
    return kind;
  }

  Role role() {
    return role;
  }

  /** What its deadlines go by. */
  Scheduler timers() {
    return timers;
  }

  @Override
  public @Nullable TransferEngine engine() {
    return begun ? engine : null;
  }

  @Override
  public boolean isUp() {
    return begun && !closing && !isKilled();
  }

  /** Whether its process is gone, or its engine closed: nothing of it is served any more. */
  boolean isGone() {
    return isKilled() || closed;
  }

  boolean isClosing() {
    return closing;
  }

  /** Whether what it waits for may fail. */
  boolean mayFail() {
    return closing || refusedMemory;
  }

  // ---- what is done to it ----

  void open() {
    var backend = world.tampering().backend(new SimulatedBackend(world.network(), process()));
    act(
        0,
        () ->
            TransferEngineBuilder.create()
                .backend(backend)
                .environment(environment())
                .options(world.forecast().options(scheduler(), random))
                .open()
                .flatMap(this::begin)
                .subscribe(new Waiter<>(this, "open", true)));
  }

  private Mono<Void> begin(TransferEngine opened) {
    engine = opened;
    return role.register(opened)
        .then(
            Mono.fromRunnable(() -> {
              begun = true;
              role.begin(opened);
            }));
  }

  /** Has one of its NICs refuse a registration, the so many-th from now on. */
  void refuseMemory(int call) {
    refusedMemory = true;
    world.network().refuseRegistration(id(), call);
  }

  /** Closes what runs on its engine, for good. */
  void retire() {
    if (isUp()) {
      role.retire();
    }
  }

  @Override
  public void close() {
    TransferEngine open = engine;
    if (open == null || closing) {
      return;
    }
    closing = true;
    open.close()
        .subscribe(
            new Waiter<Void>(this, "close of the engine", true) {
              @Override
              void end(@Nullable Throwable failure) {
                closed = true;
                EngineStats stats = open.stats();
                world
                    .referee()
                    .require(
                        stats.transfersInFlight() == 0 && stats.pendingClaims() == 0,
                        node + " is closed, and left " + stats);
                world.gone(node);
              }
            });
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT) + " " + role.index + " (engine " + index() + ")";
  }
}
