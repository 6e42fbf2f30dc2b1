package io.reactivetransfer.examples.observe;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.jfr.EngineEvents;
import io.reactivetransfer.micrometer.EngineMeters;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** An engine over tcp that has events, and meters in a registry of its own. */
final class ObservedEngine implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Longer than usual: where too few CPUs make a process silent, it is not to be lost for that. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final String PREFIX = "reactive.transfer.";

  private final String name;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final TransferEngine engine;

  private ObservedEngine(String name, Names names, EngineOptions.Builder options) {
    this.name = name;
    EngineMeters meters =
        EngineMeters.of(registry).peerName(peer -> names.of(peer.address().control())).build();
    options.recorder(EngineEvents.recorder().andThen(meters));
    this.engine =
        await(TransferEngineBuilder.create().backend("tcp").options(options.build()).open());
    names.put(engine.id(), engine.address().control(), name);
  }

  /** One with one NIC, which others call by its name. */
  static ObservedEngine open(String name, Names names, EngineOptions.Builder options) {
    return new ObservedEngine(name, names, options.nics(1).livenessDeadline(SILENCE));
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  String name() {
    return name;
  }

  TransferEngine engine() {
    return engine;
  }

  /** All meters of this name that have these tags, together. */
  Reading read(String meter, String... tags) {
    Reading reading = Reading.NONE;
    for (Meter each : registry.find(PREFIX + meter).tags(tags).meters()) {
      reading = reading.plus(each);
    }
    return reading;
  }

  @Override
  public void close() {
    engine.close().block(PATIENCE);
  }
}
