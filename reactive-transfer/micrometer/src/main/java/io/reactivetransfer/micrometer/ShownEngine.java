package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferKind;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * One engine and its meters. The NIC's thread only counts: what registers and removes meters, which
 * takes the registry's lock, is done elsewhere. It is asked for when a peer was found or lost, and
 * whenever the registry reads how many peers there are: engines tell nobody that they have
 * forgotten one.
 */
final class ShownEngine {

  private final TransferEngine engine;
  private final Meters meters;
  private final StreamMeters streams;
  private final PeerSlots peers;
  private final Runnable gone;
  private final Map<Nic, NicMeters> nics = new LinkedHashMap<>();
  private final LongAdder found = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder unreachable = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder overdue = new LongAdder();
  private final LongAdder stalls = new LongAdder();
  private final LongAdder stalledNanos = new LongAdder();

  /** Those that were found, and not lost since; the NIC thread's own. */
  private final Set<Peer> present = Collections.newSetFromMap(new WeakHashMap<>());

  private final Upkeep upkeep;
  private boolean registered; // the task's own, as the peers are
  private volatile boolean closed;

  /**
   * Nothing is registered yet.
   *
   * @param gone called when all meters are removed
   */
  ShownEngine(
      TransferEngine engine, Meters meters, PeerSlots peers, boolean histogram, Runnable gone) {
    this.engine = engine;
    this.meters = meters;
    this.streams = new StreamMeters(meters, histogram);
    this.peers = peers;
    this.gone = gone;
    this.upkeep = new Upkeep(this::followOnce, meters::failed);
    engine.stats().nics().keySet().forEach(nic -> nics.put(nic, new NicMeters(engine, nic)));
  }

  // ---- on the NIC's thread ----

  void found(Peer peer) {
    found.increment();
    present.add(peer);
    refresh();
  }

  /** An engine says so whenever it has tried in vain; it was lost once. */
  void lost(Peer peer) {
    (present.remove(peer) ? lost : unreachable).increment();
    refresh();
  }

  void rejected() {
    rejected.increment();
  }

  void overdue() {
    overdue.increment();
  }

  void stalled(Duration took) {
    stalls.increment();
    stalledNanos.add(took.toNanos());
  }

  void ended(StreamEnd end) {
    streams.ended(end);
  }

  void transferFailed(Nic nic, TransferException reason) {
    of(nic, each -> each.transferFailed(reason));
  }

  void wayLost(Nic nic) {
    of(nic, NicMeters::wayLost);
  }

  private void of(Nic nic, Consumer<NicMeters> action) {
    NicMeters known = nics.get(nic);
    if (known != null) {
      action.accept(known);
    }
  }

  void closed() {
    closed = true;
    refresh();
  }

  // ---- elsewhere ----

  /** Has the meters follow what there is, soon. From any thread; does not wait. */
  void refresh() {
    upkeep.due(() -> closed); // then nobody asks again
  }

  private void followOnce() {
    if (closed) {
      peers.remove();
      meters.remove();
      gone.run();
      return;
    }
    if (!registered) {
      registered = true;
      register();
    }
    peers.sync(engine.peers());
  }

  private void register() {
    streams.register();
    nics.values().forEach(nic -> nic.register(meters));
    gauge(
        "transfers.active",
        "transfers that were taken over and are not finished",
        EngineStats::transfersInFlight);
    gauge("regions.open", "regions that are registered and not closed", EngineStats::openRegions);
    meters.gauge(
        "regions.registered",
        Tags.empty(),
        Meters.BYTES,
        "bytes of regions that are registered and not closed",
        engine,
        each -> each.stats().registeredBytes());
    gauge("claims.pending", "claims on counters that wait", EngineStats::pendingClaims);
    gauge(
        "imms.unclaimed",
        "immediates that came and that nobody has claimed",
        EngineStats::unclaimedImms);
    gauge("leases.open", "leases of immediates that were not closed", EngineStats::openLeases);
    count(
        "arrivals.dropped",
        "pieces with an immediate that found the table of unclaimed ones full",
        EngineStats::droppedImms);
    count(
        "defects",
        "what a NIC, a peer or a recorder must not do; each was survived, and logged",
        EngineStats::defects);
    count(
        "transfers.rejected",
        "transfers that were rejected when they were to be posted, at once and not when their"
            + " stream ends",
        rejected);
    count("peers.found", "how often a peer has greeted, for the first time or again", found);
    count("peers.lost", "how often a peer was lost that had greeted", lost);
    count("peers.unreachable", "how often a peer was not there when it was needed", unreachable);
    count(
        "revocations.overdue",
        "how often a peer has not stopped to write to a region in time",
        overdue);
    count("stalls", "turns of the NIC's thread that took longer than the threshold", stalls);
    meters.counter(
        "stalled",
        Tags.empty(),
        "seconds",
        "how long those turns took",
        stalledNanos,
        nanos -> nanos.sum() / 1e9);
    for (TransferKind kind : TransferKind.values()) {
      Tags ofKind = Tags.of("kind", kind.name().toLowerCase(Locale.ROOT));
      meters.counter(
          "transfers.begun",
          ofKind,
          null,
          "transfers that were begun, whatever became of them, at once and not when their stream"
              + " ends",
          engine,
          each -> each.stats().transfersBegun(kind));
      meters.counter(
          "transfers.begun.bytes",
          ofKind,
          "bytes",
          "bytes of those transfers, over all targets",
          engine,
          each -> each.stats().bytesBegun(kind));
    }
    gauge("alive", PeerState.Alive.class);
    gauge("lost", PeerState.Lost.class);
    gauge("unknown", PeerState.Unknown.class);
  }

  private void gauge(String name, String description, ToDoubleFunction<EngineStats> figure) {
    meters.gauge(
        name, Tags.empty(), description, engine, each -> figure.applyAsDouble(each.stats()));
  }

  private void count(String name, String description, ToDoubleFunction<EngineStats> figure) {
    meters.counter(
        name, Tags.empty(), null, description, engine, each -> figure.applyAsDouble(each.stats()));
  }

  private void count(String name, String description, LongAdder count) {
    meters.counter(name, Tags.empty(), null, description, count, LongAdder::sum);
  }

  private void gauge(String state, Class<? extends PeerState> type) {
    meters.gauge(
        "peers",
        Tags.of("state", state),
        "peers that the engine knows, by what it knows of them",
        this,
        self -> self.count(type));
  }

  private long count(Class<? extends PeerState> type) {
    refresh();
    return engine.peers().stream().filter(peer -> type.isInstance(peer.present())).count();
  }
}
