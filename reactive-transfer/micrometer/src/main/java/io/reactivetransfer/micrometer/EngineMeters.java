package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Shows engines, their NICs and their peers in a registry of Micrometer: a recorder that engines
 * are opened with.
 *
 * <pre>{@code
 * EngineOptions options =
 *     EngineOptions.builder().recorder(EngineMeters.of(registry).build()).build();
 * }</pre>
 *
 * <p>One object may serve several engines; each has the tags {@code engine}, the first eight digits
 * of its id, and {@code backend}. An engine that several of these objects are told of is shown once
 * in a registry, by the first. What meters there are, with their units and tags, is in {@code
 * docs/observability.md}.
 *
 * <p><b>When.</b> Meters come when the engine has opened, and go when it has closed; those of a
 * peer come when something is known of it, and go when the engine has forgotten it. Registering and
 * removing is done on {@code Schedulers.boundedElastic()}, so a moment later. Nothing is sent and
 * no timer runs: the registry reads {@link EngineStats} and {@link TrafficStats} when it wants to
 * know.
 *
 * <p><b>What it costs.</b> Nothing for a write. When a stream of transfers, or a single one, has
 * ended, the NIC's thread adds to eight sums and one {@code Timer}, with histograms to four sums
 * and three {@code Timer}s. It waits for nothing, unless the registry's {@code Timer} does. Held
 * are the engine until it has closed, and for each meter what the registry keeps; at most {@link
 * Builder#maxPeers} times 18 meters are of peers by name, and 18 of all others.
 *
 * <p><b>What goes wrong.</b> What a registry throws is logged, once for each engine, and ends
 * nothing: a meter that it refuses is missing.
 */
public final class EngineMeters implements EngineRecorder {

  /** The engines that each registry shows, whoever shows them. */
  private static final Map<MeterRegistry, Set<EngineId>> SHOWN =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final MeterRegistry registry;
  private final Tags tags;
  private final int maxPeers;
  private final Function<? super Peer, String> peerName;
  private final boolean histogram;
  private final Map<EngineId, ShownEngine> engines = new ConcurrentHashMap<>();

  private EngineMeters(Builder builder) {
    registry = builder.registry;
    tags = builder.tags;
    maxPeers = builder.maxPeers;
    peerName = builder.peerName;
    histogram = builder.histogram;
  }

  /** Begins with the defaults; the registry stays the caller's. */
  public static Builder of(MeterRegistry registry) {
    return new Builder(Objects.requireNonNull(registry, "registry"));
  }

  private static Set<EngineId> shownIn(MeterRegistry registry) {
    return SHOWN.computeIfAbsent(registry, _ -> ConcurrentHashMap.newKeySet());
  }

  private void tell(EngineId engine, Consumer<ShownEngine> event) {
    ShownEngine shown = engines.get(engine);
    if (shown != null) {
      event.accept(shown);
    }
  }

  @Override
  public void opened(TransferEngine engine) {
    EngineId id = engine.id();
    if (shownIn(registry).add(id)) {
      Meters meters = Meters.of(registry, tags, engine);
      ShownEngine shown =
          new ShownEngine(
              engine,
              meters,
              new PeerSlots(meters, maxPeers, peerName),
              histogram,
              () -> shownIn(registry).remove(id));
      engines.put(id, shown);
      shown.refresh();
    }
  }

  @Override
  public void closed(TransferEngine engine, @Nullable Throwable reason) {
    ShownEngine shown = engines.remove(engine.id());
    if (shown != null) {
      shown.closed();
    }
  }

  @Override
  public void peerFound(Peer peer) {
    tell(peer.engine(), engine -> engine.found(peer));
  }

  @Override
  public void peerLost(Peer peer, PeerUnreachableException reason) {
    tell(peer.engine(), engine -> engine.lost(peer));
  }

  @Override
  public void wayLost(Peer peer, Nic nic, String reason) {
    tell(peer.engine(), engine -> engine.wayLost(nic));
  }

  @Override
  public void transferFailed(Peer peer, Nic nic, TransferException reason) {
    tell(peer.engine(), engine -> engine.transferFailed(nic, reason));
  }

  @Override
  public void transferRejected(EngineId engine, TransferException reason) {
    tell(engine, ShownEngine::rejected);
  }

  @Override
  public void streamEnded(EngineId engine, StreamEnd end) {
    tell(engine, shown -> shown.ended(end));
  }

  @Override
  public void revocationOverdue(Peer peer) {
    tell(peer.engine(), ShownEngine::overdue);
  }

  @Override
  public void stalled(EngineId engine, Duration took) {
    tell(engine, shown -> shown.stalled(took));
  }

  /**
   * Sets what differs from the defaults: no further tags, 64 peers by the host and port of their
   * control channel, no histogram.
   */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private int maxPeers = 64;
    private Function<? super Peer, String> peerName = peer -> peer.address().control().toString();
    private boolean histogram;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** Tags that all meters get, such as the role of the node. */
    public Builder tags(Iterable<? extends Tag> tags) {
      this.tags = Tags.of(tags);
      return this;
    }

    /**
     * How many names of peers an engine's meters may have at a time, 0 to 10,000. A peer whose name
     * is one too many is counted under {@code other}, unless it lives and a named one does not:
     * then these two change places.
     */
    public Builder maxPeers(int maxPeers) {
      this.maxPeers = Named.requireLimit(maxPeers, "names of peers");
      return this;
    }

    /**
     * What a peer is called, instead of host and port of its control channel. Peers of one name
     * share its meters. Called on {@code Schedulers.boundedElastic()}, now and then, and must not
     * take long. A peer for which it throws, or gives a blank, is counted under {@code other}.
     */
    public Builder peerName(Function<? super Peer, String> peerName) {
      this.peerName = Objects.requireNonNull(peerName, "peerName");
      return this;
    }

    /**
     * Has {@code reactive.transfer.streams} publish a histogram for each outcome, and {@code
     * reactive.transfer.streams.queue} and {@code reactive.transfer.streams.posted} one each, from
     * which a monitoring system takes percentiles: some 950 more series for each engine.
     */
    public Builder percentileHistogram() {
      this.histogram = true;
      return this;
    }

    /** A recorder for as many engines as are opened with it. */
    public EngineMeters build() {
      return new EngineMeters(this);
    }
  }
}
