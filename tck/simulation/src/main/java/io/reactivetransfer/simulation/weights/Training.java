package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A rank of the trainer: its memory, and what writes it. It computes another version when no run
 * touches memory, and no NIC may touch any of it while no run is on.
 */
final class Training extends Role {

  private final SplittableRandom random;
  private final List<Strip> strips = new ArrayList<>();
  private final List<SourceMemory> memory = new ArrayList<>();
  private int regions;
  private @Nullable TransferEngine engine;
  private @Nullable TrainerRank trainer;
  private @Nullable TrainerService service;

  /** With whom it is to be opened; null if that is not known yet. */
  private @Nullable List<PeerAddress> team;

  private @Nullable List<PeerAddress> openedWith;
  private boolean isBusy;
  private boolean mustClose;
  private boolean retires;
  private long holds = -1;
  private int failures;
  private long watermark;

  Training(WeightsNode node, int index, SplittableRandom random) {
    super(node, index);
    this.random = random;
    List<RegionSpec> specs = world.model().sources().get(index).rank().regions();
    for (int region = 0; region < specs.size(); region++) {
      strips.add(new Strip(this, 0, region, specs.get(region).bytes()));
    }
  }

  @Override
  Mono<Void> register(TransferEngine opened) {
    engine = opened;
    List<RegionSpec> specs = world.model().sources().get(index).rank().regions();
    return Flux.fromIterable(strips)
        .concatMap(strip ->
            specs.get(strip.region).isRegistered()
                ? opened.register(new HostMemory(strip.memory), Access.LOCAL).map(this::registered)
                : Mono.fromSupplier(() -> SourceMemory.loaded(strip.memory)))
        .doOnNext(memory::add)
        .then();
  }

  private SourceMemory registered(MemoryRegion region) {
    regions++;
    return SourceMemory.of(region);
  }

  @Override
  int regions() {
    return regions;
  }

  @Override
  void begin(TransferEngine opened) {
    compute(world.laboratory().version());
    world.laboratory().assemble();
  }

  // What it computes

  /** The version that it has. */
  long holds() {
    return holds;
  }

  /** Computes a version, as soon as nothing reads the one before. */
  void step(long version) {
    if (holds >= version) {
      return;
    }
    TrainerRank now = trainer;
    if (now == null) {
      compute(version);
      return;
    }
    Quiet quiet = new Quiet();
    now.whenQuiet().subscribe(quiet);
    if (quiet.isQuiet && quiet.failure == null) {
      compute(version);
    } else if (quiet.failure != null) {
      world.hopeless(node);
    } else {
      quiet.then = () -> node.act(0, () -> step(version));
    }
  }

  private void compute(long version) {
    holds = version;
    byte[][] bytes = world.contents().source(version, index);
    for (Strip strip : strips) {
      MemorySegment.copy(
          bytes[strip.region],
          0,
          strip.memory,
          ValueLayout.JAVA_BYTE,
          0,
          bytes[strip.region].length);
    }
  }

  /** Whether a run is on, or may be. */
  private boolean isRunning() {
    TrainerRank now = trainer;
    if (now == null) {
      return false;
    }
    Quiet quiet = new Quiet();
    now.whenQuiet().subscribe(quiet);
    boolean isQuiet = quiet.isQuiet;
    quiet.cancel();
    return !isQuiet;
  }

  private static final class Quiet extends BaseSubscriber<Void> {
    private boolean isQuiet;
    private @Nullable Throwable failure;
    private @Nullable Runnable then;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnComplete() {
      isQuiet = true;
      if (then != null) {
        then.run();
      }
    }

    @Override
    protected void hookOnError(Throwable why) {
      failure = why;
      hookOnComplete();
    }
  }

  /** One of the next steps that it prepares fails. */
  void failSoon() {
    failures++;
  }

  // Its service

  /** With these it is to work together. Reopens what is open with others. */
  void join(List<PeerAddress> addresses) {
    team = addresses;
    settle();
  }

  /** Closes what is open, and opens it again. */
  void reopen() {
    mustClose = true;
    settle();
  }

  @Override
  void retire() {
    retires = true;
    mustClose = true;
    settle();
  }

  @Override
  boolean isRetired() {
    return retires && trainer == null && !isBusy;
  }

  @Override
  boolean isReady() {
    return service != null && !isBusy;
  }

  private void settle() {
    if (isBusy || node.isKilled()) {
      return;
    }
    if (trainer != null && (mustClose || !Objects.equals(team, openedWith))) {
      isBusy = true;
      closeService();
    } else if (trainer == null && team != null && !retires && node.isUp()) {
      mustClose = false;
      isBusy = true;
      open();
    }
  }

  private void closeService() {
    TrainerService old = service;
    if (old == null) {
      closeTrainer();
      return;
    }
    service = null;
    old.close()
        .subscribe(
            new Waiter<Void>(node, "close of the service", true) {
              @Override
              void end(@Nullable Throwable failure) {
                world.referee().require(failure != null || !isRunning(), this + " is not quiet");
                closeTrainer();
              }
            });
  }

  private void closeTrainer() {
    TrainerRank old = trainer;
    if (old == null) {
      isBusy = false;
      return;
    }
    old.close()
        .subscribe(
            new Waiter<Void>(node, "close of the trainer", true) {
              @Override
              void end(@Nullable Throwable failure) {
                world.temporariesGone(Training.this);
                trainer = null;
                mustClose = false;
                isBusy = false;
                settle();
              }
            });
  }

  private void open() {
    List<PeerAddress> with = team;
    TransferEngine on = engine;
    if (with == null || on == null) {
      isBusy = false;
      return;
    }
    openedWith = with;
    RoutingTable table = world.model().table().only(index);
    TrainerRank.open(
            Noticing.registrations(world.tampering().trainer(on), this::taken),
            table,
            index,
            memory,
            options(with))
        .subscribe(
            new Waiter<TrainerRank>(node, "open of the trainer", true) {
              @Override
              void next(TrainerRank made) {
                trainer = made;
                if (node.isUp()) {
                  service =
                      TrainerService.open(
                          world.tampering().trainer(on), made, table, node.timers());
                }
              }

              @Override
              void end(@Nullable Throwable failure) {
                isBusy = false;
                settle();
              }
            });
  }

  private RunOptions options(List<PeerAddress> with) {
    boolean calm = world.forecast().calm();
    watermark = world.model().largestStep(index) * random.nextInt(1, 4);
    return RunOptions.builder()
        .temporaryBytes(world.tampering().watermark(watermark))
        .prepare(world.tampering().prepare(this::prepare))
        .scheduler(node.scheduler())
        .parallelism(random.nextInt(1, 4))
        .trainers(with)
        .groupsInTurn(world.forecast().inTurn())
        .deadline(Duration.ofMillis(calm ? 60_000 : random.nextLong(500, 20_000)))
        .timers(node.timers())
        .build();
  }

  /** It registers memory for temporaries. */
  private void taken(MemorySegment memory) {
    world
        .referee()
        .require(
            memory.byteSize() <= watermark,
            this
                + " takes "
                + memory.byteSize()
                + " bytes for temporaries, and its watermark is "
                + watermark);
    world.temporaries(this, memory);
  }

  private void prepare(PrepareTask task) {
    if (failures > 0 && random.nextInt(3) == 0) {
      failures--;
      world.prepareFailed();
      throw new IllegalStateException("who prepares breaks down");
    }
    PrepareFunction.standard().prepare(task);
  }

  // What NICs do

  @Override
  void reading(Strip strip, long offset, long length) {
    if (!node.isKilled() && !isRunning()) {
      world.referee().violated("a NIC reads " + strip + ", and no run is on");
    }
  }

  @Override
  void writing(Strip strip, long offset, long length) {
    world.referee().violated("a NIC writes to " + strip + ", which is a trainer's");
  }

  /** A NIC touches temporaries. */
  void touching(String how) {
    if (!node.isKilled() && !isRunning()) {
      world.referee().violated("a NIC " + how + " temporaries of " + this + ", and no run is on");
    }
  }

  @Override
  public String toString() {
    return node.toString();
  }
}
