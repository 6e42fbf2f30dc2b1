package io.reactivetransfer.simulation.network;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WorkerLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One NIC: its memory, its links, and what it has to report. Tells when it is misused. */
final class SimulatedDomain implements Domain {

  private static final int MAX_REPORTS_PER_POLL = 16;

  private final SimulatedNetwork network;
  private final SimulatedAddress where;
  private final OpenContext context;
  private final SplittableRandom random;
  private final Map<Long, SimulatedMemory> memory = new HashMap<>();
  private final Map<SimulatedAddress, SimulatedPeer> peers = new HashMap<>();
  private final Set<RemoteMemory> targets = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<SimulatedAddress, LinkEnd> ends = new LinkedHashMap<>();
  private final ArrayDeque<Report> reports = new ArrayDeque<>();
  private final Capabilities capabilities;
  private long refusingUntil;
  private long downUntil;
  private int refusedIn;
  private boolean closed;
  private boolean broken;
  private boolean failureTold;

  SimulatedDomain(
      SimulatedNetwork network, SimulatedAddress where, OpenContext context, long seed) {
    this.network = network;
    this.where = where;
    this.context = context;
    this.random = new SplittableRandom(seed);
    Weather weather = network.weather();
    capabilities =
        Capabilities.builder(weather.maxWriteBytes(), weather.queueDepth())
            .completion(
                weather.sourceFree() ? CompletionLevel.SOURCE_FREE : CompletionLevel.DELIVERED)
            .fencesLostPeers(weather.fences())
            .maxRows(weather.maxRows())
            .maxGather(weather.maxGather())
            .build();
  }

  SimulatedAddress where() {
    return where;
  }

  SimulatedNetwork network() {
    return network;
  }

  // ---- the engine's side ----

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return where.toBytes();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory what, Access access) {
    requireUsable("register");
    if (refusedIn > 0 && --refusedIn == 0) {
      network.observer().happened("refused registration", where.engine(), where.nic());
      throw new BackendException(12, "the NIC has no room for a registration");
    }
    long serial = network.newSerial();
    return CompletableFuture.completedStage(
        add(new SimulatedMemory(((HostMemory) what).segment(), access, serial, serial)));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory registered) {
    requireUsable("revoke");
    SimulatedMemory old = own(registered, "revoke");
    memory.remove(old.serial());
    network.observer().happened("revoke", where.engine(), old.serial());
    return CompletableFuture.completedStage(
        add(
            new SimulatedMemory(
                old.segment(), old.access(), network.newSerial(), old.registration())));
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory registered) {
    requireUsable("deregister");
    SimulatedMemory old = own(registered, "deregister");
    for (LinkEnd end : ends.values()) {
      if (end.isReading(old.registration())) {
        misused("deregisters memory that a write in flight reads");
      }
    }
    memory.remove(old.serial());
    network.observer().happened("deregister", where.engine(), old.serial());
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    requireUsable("resolve");
    SimulatedPeer peer = new SimulatedPeer(this, SimulatedAddress.fromBytes(engine, address));
    if (peers.put(peer.address(), peer) != null) {
      misused("resolves a NIC that it knows");
    }
    return peer;
  }

  @Override
  public void release(RemotePeer peer) {
    requireUsable("release");
    SimulatedAddress address = own(peer).address();
    if (!peers.remove(address, peer)) {
      misused("releases a NIC twice");
    }
    if (targets.stream().anyMatch(target -> ((SimulatedPeer.Target) target).peer().equals(peer))) {
      misused("releases a NIC, and not its memory");
    }
    LinkEnd end = ends.get(address);
    if (end != null) {
      end.sessionEnded();
      if (end.outstanding() > 0) {
        misused("releases a NIC that writes are out to");
      }
    }
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    requireSound("fromPeer");
    endTo(own(from).address()).hear(message);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    requireUsable("resolve");
    if (key.length != Long.BYTES) {
      throw new BackendException(0, "expected a key of " + Long.BYTES + " bytes");
    }
    SimulatedPeer.Target target =
        new SimulatedPeer.Target(own(peer), ByteBuffer.wrap(key).getLong(), length);
    targets.add(target);
    return target;
  }

  @Override
  public void release(RemoteMemory memory) {
    requireUsable("release memory");
    if (!targets.remove(memory)) {
      misused("releases memory that it has not resolved");
    }
  }

  @Override
  public PostResult post(Operation op) {

    requireSound("post");
    SimulatedMemory source = own(op.local(), "post from");
    SimulatedPeer.Target target = (SimulatedPeer.Target) op.remote();
    LinkEnd end = endTo(own(target.peer()).address());
    if (!targets.contains(target)) {
      misused("posts to memory that was released");
    }
    Objects.checkFromIndexSize(op.localOffset(), op.localExtent(), source.segment().byteSize());
    Objects.checkFromIndexSize(op.remoteOffset(), op.remoteExtent(), target.length());
    int accepted = ends.values().stream().mapToInt(LinkEnd::outstanding).sum();
    if (op.length() > capabilities.maxWriteBytes()
        || op.rows() > capabilities.maxRows()
        || (op.isGathered() && op.rows() > capabilities.maxGather())
        || accepted >= Math.min(capabilities.queueDepth(), context.nicDepth())) {
      misused("posts more than the NIC can take");
    }
    if (!end.isReady()) {
      return PostResult.PEER_BUSY;
    }
    if (refuses()) {
      return PostResult.NIC_BUSY;
    }
    end.post(new SimulatedWrite(end, op, source, target.serial()));
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    requireUsable("disconnect");
    SimulatedAddress address = own(peer).address();
    reports.removeIf(report -> report instanceof Report.Said said && said.to().equals(peer));
    LinkEnd end = ends.get(address);
    if (end != null) {
      end.sessionEnded();
      network.observer().happened("disconnect", where.engine(), end.number());
      SimulatedDomain target = network.find(address);
      if (!broken && target != null && !target.isBroken()) {
        network.observer().gaveUpWay(where.engine(), address.engine(), reason);
      }
      end.disconnect();
    }
    CompletableFuture<Void> fence = new CompletableFuture<>();
    report(new Report.Fenced(fence));
    return fence;
  }

  @Override
  public int poll(CompletionSink sink) {
    requireUsable("poll");
    int most = 1 + random.nextInt(MAX_REPORTS_PER_POLL);
    int told = 0;
    Report report;
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
    if (!closed) {
      vanish(false);
    }
  }

  // ---- the network's side ----

  /** A NIC as the engine knows it, unless it has released it. */
  @Nullable SimulatedPeer peer(SimulatedAddress address) {
    return peers.get(address);
  }

  Collection<LinkEnd> ends() {
    return ends.values();
  }

  LinkEnd endTo(SimulatedAddress remote) {
    LinkEnd end = ends.get(remote);
    if (end == null) {
      end = new LinkEnd(this, remote, ends.size());
      ends.put(remote, end);
    }
    return end;
  }

  void report(Report report) {
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

  @Nullable SimulatedMemory find(long serial) {
    return closed ? null : memory.get(serial);
  }

  boolean isDown() {
    return closed || broken || network.time().nanos() < downUntil;
  }

  /** Refuses a registration, the so many-th from now on. */
  void refuseRegistration(int call) {
    refusedIn = call;
  }

  /** Goes out of service for a while. */
  void goDown(long outageNanos) {
    downUntil = network.time().nanos() + outageNanos;
    network.observer().happened("nic fails", where.engine(), where.nic());
    List.copyOf(ends.values()).forEach(LinkEnd::cut);
  }

  boolean isBroken() {
    return broken;
  }

  /** Goes out of service for good, and says so. */
  void breakDown() {
    broken = true;
    network.observer().happened("nic breaks", where.engine(), where.nic());
    report(new Report.NicFailed(this));
    List.copyOf(ends.values()).forEach(LinkEnd::breakDown);
  }

  void failureTold() {
    failureTold = true;
  }

  /** Ends: by its engine, or because its process was killed. */
  void vanish(boolean silent) {
    List.copyOf(ends.values()).forEach(end -> end.vanish(silent));
    closed = true;
    reports.clear();
    memory.clear();
    network.remove(this);
    network.observer().happened("nic gone", where.engine(), where.nic());
  }

  private boolean refuses() {
    if (broken) {
      return true;
    }
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

  private SimulatedMemory add(SimulatedMemory added) {
    memory.put(added.serial(), added);
    return added;
  }

  // ---- what an engine must not do ----

  private void requireUsable(String call) {
    WorkerLoop loop = context.loop();
    if (closed) {
      misused("calls " + call + " on a closed NIC");
    } else if (loop == null || !loop.inLoop()) {
      misused("calls " + call + " on another thread than its own");
    }
  }

  private void requireSound(String call) {
    requireUsable(call);
    if (failureTold) {
      misused("calls " + call + " on a NIC that has failed");
    }
  }

  private SimulatedMemory own(LocalMemory registered, String call) {
    SimulatedMemory own = (SimulatedMemory) registered;
    if (!memory.containsKey(own.serial())) {
      misused("calls " + call + " memory that is not registered");
    }
    return own;
  }

  private SimulatedPeer own(RemotePeer peer) {
    SimulatedPeer own = (SimulatedPeer) peer;
    if (!equals(own.owner())) {
      misused("uses a peer of another NIC");
    }
    return own;
  }

  private void misused(String what) {
    network.observer().misused(where.engine(), what);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return where.hashCode();
  }

  @Override
  public String toString() {
    return where.toString();
  }
}
