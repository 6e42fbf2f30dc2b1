package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.simulation.Faults;
import io.reactivetransfer.simulation.Ground;
import io.reactivetransfer.simulation.Hosts;
import io.reactivetransfer.simulation.Referee;
import io.reactivetransfer.simulation.network.FailedWrite;
import io.reactivetransfer.simulation.network.SimulatedNetwork;
import io.reactivetransfer.simulation.network.VirtualTime;
import io.reactivetransfer.simulation.network.WireObserver;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Everything that one run consists of: time, the network, the nodes, the orders. */
final class KvWorld implements WireObserver, Hosts<KvNode> {

  private static final int MAX_NODES = 10;

  private record Pair(int one, int other) {
    static Pair of(KvNode one, KvNode other) {
      return new Pair(Math.min(one.index(), other.index()), Math.max(one.index(), other.index()));
    }
  }

  private record Written(Land.Strip strip, long offset, long length) {}

  private final KvForecast forecast;
  private final SplittableRandom random;
  private final VirtualTime time;
  private final Referee referee;
  private final SimulatedNetwork network;
  private final Ground<Land.Strip> ground;
  private final Tampering tampering;
  private final List<KvNode> nodes = new ArrayList<>();
  private final Map<EngineId, KvNode> byId = new HashMap<>();
  private final List<Trip> trips = new ArrayList<>();
  private final List<RoutedTrip> routed = new ArrayList<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private final List<Interest> interests = new ArrayList<>();
  private final Set<Pair> disturbed = new HashSet<>();
  private final Set<Pair> failed = new HashSet<>();
  private int places;
  private final List<Written> written = new ArrayList<>();

  KvWorld(
      KvForecast forecast,
      SplittableRandom random,
      Ground<Land.Strip> ground,
      Tampering tampering) {
    this.forecast = forecast;
    this.random = random;
    this.ground = ground;
    this.tampering = tampering;
    this.time = new VirtualTime(random.nextLong());
    this.referee = new Referee(time);
    this.network = new SimulatedNetwork(time, forecast.weather(), this, random.nextLong());
  }

  KvForecast forecast() {
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

  Ground<Land.Strip> ground() {
    return ground;
  }

  Tampering tampering() {
    return tampering;
  }

  @Override
  public List<KvNode> nodes() {
    return nodes;
  }

  /** All orders, by number. */
  List<Trip> trips() {
    return trips;
  }

  /** All orders of whichever node is there, by number. */
  List<RoutedTrip> routed() {
    return routed;
  }

  /** What must come to its end. */
  List<Waiter> waiters() {
    return waiters;
  }

  /** All requests that handlers were given. */
  List<Interest> interests() {
    return interests;
  }

  // ---- what comes into it ----

  /** All nodes of the first hour. */
  void populate() {
    int ranks = forecast.models().stream().mapToInt(model -> model.ranks().size()).max().orElse(1);
    for (int rank = 0; rank < ranks; rank++) {
      for (int replica = 0; replica < forecast.replicas(); replica++) {
        addNode(newPlace(), rank, forecast.both());
      }
    }
    for (int decode = 0; decode < forecast.decodes(); decode++) {
      addNode(newPlace(), -1, true);
    }
  }

  /**
   * Starts another process.
   *
   * @param place where there is none, or was one that was killed
   * @param rank which share of each model it computes; below 0 if none
   */
  void addNode(int place, int rank, boolean decodes) {
    if (nodes.size() < MAX_NODES) {
      KvNode node = new KvNode(this, nodes.size(), place, rank, decodes, random.split());
      nodes.add(node);
      byId.put(node.id(), node);
      node.open();
    }
  }

  /** Where there never was a process. */
  int newPlace() {
    return places++;
  }

  @Override
  public long livenessNanos() {
    return forecast.livenessNanos();
  }

  /** Most are started again, at the same place or somewhere else. */
  @Override
  public void replace(KvNode killed, SplittableRandom random) {
    if (random.nextInt(4) > 0) {
      int place = random.nextInt(3) > 0 ? killed.process().place() : newPlace();
      time.after(
          random.nextLong(Faults.MAX_OUTAGE_NANOS),
          () -> addNode(place, killed.rank(), killed.decodes()));
    }
  }

  /** A write has begun, and must be looked at when it is done. */
  void written(Land.Strip strip, long offset, long length) {
    written.add(new Written(strip, offset, length));
  }

  /** What must be true after each step. */
  void check() {
    if (!written.isEmpty()) {
      written.forEach(one -> one.strip.written(one.offset, one.length));
      written.clear();
    }
  }

  /** Every order must be over when its deadline is, and every request. */
  void requireInTime() {
    for (Interest interest : interests) {
      String complaint = interest.complaint();
      if (complaint != null) {
        referee.violated(complaint);
      }
    }
    for (RoutedTrip trip : routed) {
      if (trip.isOverdue()) {
        referee.violated(trip + " has not ended, and its deadline is over");
      }
    }
    for (Trip trip : trips) {
      if (trip.isOverdue()) {
        referee.violated(trip + " has not ended, and its deadline is over");
      }
    }
  }

  // ---- what is known of it ----

  /** Whether each may take the other as lost. */
  boolean isDisturbed(KvNode one, KvNode other) {
    return one == other
        || isTroubled(one)
        || isTroubled(other)
        || disturbed.contains(Pair.of(one, other));
  }

  private static boolean isTroubled(KvNode node) {
    return node.isKilled() || node.isClosing() || node.wasOverdue();
  }

  /** Whether writes between them may have failed. */
  boolean mayFail(KvNode one, KvNode other) {
    return isDisturbed(one, other) || failed.contains(Pair.of(one, other));
  }

  /** One gives cause to be shut out of the other's memory, which ends what runs between them. */
  void shutsOut(KvNode one, KvNode other) {
    failed.add(Pair.of(one, other));
  }

  KvNode known(EngineId id) {
    KvNode node = byId.get(id);
    if (node == null) {
      throw new IllegalStateException("no such engine: " + id);
    }
    return node;
  }

  // ---- what the network tells ----

  @Override
  public void reading(MemorySegment memory, long offset, long length) {
    Land.Strip strip = ground.ownerOf(memory);
    if (strip != null) {
      strip.reading(within(strip, memory) + offset, length);
    }
  }

  @Override
  public void writing(MemorySegment memory, long offset, long length) {
    Land.Strip strip = ground.ownerOf(memory);
    if (strip != null) {
      strip.writing(within(strip, memory) + offset, length);
    }
  }

  /** Where registered memory begins in its strip: of that of a tail only the tail is registered. */
  private static long within(Land.Strip strip, MemorySegment memory) {
    return memory.address() - strip.memory.address();
  }

  @Override
  public void disturbed(EngineId one, EngineId other) {
    disturbed.add(Pair.of(known(one), known(other)));
  }

  @Override
  public void wayLost(EngineId one, EngineId other) {
    failed.add(Pair.of(known(one), known(other)));
  }

  @Override
  public void failed(FailedWrite write) {
    failed.add(Pair.of(known(write.origin()), known(write.target())));
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
