package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.simulation.network.FailedWrite;
import io.reactivetransfer.simulation.network.SimulatedNetwork;
import io.reactivetransfer.simulation.network.VirtualTime;
import io.reactivetransfer.simulation.network.WireObserver;
import io.reactivetransfer.spi.Backend;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Everything that one run consists of: time, the network, the engines, and what is known of them.
 */
final class World implements WireObserver, Hosts<Node> {

  private static final int MAX_NODES = 12;

  private record Pair(int one, int other) {
    static Pair of(Node one, Node other) {
      return new Pair(Math.min(one.index(), other.index()), Math.max(one.index(), other.index()));
    }
  }

  private record CountKey(int node, int imm) {}

  private final Forecast forecast;
  private final SplittableRandom random;
  private final VirtualTime time;
  private final Referee referee;
  private final SimulatedNetwork network;
  private final Ground<Plot> ground;
  private final UnaryOperator<Backend> sabotage;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<EngineId, Node> byId = new HashMap<>();
  private final List<Probe<?>> probes = new ArrayList<>();
  private final Map<CountKey, Count> counts = new LinkedHashMap<>();
  private final Set<Pair> disturbed = new HashSet<>();
  private final Set<Pair> waysLost = new HashSet<>();
  private final Set<Plot> dirty = new LinkedHashSet<>();
  private final List<Volley> volleys = new ArrayList<>();
  private final Letters letters;
  private final Meetings meetings;
  private boolean forgiving;
  private int retries;
  private boolean givenUp;

  World(
      Forecast forecast,
      SplittableRandom random,
      Ground<Plot> ground,
      UnaryOperator<Backend> sabotage) {
    this.forecast = forecast;
    this.random = random;
    this.ground = ground;
    this.sabotage = sabotage;
    this.time = new VirtualTime(random.nextLong());
    this.referee = new Referee(time);
    this.network = new SimulatedNetwork(time, forecast.weather(), this, random.nextLong());
    this.letters = new Letters(this);
    this.meetings = new Meetings(this);
  }

  Forecast forecast() {
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

  Ground<Plot> ground() {
    return ground;
  }

  UnaryOperator<Backend> sabotage() {
    return sabotage;
  }

  Letters letters() {
    return letters;
  }

  Meetings meetings() {
    return meetings;
  }

  @Override
  public List<Node> nodes() {
    return nodes;
  }

  List<Probe<?>> probes() {
    return probes;
  }

  Iterable<Count> counts() {
    return counts.values();
  }

  /** All transfers that engines were given. */
  List<Volley> volleys() {
    return volleys;
  }

  /** Failures need no reason any more: something is broken on purpose that no model knows of. */
  void forgive() {
    forgiving = true;
  }

  boolean isForgiving() {
    return forgiving;
  }

  // ---- what comes into it ----

  /** Starts another process with an engine, if there are not too many. */
  void addNode() {
    addNode(nodes.size());
  }

  /** The same, where there was one that was killed. */
  void addNode(int place) {
    if (nodes.size() < MAX_NODES) {
      Node node = new Node(this, nodes.size(), place, random.split());
      nodes.add(node);
      byId.put(node.id(), node);
      node.open();
    }
  }

  int enter(Probe<?> probe) {
    probes.add(probe);
    return probes.size() - 1;
  }

  @Override
  public long livenessNanos() {
    return forecast.livenessNanos();
  }

  /** Another one, at the same place, at times. */
  @Override
  public void replace(Node killed, SplittableRandom random) {
    if (random.nextBoolean()) {
      int place = killed.process().place();
      time.after(random.nextLong(Faults.MAX_OUTAGE_NANOS), () -> addNode(place));
    }
  }

  /** A new engine, where there was none. */
  static void start(World world, SplittableRandom random) {
    world.time.after(random.nextLong(Faults.MAX_OUTAGE_NANOS), world::addNode);
  }

  /** An immediate that one transfer has for itself, however often it is submitted. */
  int takeRetryImm() {
    return ++retries;
  }

  /** The run is over: nobody tries again. */
  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  Count count(Node target, int imm) {
    return counts.computeIfAbsent(new CountKey(target.index(), imm), key -> new Count(target, imm));
  }

  // ---- what is known of it ----

  /**
   * Whether their session was ever broken, or one of them was not there to keep it, so that each
   * may take the other as lost. What happens to their NICs is no reason for that.
   */
  boolean isDisturbed(Node one, Node other) {
    return forgiving
        || one.isKilled()
        || other.isKilled()
        || one.isClosing()
        || other.isClosing()
        || one.wasOverdue()
        || other.wasOverdue()
        || disturbed.contains(Pair.of(one, other));
  }

  /** Whether writes that were under way between two engines may have been lost. */
  boolean mayLoseWrites(Node origin, Node target) {
    return isDisturbed(origin, target) || waysLost.contains(Pair.of(origin, target));
  }

  /** What must be true after each step. */
  void check() {
    if (!dirty.isEmpty()) {
      dirty.forEach(Plot::verify);
      dirty.clear();
    }
  }

  /** What must be true at any time, and takes longer to find out. */
  void checkAll() {
    for (Node node : nodes) {
      if (!node.isKilled()) {
        node.plots().forEach(Plot::verify);
      }
    }
  }

  // ---- what the network tells ----

  @Override
  public void reading(MemorySegment memory, long offset, long length) {
    Plot plot = ground.ownerOf(memory);
    if (plot != null && length > 0) {
      plot.touched("read");
    }
  }

  @Override
  public void writing(MemorySegment memory, long offset, long length) {
    Plot plot = ground.ownerOf(memory);
    if (plot != null && length > 0) {
      plot.touched("written");
      if (!plot.node.isKilled()) {
        dirty.add(plot);
      }
    }
  }

  @Override
  public void disturbed(EngineId one, EngineId other) {
    disturbed.add(Pair.of(known(one), known(other)));
  }

  @Override
  public void gaveUpWay(EngineId engine, EngineId peer, String reason) {
    Node one = known(engine);
    Node other = known(peer);
    referee.require(
        mayLoseWrites(one, other),
        one + " gave up its way to " + other + ", and nothing was wrong with it: " + reason);
  }

  @Override
  public void gaveUp(EngineId engine, EngineId peer, String reason) {
    Node one = known(engine);
    Node other = known(peer);
    referee.require(
        isDisturbed(one, other),
        one + " gave up " + other + ", and nothing was wrong between them: " + reason);
  }

  @Override
  public void wayLost(EngineId one, EngineId other) {
    waysLost.add(Pair.of(known(one), known(other)));
  }

  @Override
  public void failed(FailedWrite write) {
    Node origin = known(write.origin());
    Node target = known(write.target());
    Plot source = write.length() == 0 ? null : ground.ownerOf(write.source());
    for (Volley volley : volleys) {
      if (volley.origin == origin && volley.mayBePartOf(target, source, write)) {
        volley.pieceFailed();
      }
    }
  }

  @Override
  public void doubted(EngineId origin, EngineId target, int wireImm) {
    Node at = known(target);
    Count count = counts.get(new CountKey(at.index(), wireImm & Imm.MAX_VALUE));
    if (count != null) {
      count.doubted();
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

  Node known(EngineId id) {
    Node node = byId.get(id);
    if (node == null) {
      throw new IllegalStateException("no such engine: " + id);
    }
    return node;
  }
}
