package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The application, over all processes: it has trainers compute, and controllers update and recover.
 * It keeps the rules of the pipeline: trainers compute the next version when nothing may want the
 * one before any more, and a recovery is told all ranks that may live.
 */
final class Laboratory {

  private static final long MILLI = 1_000_000;

  /** Who is eager tries again within this time. */
  private static final long EAGER_NANOS = 2_000;

  private static final int MAX_EAGER = 24;

  private final WeightsWorld world;
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Strike> strikes = new ArrayList<>();
  private long version;
  private boolean needsRecovery;

  /** What controllers were told and have not begun. */
  private int queued;

  /** The controller that did something last: others must recover first. */
  private @Nullable WeightsController inCharge;

  private @Nullable Runnable afterStep;

  Laboratory(WeightsWorld world) {
    this.world = world;
  }

  /** What trainers have, or compute just now. */
  long version() {
    return version;
  }

  List<Attempt> attempts() {
    return attempts;
  }

  // ---- who is there ----

  /** Of each trainer, rank or controller, the process that was started last. */
  Map<Integer, WeightsNode> latest(WeightsNode.Kind kind) {
    Map<Integer, WeightsNode> latest = new LinkedHashMap<>();
    world.nodes().stream()
        .filter(node -> node.kind() == kind)
        .forEach(node -> latest.put(node.role().index, node));
    return latest;
  }

  /** Has trainers that need each other work together, when all of them are there. */
  void assemble() {
    for (WeightsNode node : latest(WeightsNode.Kind.TRAINER).values()) {
      if (node.isUp() && node.role() instanceof Training training) {
        node.act(0, () -> join(training));
      }
    }
  }

  /**
   * By the addresses of now: one that stood still may do this late, and what it does late first.
   */
  private void join(Training training) {
    if (!world.model().gathers() && !world.forecast().inTurn()) {
      training.join(List.of());
      return;
    }
    Map<Integer, WeightsNode> latest = latest(WeightsNode.Kind.TRAINER);
    List<PeerAddress> addresses = new ArrayList<>();
    for (int i = 0; i < latest.size(); i++) {
      WeightsNode node = latest.get(i);
      TransferEngine engine = node == null || node.isGone() ? null : node.engine();
      if (engine != null) {
        addresses.add(engine.address());
      }
    }
    if (addresses.size() == world.model().sources().size()) {
      training.join(addresses);
    }
  }

  // ---- what it does ----

  /** Whether nothing may want what trainers have. */
  boolean mayStep() {
    return afterStep == null
        && !needsRecovery
        && (queued == 0 || !world.forecast().calm())
        && attempts.stream().noneMatch(Attempt::needsWeights);
  }

  /**
   * Whether this controller has to recover first. A new one need not, but it takes over those ranks
   * only that its first update names; so where nothing may fail, it does.
   */
  boolean isReplaced(Steering steering) {
    return inCharge != null
        && steering.controller() != inCharge
        && (steering.hasTakenOver() || world.forecast().calm());
  }

  boolean isStepping() {
    return afterStep != null;
  }

  /** Has all trainers compute the next version. */
  void step(Runnable then) {
    version++;
    afterStep = then;
    for (WeightsNode node : latest(WeightsNode.Kind.TRAINER).values()) {
      if (node.isUp() && node.role() instanceof Training training) {
        long to = version;
        node.act(0, () -> training.step(to));
      }
    }
  }

  /** Whether all trainers have computed: then goes on. */
  void look() {
    Runnable then = afterStep;
    if (then == null) {
      return;
    }
    for (WeightsNode node : latest(WeightsNode.Kind.TRAINER).values()) {
      if (node.isUp() && node.role() instanceof Training training && training.holds() < version) {
        return;
      }
    }
    afterStep = null;
    then.run();
  }

  /** Has a controller update these ranks to what trainers have. */
  void update(
      Steering by,
      UpdateMode mode,
      long deadlineNanos,
      Map<String, Serving> ranks,
      SplittableRandom random) {
    update(by, null, mode, deadlineNanos, ranks, random);
  }

  /** Has a controller have these ranks filled with what trainers have, by one that serves it. */
  void fill(
      Steering by,
      Serving peer,
      UpdateMode mode,
      long deadlineNanos,
      Map<String, Serving> ranks,
      SplittableRandom random) {
    update(by, peer, mode, deadlineNanos, ranks, random);
  }

  private void update(
      Steering by,
      @Nullable Serving peer,
      UpdateMode mode,
      long deadlineNanos,
      Map<String, Serving> ranks,
      SplittableRandom random) {
    if (isStepping()) {
      return;
    }
    queued++;
    by.node.act(
        0,
        () -> {
          queued--;
          WeightsController controller = by.controller();
          TransferEngine engine = by.node.engine();
          if (!by.node.isUp() || controller == null || engine == null || isStepping()) {
            return;
          }
          List<WeightsTrainer> writers = writers(by, peer, engine, random);
          if (writers.isEmpty()) {
            return; // all trainers are down, and without one no update begins
          }
          if (peer == null
              && world.forecast().calm()
              && writers.size() < latest(WeightsNode.Kind.TRAINER).size()) {
            return; // one is not open yet, and without it no update comes to its end
          }
          Map<String, Long> arrivals = new LinkedHashMap<>();
          Map<String, Serving> told = world.tampering().named(ranks, living());
          told.forEach((name, serving) ->
              arrivals.put(name, world.tampering().arrivals(arrivals(peer, serving))));
          begin(
              new Attempt(attempts.size(), by, mode, version, onTheNetwork(deadlineNanos), ranks),
              attempt ->
                  controller.update(
                      new WeightsUpdate(version, mode, arrivals, Duration.ofNanos(deadlineNanos)),
                      members(engine, told),
                      writers.stream()
                          .map(writer -> noted(attempt, writer, peer == null))
                          .toList()));
        });
  }

  /** Has a controller take over, and end what others have left. */
  void recover(Steering by, long deadlineNanos) {
    queued++;
    by.node.act(
        0,
        () -> {
          queued--;
          WeightsController controller = by.controller();
          TransferEngine engine = by.node.engine();
          Map<String, Serving> living = world.tampering().living(living());
          if (!by.node.isUp() || controller == null || engine == null || living.isEmpty()) {
            return;
          }
          begin(
              new Attempt(attempts.size(), by, null, version, onTheNetwork(deadlineNanos), living),
              attempt ->
                  controller.recover(members(engine, living), Duration.ofNanos(deadlineNanos)));
        });
  }

  private static long onTheNetwork(long nanos) {
    return QuickTimers.onTheNetwork(nanos);
  }

  private interface Beginning {
    Mono<UpdateResult> begin(Attempt attempt);
  }

  private void begin(Attempt attempt, Beginning beginning) {
    world
        .referee()
        .note(
            attempt.steering.node.index(),
            attempt.isRecovery() ? "recover" : "update " + attempt.mode,
            attempt.number);
    attempts.add(attempt);
    attempt.steering.began(attempt);
    inCharge = attempt.steering.controller();
    world.tampering().result(beginning.begin(attempt)).subscribe(attempt);
    reached(Strike.Step.ASKED);
  }

  private WeightsTrainer noted(Attempt attempt, WeightsTrainer writer, boolean isTrainer) {
    return order -> {
      if (attempt.update().equals(UpdateNumber.NONE)) {
        world.referee().note(attempt.steering.node.index(), "ordered", attempt.number);
        reached(Strike.Step.ORDERED);
      }
      attempt.ordered(order.update(), isTrainer);
      return writer.write(order);
    };
  }

  private long arrivals(@Nullable Serving peer, Serving to) {
    return peer == null
        ? world.model().table().arrivals()[to.index]
        : world.model().fillTable(peer.index).arrivals()[0];
  }

  private List<WeightsTrainer> writers(
      Steering by, @Nullable Serving peer, TransferEngine engine, SplittableRandom random) {
    RemoteTrainers remote = by.remote();
    List<WeightsTrainer> writers = new ArrayList<>();
    Collection<WeightsNode> nodes =
        peer == null ? latest(WeightsNode.Kind.TRAINER).values() : List.of(peer.node);
    for (WeightsNode node : nodes) {
      TransferEngine other = node.engine();
      if (other != null && remote != null) {
        ChecksumScope scope =
            random.nextBoolean() || world.forecast().checksums()
                ? (random.nextBoolean() ? ChecksumScope.sampled() : ChecksumScope.all())
                : ChecksumScope.none();
        writers.add(world.tampering().writer(remote.trainer(engine.peer(other.address()), scope)));
      }
    }
    return writers;
  }

  private static List<RankMember> members(TransferEngine engine, Map<String, Serving> ranks) {
    List<RankMember> members = new ArrayList<>();
    ranks.forEach((name, serving) -> {
      TransferEngine other = serving.node.engine();
      if (other != null) {
        Peer peer = engine.peer(other.address());
        members.add(new RankMember(name, peer));
      }
    });
    return members;
  }

  /** Those from which a rank can be brought what trainers have, without them. */
  List<Serving> peersOf(Serving one) {
    List<Serving> peers = new ArrayList<>();
    for (Serving other : living().values()) {
      Life life = other.life();
      if (world.forecast().replicas()
          && other.index != one.index
          && life != null
          && life.rank.status().state() == RankState.SERVING
          && life.rank.status().version() == version) {
        peers.add(other);
      }
    }
    return peers;
  }

  /** All ranks that serve, or may. */
  Map<String, Serving> living() {
    Map<String, Serving> living = new LinkedHashMap<>();
    for (WeightsNode node : latest(WeightsNode.Kind.RANK).values()) {
      if (node.role() instanceof Serving serving) {
        Life life = serving.life();
        if (life != null && !life.isOver()) {
          living.put(serving.name(), serving);
        }
      }
    }
    return living;
  }

  // ---- what it is told ----

  /** Something has come to its end for whoever has asked for it. */
  void ended(Attempt attempt) {
    reached(Strike.Step.ENDED);
    UpdateResult result = attempt.result();
    if (world.forecast().eager()
        && !world.isHealed()
        && attempts.size() < MAX_EAGER
        && (result == null || !result.isFlipped())) {
      SplittableRandom random = new SplittableRandom(attempt.number);
      world.time().after(random.nextLong(EAGER_NANOS), () -> WeightsActs.update(world, random));
    }
    if (result == null) {
      needsRecovery = true;
      return;
    }
    switch (result.decision()) {
      case RECOVERED -> {
        needsRecovery = false;
        attempts.stream()
            .filter(other -> other.steering != attempt.steering && other.number < attempt.number)
            .forEach(other -> other.overtaken(attempt));
      }
      case FLIPPED, ABORTED -> {}
      default -> needsRecovery = true;
    }
  }

  /** A process is gone. */
  void gone(WeightsNode node) {
    if (node.role() instanceof Steering steering && steering.isBusy()) {
      needsRecovery = true;
    }
  }

  /** A byte comes to a rank. */
  void written() {
    reached(Strike.Step.WRITTEN);
  }

  /** A rank has something that an update has written. */
  void flipped(Life life, UpdateNumber update) {
    reached(Strike.Step.FLIPPED);
    for (Attempt attempt : attempts) {
      UpdateResult result = attempt.result();
      if (attempt.update().equals(update)
          && attempt.mode == UpdateMode.TWO_BUFFERS_WAIT
          && life.isOtherBufferRead()) {
        world.referee().violated(life + " has flipped to " + attempt + ", and the old is read");
      }
      if (attempt.update().equals(update)
          && result != null
          && result.decision() == UpdateResult.Decision.ABORTED
          && attempt.isConfirmedByOneWhoLives()) {
        world.referee().violated(life + " has flipped to " + attempt + ", which was aborted");
      }
    }
  }

  /** A rank gives other leases than before, or none. */
  void looked(Life life) {
    if (life.state() == RankState.PAUSED) {
      requireNamed(life);
      reached(Strike.Step.PAUSED);
    } else if (life.state() == RankState.UNDECIDED) {
      reached(Strike.Step.UNDECIDED);
    }
    attempts.forEach(this::requireOneVersion);
  }

  /** Others go on serving. */
  private void requireNamed(Life life) {
    if (attempts.stream().noneMatch(attempt -> attempt.mayStop(life.serving))) {
      world.referee().violated(life + " gives no leases, and no update names it");
    }
  }

  private void requireOneVersion(Attempt attempt) {
    UpdateNumber update = attempt.update();
    boolean anyFlipped = false;
    Life old = null;
    for (Life member : attempt.members().values()) {
      boolean flipped = member.hasFlipped(update);
      if (!member.isOver()) {
        anyFlipped |= flipped;
        old = !flipped && member.givesOtherThan(update) ? member : old;
      }
    }
    if (anyFlipped && old != null) {
      world.referee().violated(attempt + " is served, and " + old + " serves what was before");
    }
  }

  // ---- what goes wrong at a step ----

  /** The process of the controller that did something last; null if none did. */
  @Nullable WeightsNode nodeInCharge() {
    return attempts.isEmpty() ? null : attempts.getLast().steering.node;
  }

  void arm(Strike strike) {
    strikes.add(strike);
  }

  void disarm() {
    strikes.clear();
  }

  private void reached(Strike.Step step) {
    if (strikes.isEmpty()) {
      return;
    }
    List<Strike> now = strikes.stream().filter(strike -> strike.step() == step).toList();
    strikes.removeAll(now);
    now.forEach(strike -> strike.perform(world));
  }

  /** Each attempt that is not over. */
  void eachRunning(Consumer<Attempt> does) {
    attempts.stream().filter(attempt -> !attempt.isOver()).toList().forEach(does);
  }

  /** A deadline of an update or recovery, by the timers. */
  long drawDeadline(SplittableRandom random) {
    return world.forecast().calm() || random.nextInt(3) > 0
        ? 5_000 * MILLI
        : random.nextLong(100, 2_000) * MILLI;
  }
}
