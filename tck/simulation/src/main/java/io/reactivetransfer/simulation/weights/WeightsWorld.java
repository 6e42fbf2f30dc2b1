package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.simulation.Faults;
import io.reactivetransfer.simulation.Ground;
import io.reactivetransfer.simulation.Hosts;
import io.reactivetransfer.simulation.Referee;
import io.reactivetransfer.simulation.network.SimulatedNetwork;
import io.reactivetransfer.simulation.network.VirtualTime;
import io.reactivetransfer.simulation.network.WireObserver;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Everything that one run consists of: time, the network, the processes, the weights. */
final class WeightsWorld implements WireObserver, Hosts<WeightsNode> {

  private static final int MAX_NODES = 18;

  /** Memory that a trainer has taken for temporaries. */
  private record Temporaries(Training training, MemorySegment memory) {}

  private final WeightsForecast forecast;
  private final SplittableRandom random;
  private final VirtualTime time;
  private final Referee referee;
  private final SimulatedNetwork network;
  private final Ground<Strip> ground;
  private final WeightsTampering tampering;
  private final Model model;
  private final Contents contents;
  private final Laboratory laboratory = new Laboratory(this);
  private final List<WeightsNode> nodes = new ArrayList<>();
  private final Map<EngineId, WeightsNode> byId = new HashMap<>();
  private final List<Waiter<?>> waiters = new ArrayList<>();
  private final TreeMap<Long, Temporaries> temporaries = new TreeMap<>();
  private final List<Runnable> landings = new ArrayList<>();
  private int places;

  /** How often something has failed as it was told. */
  private int failed;

  private boolean replaces = true;

  WeightsWorld(
      WeightsForecast forecast,
      SplittableRandom random,
      Ground<Strip> ground,
      WeightsTampering tampering) {
    this.forecast = forecast;
    this.random = random;
    this.ground = ground;
    this.tampering = tampering;
    this.time = new VirtualTime(random.nextLong());
    this.referee = new Referee(time);
    this.network = new SimulatedNetwork(time, forecast.weather(), this, random.nextLong());
    this.model = Model.draw(forecast.replicas(), random.split());
    this.contents = new Contents(model);
  }

  WeightsForecast forecast() {
    return forecast;
  }

  @Override
  public VirtualTime time() {
    return time;
  }

  Referee referee() {
    return referee;
  }

  @Override
  public SimulatedNetwork network() {
    return network;
  }

  Ground<Strip> ground() {
    return ground;
  }

  WeightsTampering tampering() {
    return tampering;
  }

  Model model() {
    return model;
  }

  Contents contents() {
    return contents;
  }

  Laboratory laboratory() {
    return laboratory;
  }

  @Override
  public List<WeightsNode> nodes() {
    return nodes;
  }

  /** What must come to its end. */
  List<Waiter<?>> waiters() {
    return waiters;
  }

  /** One that was never drawn. */
  long newNumber() {
    long number = random.nextLong();
    return number == 0 ? 1 : number;
  }

  // ---- what comes into it ----

  /** All processes of the first hour. */
  void populate() {
    for (int i = 0; i < model.sources().size(); i++) {
      addNode(places++, WeightsNode.Kind.TRAINER, i, true);
    }
    for (int i = 0; i < model.targets().size(); i++) {
      addNode(places++, WeightsNode.Kind.RANK, i, true);
    }
    for (int i = 0; i < forecast.controllers(); i++) {
      addNode(places++, WeightsNode.Kind.CONTROLLER, i, true);
    }
  }

  private void addNode(int place, WeightsNode.Kind kind, int index, boolean isFirst) {
    WeightsNode node =
        new WeightsNode(this, nodes.size(), place, kind, index, isFirst, random.split());
    nodes.add(node);
    byId.put(node.id(), node);
    node.open();
  }

  @Override
  public long livenessNanos() {
    return forecast.livenessNanos();
  }

  /** Most are started again, at the same place or somewhere else. */
  @Override
  public void replace(WeightsNode gone, SplittableRandom drawn) {
    laboratory.gone(gone);
    if (replaces && drawn.nextInt(5) > 0 && nodes.size() < MAX_NODES) {
      int place = drawn.nextInt(3) > 0 ? gone.process().place() : places++;
      time.after(
          drawn.nextLong(Faults.MAX_OUTAGE_NANOS),
          () -> addNode(place, gone.kind(), gone.role().index, false));
    }
  }

  /** An engine is closed. */
  void gone(WeightsNode node) {
    replace(node, random.split());
  }

  /** Nobody knows whether its memory is quiet: it is started anew. */
  void hopeless(WeightsNode node) {
    time.after(
        0,
        () -> {
          if (!node.isGone()) {
            node.kill();
            replace(node, random.split());
          }
        });
  }

  /** Starts whoever is not there any more; from now on nobody goes. */
  void complete() {
    replaces = false;
    for (WeightsNode.Kind kind : WeightsNode.Kind.values()) {
      laboratory
          .latest(kind)
          .values()
          .forEach(node -> {
            if (node.isGone()) {
              addNode(places++, kind, node.role().index, false);
            }
          });
    }
  }

  /** A trainer has registered memory for temporaries. */
  void temporaries(Training training, MemorySegment memory) {
    temporaries.put(memory.address(), new Temporaries(training, memory));
  }

  /** A trainer has none any more. */
  void temporariesGone(Training training) {
    temporaries.values().removeIf(one -> one.training == training);
  }

  /** What prepares has failed, as it was told. */
  void prepareFailed() {
    failed++;
  }

  /** What an update writes to a rank is damaged, as it was told. */
  void damaged() {
    failed++;
  }

  int failed() {
    return failed;
  }

  /**
   * Mesh groups that take turns in one update; null if they do not. A write that has only left when
   * it is done may come when the next group has begun.
   */
  @Nullable Turns turns(Collection<Serving> ranks) {
    return forecast.inTurn() && !forecast.weather().sourceFree()
        ? new Turns(model.groups(), ranks.stream().map(serving -> serving.index).toList())
        : null;
  }

  /** Whether nothing goes wrong any more. */
  boolean isHealed() {
    return !replaces;
  }

  // ---- what must be true ----

  /** A write has begun, and must be looked at when it is done. */
  void landing(Runnable look) {
    landings.add(look);
  }

  /** After each step. */
  void check() {
    if (!landings.isEmpty()) {
      landings.forEach(Runnable::run);
      landings.clear();
    }
    for (WeightsNode node : nodes) {
      if (!node.isGone() && node.role() instanceof Serving serving) {
        Life life = serving.life();
        if (life != null && !life.isOver()) {
          life.look();
        }
      }
    }
    laboratory.look();
  }

  /** Every update and recovery must be over when its deadlines are. */
  void requireInTime() {
    for (Attempt attempt : laboratory.attempts()) {
      if (attempt.isOverdue()) {
        referee.violated(attempt + " has not ended, and its deadlines are over");
      }
    }
  }

  private WeightsNode known(EngineId id) {
    WeightsNode node = byId.get(id);
    if (node == null) {
      throw new IllegalStateException("no such engine: " + id);
    }
    return node;
  }

  // ---- what the network tells ----

  @Override
  public void reading(MemorySegment memory, long offset, long length) {
    if (length == 0) {
      return;
    }
    Strip strip = ground.ownerOf(memory);
    if (strip != null) {
      strip.role.reading(strip, offset, length);
    } else {
      touching(memory, "reads");
    }
  }

  @Override
  public void writing(MemorySegment memory, long offset, long length) {
    if (length == 0) {
      return;
    }
    Strip strip = ground.ownerOf(memory);
    if (strip != null) {
      strip.role.writing(strip, offset, length);
    } else {
      touching(memory, "writes");
    }
  }

  private void touching(MemorySegment memory, String how) {
    var before = temporaries.floorEntry(memory.address());
    if (before != null
        && memory.address() < before.getKey() + before.getValue().memory.byteSize()) {
      before.getValue().training.touching(how);
    }
  }

  @Override
  public void misused(EngineId engine, String what) {
    referee.violated(known(engine) + " " + what);
  }

  @Override
  public void happened(String what, EngineId engine, long detail) {
    referee.note(known(engine).index(), what, detail);
  }
}
