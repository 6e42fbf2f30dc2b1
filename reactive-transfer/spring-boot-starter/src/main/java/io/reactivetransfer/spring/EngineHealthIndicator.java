package io.reactivetransfer.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Says whether an engine, all its NICs and its peers are there; down with a reason that names what
 * is not. Reads what the engine knows, and waits for nothing.
 */
final class EngineHealthIndicator extends AbstractReactiveHealthIndicator {

  private final TransferEngine engine;
  private final @Nullable EngineFaults faults;
  private final boolean countsLostPeers;
  private final Supplier<Map<String, Object>> renewed;
  private final List<ExpectedPeer> expected;
  private final List<Disposable> watches = new ArrayList<>();
  private volatile @Nullable Throwable brokeBy;

  /**
   * Begins to look after the engine and the peers that are expected.
   *
   * @param faults why NICs have failed, or null for an engine that does not tell
   * @param peers those that are expected
   * @param countsLostPeers whether it is down while any other peer is lost
   * @param renewed which secrets and certificates it has, as details; what was refused does not
   *     make it down, since it goes on with what it had
   */
  EngineHealthIndicator(
      TransferEngine engine,
      @Nullable EngineFaults faults,
      List<HostPort> peers,
      boolean countsLostPeers,
      Supplier<Map<String, Object>> renewed) {
    super("the engine could not be asked");
    this.engine = engine;
    this.faults = faults;
    this.countsLostPeers = countsLostPeers;
    this.renewed = renewed;
    this.expected = peers.stream().map(ExpectedPeer::new).toList();
    watches.add(engine.onClose().subscribe(null, failure -> brokeBy = failure));
    expected.forEach(peer -> watches.add(peer.watch(engine)));
  }

  /** Looks after nothing any more. */
  void dispose() {
    watches.forEach(Disposable::dispose);
  }

  @Override
  protected Mono<Health> doHealthCheck(Health.Builder builder) {
    return Mono.fromSupplier(() -> check(builder));
  }

  private Health check(Health.Builder builder) {
    List<String> reasons = new ArrayList<>();
    if (engine.isClosed()) {
      Throwable broke = brokeBy;
      reasons.add(broke == null ? "the engine was closed" : String.valueOf(broke.getMessage()));
    } else {
      addFailedNics(reasons);
      addPeers(reasons);
    }
    builder
        .status(reasons.isEmpty() ? "UP" : "DOWN")
        .withDetail("engine", engine.id().toShortString())
        .withDetail("backend", engine.backend())
        .withDetail("address", engine.address().control().toString())
        .withDetail("nics", engine.nics().stream().map(Nic::name).toList())
        .withDetails(renewed.get());
    if (!expected.isEmpty()) {
      builder.withDetail("peers", peers());
    }
    if (!reasons.isEmpty()) {
      builder.withDetail("reason", String.join("; ", reasons));
    }
    return builder.build();
  }

  private void addFailedNics(List<String> reasons) {
    List<Nic> left = engine.nics();
    for (Nic nic : engine.stats().nics().keySet()) {
      if (!left.contains(nic)) {
        reasons.add(
            "NIC "
                + nic.name()
                + " has failed: "
                + (faults == null ? "the log says why" : faults.reasonOf(engine.id(), nic)));
      }
    }
  }

  private void addPeers(List<String> reasons) {
    for (ExpectedPeer peer : expected) {
      String trouble = peer.trouble();
      if (trouble != null) {
        reasons.add("peer " + peer.at() + " is not there: " + trouble);
      }
    }
    if (countsLostPeers) {
      addLostPeers(reasons);
    }
  }

  /** A process that was restarted is another peer, at the host and port of the one before. */
  private void addLostPeers(List<String> reasons) {
    List<Peer> peers = engine.peers();
    Set<HostPort> known =
        peers.stream()
            .filter(peer -> peer.present().lossCause() == null)
            .map(peer -> peer.address().control())
            .collect(Collectors.toSet());
    for (Peer peer : peers) {
      PeerUnreachableException loss = peer.present().lossCause();
      HostPort at = peer.address().control();
      if (loss != null && known.add(at)) {
        reasons.add("peer " + at + " is lost: " + loss.getMessage());
      }
    }
  }

  private Map<String, String> peers() {
    Map<String, String> peers = new LinkedHashMap<>();
    for (ExpectedPeer peer : expected) {
      peers.put(peer.at().toString(), peer.trouble() == null ? "UP" : "DOWN");
    }
    return peers;
  }
}
