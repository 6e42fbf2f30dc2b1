package io.reactivetransfer.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfigurationException;
import io.reactivetransfer.config.PropertyCheck;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthContributors.Entry;

/** The health of all engines of an application, by their names. */
final class EngineHealthContributor implements CompositeReactiveHealthContributor, DisposableBean {

  private final Supplier<Map<String, TransferEngine>> engines;
  private final ReactiveTransferProperties properties;
  private final @Nullable EngineFaults faults;
  private final Function<String, Map<String, Object>> renewed;
  private final Map<String, EngineHealthIndicator> indicators = new LinkedHashMap<>();

  /**
   * Begins to look after those that there are, and after others when it is asked for their health.
   *
   * @param engines by their names, asked anew each time
   * @param faults why NICs have failed, or null where nobody remembers
   * @param renewed which secrets and certificates the engine of a name has, as details
   * @throws EngineConfigurationException if a peer that is expected is no host and port
   */
  EngineHealthContributor(
      Supplier<Map<String, TransferEngine>> engines,
      ReactiveTransferProperties properties,
      @Nullable EngineFaults faults,
      Function<String, Map<String, Object>> renewed) {
    this.engines = engines;
    this.renewed = renewed;
    this.properties = properties;
    this.faults = faults;
    var _ = indicators();
  }

  private synchronized Map<String, EngineHealthIndicator> indicators() {
    engines
        .get()
        .forEach((name, engine) -> indicators.computeIfAbsent(name, _ -> indicator(name, engine)));
    return new LinkedHashMap<>(indicators);
  }

  private EngineHealthIndicator indicator(String name, TransferEngine engine) {
    HealthProperties its = properties.of(name).getHealth();
    PropertyCheck check = new PropertyCheck(properties.prefixOf(name));
    return new EngineHealthIndicator(
        engine, faults, peers(its, check), its.isLostPeers(), () -> renewed.apply(name));
  }

  private static List<HostPort> peers(HealthProperties its, PropertyCheck check) {
    List<HostPort> peers = new ArrayList<>();
    its.getPeers()
        .forEach(text -> check.set("health.peers", text, peer -> peers.add(HostPort.parse(peer))));
    return peers;
  }

  @Override
  public @Nullable ReactiveHealthContributor getContributor(String name) {
    return indicators().get(name);
  }

  @Override
  public Stream<Entry> stream() {
    return indicators().entrySet().stream().map(each -> new Entry(each.getKey(), each.getValue()));
  }

  @Override
  public synchronized void destroy() {
    indicators.values().forEach(EngineHealthIndicator::dispose);
  }
}
