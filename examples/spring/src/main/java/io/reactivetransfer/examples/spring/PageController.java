package io.reactivetransfer.examples.spring;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.examples.spring.Snapshot.Other;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** What the page asks for. The page itself is in resources/static. */
@RestController
class PageController {

  private static final Duration PERIOD = Duration.ofMillis(500);

  private final TransferEngine engine;
  private final NodeProperties properties;
  private final Load load;
  private final ReactiveHealthIndicator health;

  /**
   * The health is that of the actuator, without a request: the starter's contributor has one for
   * each engine, and that of an engine whose properties have no name is called default.
   */
  PageController(
      TransferEngine engine,
      NodeProperties properties,
      Load load,
      @Qualifier("reactiveTransferHealthContributor") CompositeReactiveHealthContributor engines) {
    this.engine = engine;
    this.properties = properties;
    this.load = load;
    this.health =
        (ReactiveHealthIndicator) Objects.requireNonNull(engines.getContributor("default"));
  }

  /** Server-sent events, as long as the page is open. One that comes too late is left out. */
  @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  Flux<Snapshot> events() {
    return Flux.interval(Duration.ZERO, PERIOD)
        .onBackpressureDrop()
        .concatMap(_ -> health.health().map(this::snapshot));
  }

  @PutMapping(path = "/paused", consumes = MediaType.APPLICATION_JSON_VALUE)
  void pause(@RequestBody boolean paused) {
    load.pause(paused);
  }

  private Snapshot snapshot(Health health) {
    return new Snapshot(
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
        properties.name(),
        engine.address().control().toString(),
        engine.id().toShortString(),
        load.isPaused(),
        health.getStatus().getCode(),
        String.valueOf(health.getDetails().getOrDefault("reason", "")),
        engine.stats().transfersInFlight(),
        engine.options().window(),
        properties.writeSize().toBytes(),
        load.links().stream().map(Other::of).toList());
  }
}
