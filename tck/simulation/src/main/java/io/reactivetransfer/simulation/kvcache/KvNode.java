package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.simulation.network.SimulatedBackend;
import io.reactivetransfer.simulation.network.SimulatedProcess;
import io.reactivetransfer.simulation.network.VirtualScheduler;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One process with one engine and its roles, from its beginning to its end. */
final class KvNode {

  /** Tokens that the pages of one model hold. */
  private static final int TOKENS = 24;

  private static final int TAILS = 6;
  static final int TAIL_BYTES = 16;

  private final KvWorld world;
  private final int index;
  private final int rank;
  private final boolean decodes;
  private final EngineId id;
  private final SimulatedProcess process;
  private final VirtualScheduler scheduler;
  private final SplittableRandom random;
  private final List<Decoding> decodings = new ArrayList<>();
  private final List<Serving> servings = new ArrayList<>();
  private @Nullable TransferEngine engine;
  private @Nullable KvCache cache;
  private int disposals;
  private boolean retired;
  private boolean closing;
  private boolean everOverdue;
  private long stoodStillNanos;
  private long goesOnNanos;
  private long stoppedNanos;

  KvNode(KvWorld world, int index, int place, int rank, boolean decodes, SplittableRandom random) {
    this.world = world;
    this.index = index;
    this.rank = rank;
    this.decodes = decodes;
    this.random = random;
    this.id = new EngineId(random.nextLong(), index);
    this.process =
        new SimulatedProcess(place, world.time(), world.forecast().weather(), random.nextLong());
    this.scheduler = new VirtualScheduler(process);
    List<KvShape> models = world.forecast().models();
    for (int model = 0; model < models.size(); model++) {
      addRoles("model-" + model, models.get(model));
    }
  }

  private void addRoles(String model, KvShape shape) {
    KvLayout tails = KvLayout.opaque(1, TAILS, TAIL_BYTES);
    if (rank >= 0 && rank < shape.ranks().size()) {
      Land source =
          new Land(this, shape.layout(shape.ranks().get(rank), 2 * TOKENS, random), false, random);
      servings.add(new Serving(this, model, source, new Land(this, tails, false, random), random));
    }
    if (decodes) {
      Land target = new Land(this, shape.layout(shape.whole(), TOKENS, random), true, random);
      decodings.add(new Decoding(this, model, shape, target, new Land(this, tails, true, random)));
    }
  }

  // ---- what it is ----

  KvWorld world() {
    return world;
  }

  int index() {
    return index;
  }

  int rank() {
    return rank;
  }

  boolean decodes() {
    return decodes;
  }

  EngineId id() {
    return id;
  }

  SimulatedProcess process() {
    return process;
  }

  VirtualScheduler scheduler() {
    return scheduler;
  }

  List<Decoding> decodings() {
    return decodings;
  }

  List<Serving> servings() {
    return servings;
  }

  /** Its engine, once others may know its address. */
  @Nullable TransferEngine engine() {
    return cache == null && disposals == 0 ? null : engine;
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

  /** How long it stood still in all. */
  long stoppedNanos() {
    return stoppedNanos;
  }

  /** When its process goes on, if it stands still. */
  long goesOnNanos() {
    return goesOnNanos;
  }

  /** How often its roles were closed; while they are, others are refused. */
  int disposals() {
    return disposals;
  }

  /** How many regions its application has registered. */
  int regions() {
    Stream<Land> lands =
        Stream.concat(
            servings.stream().flatMap(serving -> serving.lands().stream()),
            decodings.stream().flatMap(decoding -> decoding.lands().stream()));
    return lands.mapToInt(land -> land.strips().size()).sum();
  }

  boolean isOpen() {
    return cache != null;
  }

  /** Whether its engine is open and nothing was done to it. */
  boolean isUp() {
    return engine() != null && !closing && !isKilled();
  }

  // ---- what is done to it ----

  /** Has one of its threads do something soon. */
  void act(long delayNanos, Runnable action) {
    process.execute(action, delayNanos);
  }

  void open() {
    var environment =
        EngineEnvironment.builder()
            .nanoClock(world.time()::nanos)
            .identities(() -> EngineIdentity.of(id))
            .build();
    var backend = world.tampering().backend(new SimulatedBackend(world.network(), process));
    act(
        0,
        () ->
            TransferEngineBuilder.create()
                .backend(backend)
                .environment(environment)
                .options(world.forecast().options(scheduler, random))
                .open()
                .flatMap(this::register)
                .subscribe(new Waiter(this, "open", true)));
  }

  private Mono<Void> register(TransferEngine opened) {
    engine = opened;
    List<Land> lands = new ArrayList<>();
    servings.forEach(serving -> lands.addAll(serving.lands()));
    decodings.forEach(decoding -> lands.addAll(decoding.lands()));
    return Flux.fromIterable(lands)
        .concatMap(land ->
            Flux.fromIterable(land.strips()).concatMap(strip -> register(opened, land, strip)))
        .then(Mono.fromRunnable(() -> openRoles(opened)));
  }

  private static Mono<MemoryRegion> register(TransferEngine opened, Land land, Land.Strip strip) {
    return opened
        .register(new HostMemory(strip.memory), land.isTarget ? Access.REMOTE_WRITE : Access.LOCAL)
        .doOnNext(strip::registered);
  }

  private void openRoles(TransferEngine opened) {
    KvCache fresh =
        KvCache.open(
            world.tampering().engine(opened), "node-" + index, world.tampering().timers(scheduler));
    cache = fresh;
    servings.forEach(serving -> serving.begin(fresh));
    decodings.forEach(decoding -> decoding.begin(fresh));
  }

  /** Closes its roles, when what runs has ended, and opens them again. */
  void reopen() {
    KvCache old = cache;
    if (!isUp() || old == null) {
      return;
    }
    disposeRoles(
        old,
        () -> {
          TransferEngine open = engine;
          if (isUp() && !retired && open != null && !open.isClosed()) {
            openRoles(open);
          }
        });
  }

  /** Closes its roles for good. */
  void disposeRoles() {
    retired = true;
    KvCache old = cache;
    if (old != null && !isKilled() && !closing) {
      disposeRoles(old, () -> {});
    }
  }

  private void disposeRoles(KvCache old, Runnable then) {
    disposals++;
    cache = null;
    decodings.forEach(Decoding::dispose);
    old.dispose();
    old.closed()
        .subscribe(
            new Waiter(this, "close of the roles", true) {
              @Override
              void end(@Nullable Throwable failure) {
                then.run();
              }
            });
  }

  void close() {
    TransferEngine open = engine;
    if (open == null || closing) {
      return;
    }
    closing = true;
    open.close()
        .subscribe(
            new Waiter(this, "close of the engine", true) {
              @Override
              void end(@Nullable Throwable failure) {
                EngineStats stats = open.stats();
                world
                    .referee()
                    .require(
                        stats.transfersInFlight() == 0 && stats.pendingClaims() == 0,
                        node + " is closed, and left " + stats);
              }
            });
  }

  /** Stops its process. Stops that follow each other closely count as one. */
  void stop(long nanos) {
    long now = world.time().nanos();
    boolean follows = goesOnNanos > 0 && now - goesOnNanos < world.forecast().patienceNanos();
    stoodStillNanos = follows ? stoodStillNanos + nanos : nanos;
    goesOnNanos = Math.max(goesOnNanos, now + nanos);
    stoppedNanos += nanos;
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
    return "node " + index;
  }
}
