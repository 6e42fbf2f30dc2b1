package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.WorkerLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The control channel of one process: whom it talks with, whom it dials, and what it has to report.
 * Tells when it is misused.
 */
final class SimulatedControl implements ControlChannel {

  private static final int PORT = 7400;
  private static final int MAX_MESSAGE_BYTES = 1 << 16;
  private static final int MAX_REPORTS_PER_POLL = 16;

  private final SimulatedNetwork network;
  private final SimulatedProcess process;
  private final ControlContext context;
  private final EngineId engine;
  private final HostPort address;
  private final SplittableRandom random;
  private final Map<EngineId, ControlEnd> ends = new LinkedHashMap<>();
  private final List<ControlDial> dials = new ArrayList<>();
  private final Set<Long> tokens = new HashSet<>();
  private final ArrayDeque<ControlReport> reports = new ArrayDeque<>();
  private long refusingUntil;
  private boolean closed;

  SimulatedControl(
      SimulatedNetwork network, SimulatedProcess process, ControlContext context, long seed) {
    this.network = network;
    this.process = process;
    this.context = context;
    this.engine = context.identity().id();
    this.address = addressOf(process.place());
    this.random = new SplittableRandom(seed);
  }

  /** Where the engine of the process at this place is found, whichever it is. */
  static HostPort addressOf(int place) {
    return new HostPort("process-" + place, PORT);
  }

  // ---- the engine's side ----

  @Override
  public HostPort address() {
    return address;
  }

  @Override
  public int maxMessageBytes() {
    return MAX_MESSAGE_BYTES;
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    requireUsable("send");
    if (to.equals(engine)) {
      misused("sends to itself");
    }
    if (bytes.remaining() > Math.min(MAX_MESSAGE_BYTES, context.maxMessageBytes())) {
      misused("sends a message that is too long");
    }
    if (refuses() || hasToTellOfLoss(to)) {
      return false; // what is meant for a session that is over is not said in the next one
    }
    ControlEnd end = ends.get(to);
    if (end == null) {
      if (dials.stream().noneMatch(dial -> dial.wants(to) && dial.at().equals(at))) {
        dial(new ControlDial(this, at, to, 0));
      }
      return false;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return end.send(copy);
  }

  private boolean hasToTellOfLoss(EngineId peer) {
    return reports.stream()
        .anyMatch(report -> report instanceof ControlReport.Lost lost && lost.peer().equals(peer));
  }

  @Override
  public void find(long token, HostPort at) {
    requireUsable("find");
    if (!tokens.add(token)) {
      misused("looks for two under one token");
    }
    EngineId there = null;
    for (ControlEnd end : ends.values()) {
      there = end.at().equals(at) ? end.remote() : there; // of several the youngest
    }
    if (there != null) {
      report(new ControlReport.Found(this, token, there));
    } else {
      dial(new ControlDial(this, at, null, token));
    }
  }

  private void dial(ControlDial dial) {
    dials.add(dial);
    dial.begin();
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    requireUsable("disconnect");
    network.observer().happened("hangs up", engine, peer.low());
    network.observer().gaveUp(engine, peer, reason);
    reports.removeIf(report -> peer.equals(report.peer()));
    dials.stream().filter(dial -> dial.wants(peer)).toList().forEach(ControlDial::end);
    ControlEnd end = ends.remove(peer);
    if (end != null) {
      end.hangUp();
    }
  }

  @Override
  public int poll(ControlSink sink) {
    requireUsable("poll");
    int most = 1 + random.nextInt(MAX_REPORTS_PER_POLL);
    int told = 0;
    ControlReport report;
    while (told < most && (report = reports.poll()) != null) {
      report.tell(sink);
      told++;
    }
    if (!reports.isEmpty()) {
      ring();
    }
    return told;
  }

  @Override
  public void close() {
    if (closed) {
      misused("closes its control channel twice");
    } else {
      leave(ControlEnd::finish);
    }
  }

  // ---- the network's side ----

  EngineId engine() {
    return engine;
  }

  SimulatedNetwork network() {
    return network;
  }

  SimulatedProcess process() {
    return process;
  }

  long connectNanos() {
    return context.connectTimeout().toNanos();
  }

  long latency() {
    return network.weather().draw(network.weather().latency(), random);
  }

  boolean isClosed() {
    return closed;
  }

  boolean isInSessionWith(EngineId peer) {
    return ends.containsKey(peer);
  }

  @Nullable ControlEnd endTo(EngineId peer) {
    return ends.get(peer);
  }

  /** Whether one of its dials may be answered by the other one. */
  boolean dials(SimulatedControl other) {
    return dialsTo(other.address(), other.engine()).stream().anyMatch(it -> it.mayReach(other));
  }

  /** Whether it is dialling this engine there. */
  boolean dials(HostPort at, EngineId remote) {
    return !dialsTo(at, remote).isEmpty();
  }

  private List<ControlDial> dialsTo(HostPort at, EngineId remote) {
    return dials.stream().filter(dial -> dial.at().equals(at) && dial.isFor(remote)).toList();
  }

  void dialsFailed(HostPort at, EngineId remote, String why) {
    dialsTo(at, remote).forEach(dial -> dial.fail(why));
  }

  /** A session has begun; one that there was with the same engine is over. */
  void enter(ControlEnd end) {
    ControlEnd old = ends.get(end.remote());
    if (old != null) {
      old.replaced();
    }
    ends.put(end.remote(), end);
    dialsTo(end.at(), end.remote()).forEach(dial -> dial.joined(end.remote()));
    ring(); // what was refused may be tried again
  }

  /** A session is over; whether it was there. */
  boolean leave(ControlEnd end) {
    return ends.remove(end.remote(), end);
  }

  /** A dial is over. */
  void dialled(ControlDial dial) {
    dials.remove(dial);
  }

  void lost(EngineId peer, String text) {
    network.observer().happened("lost", engine, peer.low());
    report(new ControlReport.Lost(peer, text));
  }

  void report(ControlReport report) {
    if (!closed) {
      reports.add(report);
      ring();
    }
  }

  void ring() {
    if (!closed) {
      context.doorbell().ring();
    }
  }

  /** Ends, because its process was killed. */
  void vanish(boolean silent) {
    leave(end -> end.vanish(silent));
  }

  private void leave(Consumer<ControlEnd> how) {
    closed = true;
    network.remove(this);
    List.copyOf(dials).forEach(ControlDial::end);
    List.copyOf(ends.values()).forEach(how);
    ends.clear();
    reports.clear();
  }

  private boolean refuses() {
    long now = network.time().nanos();
    if (now < refusingUntil) {
      return true;
    }
    if (Weather.happens(network.weather().refuse(), random)) {
      long nanos = 1 + network.weather().draw(network.weather().refusal(), random);
      refusingUntil = now + nanos;
      network.time().after(nanos, this::ring);
      return true;
    }
    return false;
  }

  // ---- what an engine must not do ----

  private void requireUsable(String call) {
    WorkerLoop loop = context.loop();
    if (closed) {
      misused("calls " + call + " on a closed control channel");
    } else if (loop == null || !loop.inLoop()) {
      misused("calls " + call + " of its control channel on another thread than its own");
    }
  }

  private void misused(String what) {
    network.observer().misused(engine, what);
  }
}
