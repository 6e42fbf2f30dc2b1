package io.reactivetransfer.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthContributors.Entry;

/** The health of all engines of an application, by their names. */
final class EngineHealthContributor implements CompositeReactiveHealthContributor, DisposableBean {

  private final Map<String, EngineHealthIndicator> indicators = new LinkedHashMap<>();

  /**
   * Begins to look after them.
   *
   * @param engines by their names
   * @param faults why NICs have failed, or null where nobody remembers
   * @throws EngineConfigurationException if a peer that is expected is no host and port
   */
  EngineHealthContributor(
      Map<String, TransferEngine> engines,
      ReactiveTransferProperties properties,
      @Nullable EngineFaults faults) {
    engines.forEach((name, engine) -> {
      HealthProperties its = properties.of(name).getHealth();
      List<HostPort> peers = peers(its, new PropertyCheck(properties.prefixOf(name)));
      Boolean lostPeers = its.getLostPeers();
      indicators.put(
          name,
          new EngineHealthIndicator(
              engine, faults, peers, lostPeers == null ? peers.isEmpty() : lostPeers));
    });
  }

  private static List<HostPort> peers(HealthProperties its, PropertyCheck check) {
    List<HostPort> peers = new ArrayList<>();
    its.getPeers()
        .forEach(text -> check.set("health.peers", text, peer -> peers.add(HostPort.parse(peer))));
    return peers;
  }

  @Override
  public @Nullable ReactiveHealthContributor getContributor(String name) {
    return indicators.get(name);
  }

  @Override
  public Stream<Entry> stream() {
    return indicators.entrySet().stream().map(each -> new Entry(each.getKey(), each.getValue()));
  }

  @Override
  public void destroy() {
    indicators.values().forEach(EngineHealthIndicator::dispose);
  }
}
