package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.simulation.Host;
import io.reactivetransfer.simulation.network.SimulatedBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One process with one engine and its roles, from its beginning to its end. */
final class KvNode extends Host {

  /** Tokens that the pages of one model hold. */
  private static final int TOKENS = 24;

  private static final int TAILS = 6;
  static final int TAIL_BYTES = 16;

  private final KvWorld world;
  private int rank;
  private final boolean decodes;
  private final SplittableRandom random;
  private final List<Decoding> decodings = new ArrayList<>();
  private final List<Serving> servings = new ArrayList<>();
  private @Nullable TransferEngine engine;
  private @Nullable KvCache cache;
  private int disposals;
  private boolean retired;
  private boolean closing;
  private boolean refusedMemory;
  private boolean reshared;
  private boolean spokeOtherwise;
  private Incoming incoming = new Incoming(this);

  KvNode(KvWorld world, int index, int place, int rank, boolean decodes, SplittableRandom random) {
    super(
        index, place, world, world.forecast().weather(), world.forecast().patienceNanos(), random);
    this.world = world;
    this.rank = rank;
    this.decodes = decodes;
    this.random = random;
    List<KvShape> models = world.forecast().models();
    for (int model = 0; model < models.size(); model++) {
      addRoles("model-" + model, models.get(model));
    }
  }

  private void addRoles(String model, KvShape shape) {
    KvLayout tails = KvLayout.opaque(1, TAILS, TAIL_BYTES);
    if (rank >= 0 && rank < shape.ranks().size()) {
      int tokens = random.nextInt(8) == 0 ? TOKENS / 2 : 2 * TOKENS; // the few are too few for some
      Land source =
          new Land(this, shape.layout(shape.ranks().get(rank), tokens, random), false, random);
      servings.add(new Serving(this, model, source, new Land(this, tails, false, random), random));
    }
    if (decodes) {
      Land target = new Land(this, shape.layout(shape.whole(), TOKENS, random), true, random);
      Land ends = new Land(this, tails, true, random);
      decodings.add(new Decoding(this, model, shape, target, ends, random));
    }
  }

  // ---- what it is ----

  KvWorld world() {
    return world;
  }

  /** Which share of each model it computes; below 0 if none. */
  int rank() {
    return rank;
  }

  /** Whether it computes another share than at first. */
  boolean wasReshared() {
    return reshared;
  }

  /** Whether it has said something in another version of the messages. */
  boolean hasSpokenOtherwise() {
    return spokeOtherwise;
  }

  void speaksOtherwise() {
    spokeOtherwise = true;
  }

  /** What waits there until a handler is given it. */
  Incoming incoming() {
    return incoming;
  }

  boolean decodes() {
    return decodes;
  }

  /** What it calls itself. */
  String name() {
    return "node-" + index();
  }

  /** Whether a NIC of it has no room for a registration, now or later. */
  boolean wasRefusedMemory() {
    return refusedMemory;
  }

  List<Decoding> decodings() {
    return decodings;
  }

  List<Serving> servings() {
    return servings;
  }

  @Override
  public @Nullable TransferEngine engine() {
    return cache == null && disposals == 0 ? null : engine;
  }

  boolean isClosing() {
    return closing;
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

  @Override
  public boolean isUp() {
    return engine() != null && !closing && !isKilled();
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
    incoming = new Incoming(this);
    TransferEngine watched = world.forecast().calm() ? incoming.watching(opened) : opened;
    KvCacheOptions.Builder grants = world.forecast().grants(world.tampering().timers(scheduler()));
    KvCache fresh =
        KvCache.open(
            world.tampering().engine(watched),
            world.tampering().name(name()),
            world.tampering().grants(grants).build());
    cache = fresh;
    servings.forEach(serving -> serving.begin(fresh));
    decodings.forEach(decoding -> decoding.begin(fresh));
  }

  /** Has one of its NICs refuse a registration, the so many-th from now on. */
  void refuseMemory(int call) {
    refusedMemory = true;
    world.network().refuseRegistration(id(), call);
  }

  /** Has it take another node's memory for its own, which its roles must refuse. */
  void confuse(KvNode other) {
    KvCache open = cache;
    for (Decoding theirs : other.decodings) {
      if (isUp() && other.isUp() && open != null) {
        requireRefused("decode", () -> open.decode("foreign", theirs.target.memory()));
        requireRefused("prefill", () -> open.prefill("foreign", theirs.target.memory()));
      }
    }
  }

  private void requireRefused(String role, Runnable opening) {
    try {
      opening.run();
      world.referee().violated(this + " has opened " + role + " with the memory of another node");
    } catch (IllegalArgumentException refused) {
      world.referee().note(index(), "refused foreign memory", 0);
    }
  }

  /** Closes its roles, when what runs has ended, and opens them again. */
  void reopen() {
    reopen(() -> {});
  }

  /** The same, and it computes the other half of the heads then, if it has one. */
  void reshare() {
    reopen(this::takeOtherHalf);
  }

  private void takeOtherHalf() {
    List<KvShape> models = world.forecast().models();
    boolean isHalf = rank >= 0 && models.stream().allMatch(KvShape::isHalved);
    if (isHalf && servings.stream().allMatch(Serving::isIdle)) {
      int other = 1 - rank;
      rank = other;
      reshared = true;
      for (int model = 0; model < models.size(); model++) {
        servings.get(model).takeOver(models.get(model), other);
      }
    }
  }

  private void reopen(Runnable meanwhile) {
    KvCache old = cache;
    if (!isUp() || old == null) {
      return;
    }
    disposeRoles(
        old,
        () -> {
          TransferEngine open = engine;
          if (isUp() && !retired && open != null && !open.isClosed()) {
            meanwhile.run();
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
    incoming.close();
    decodings.forEach(Decoding::dispose);
    old.dispose();
    world
        .tampering()
        .closed(old.closed())
        .subscribe(
            new Waiter(this, "close of the roles", true) {
              @Override
              void end(@Nullable Throwable failure) {
                then.run();
              }
            });
  }

  /** All decode roles of it are closed: nothing is left of what was registered for others. */
  void requireOnlyOwnRegions() {
    TransferEngine open = engine;
    if (open != null
        && !closing
        && !isKilled()
        && decodings.stream().allMatch(Decoding::isClosed)) {
      long left = open.stats().openRegions();
      world
          .referee()
          .require(
              left == regions(),
              this + " has closed its decode roles, and " + left + " regions are open");
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

  @Override
  public String toString() {
    return "node " + index();
  }
}
