package io.reactivetransfer.spring;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfigurationException;
import io.reactivetransfer.config.OptionSettings;
import io.reactivetransfer.config.PropertyCheck;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Opens engines when their beans are made, so that whoever is given one can use it at once, and
 * closes all of them when the context stops: behind everything that may still use them, and before
 * any bean is destroyed that may own memory, see {@link CloseBeforeDestruction}, too.
 */
final class Engines extends ClosingLifecycle implements DisposableBean {

  /** The name of the bean that makes engines. */
  static final String BEAN = "reactiveTransferEngines";

  /**
   * Behind web servers, what has the usual phase, and threads that run tasks: higher stop first.
   */
  static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 4_096;

  /** What a close takes, at most, beside what it waits for by {@code closeTimeout}. */
  private static final Duration CLOSING_NICS = Duration.ofSeconds(5);

  private static final Logger LOG = Loggers.getLogger(Engines.class);

  private final ReactiveTransferProperties properties;
  private final Duration phaseTimeout;
  private final BackendChoice backends;
  private final List<EngineOptionsCustomizer> customizers;
  private final List<EngineRecorder> recorders;
  private final List<EngineRecorderFactory> factories;
  private final EngineFaults faults = new EngineFaults();
  private final SecretRenewal renewal = new SecretRenewal();
  private final Map<String, Supplier<Map<String, Object>>> tls = new ConcurrentHashMap<>();
  private final Map<String, TransferEngine> opened = new ConcurrentHashMap<>();
  private volatile boolean closing;

  Engines(
      ReactiveTransferProperties properties,
      Duration phaseTimeout,
      BackendChoice backends,
      List<EngineOptionsCustomizer> customizers,
      List<EngineRecorder> recorders,
      List<EngineRecorderFactory> factories) {
    this.properties = properties;
    this.phaseTimeout = phaseTimeout;
    this.backends = backends;
    this.customizers = customizers;
    this.recorders = recorders;
    this.factories = factories;
  }

  /**
   * Opens the engine of this name. Blocks until it is open.
   *
   * @throws EngineConfigurationException if a property of it is refused
   * @throws EngineOpeningException if it could not be opened
   */
  TransferEngine open(String name) {
    EngineProperties its = properties.of(name);
    PropertyCheck check = new PropertyCheck(properties.prefixOf(name));
    TransferEngineBuilder builder =
        TransferEngineBuilder.create().options(options(name, its, check));
    backends.choose(
        builder,
        its,
        files -> renewal.follow(name, files),
        details -> tls.put(name, details),
        check);
    TransferEngine engine;
    try {
      engine = Objects.requireNonNull(builder.open().block());
    } catch (RuntimeException e) {
      throw new EngineOpeningException(
          name,
          "The engine '%s' (backend %s) could not be opened: %s"
              .formatted(name, its.getBackend(), e.getMessage()),
          e);
    }
    opened.put(name, engine);
    if (closing) { // whoever closes may not have seen it
      closeAndWait();
      throw new EngineOpeningException(
          name,
          "The engine '%s' was opened while its application context closes, and is closed again."
              .formatted(name),
          null);
    }
    LOG.info("engine '{}' is open: {}", name, engine.address());
    return engine;
  }

  private EngineOptions options(String name, EngineProperties its, PropertyCheck check) {
    EngineOptions.Builder builder = OptionSettings.read(new BoundProperties(its), check);
    customizers.forEach(each -> each.customize(name, builder));
    EngineOptions options = builder.build();
    if (options.closeTimeout().plus(CLOSING_NICS).compareTo(phaseTimeout) > 0) {
      throw check.refused(
          "close-timeout",
          "expected at least "
              + CLOSING_NICS
              + " less than spring.lifecycle.timeout-per-shutdown-phase, which is "
              + phaseTimeout
              + ", got "
              + options.closeTimeout()
              + ": the context would not wait until the engine has closed",
          null);
    }
    EngineRecorder all = options.recorder();
    for (EngineRecorder each : recorders) {
      all = all.andThen(each);
    }
    for (EngineRecorderFactory factory : factories) {
      all = all.andThen(factory.recorderOf(name));
    }
    return options.toBuilder().recorder(all.andThen(faults)).build();
  }

  /** What the NICs of these engines have failed with. */
  EngineFaults faults() {
    return faults;
  }

  /** Which secrets and certificates the engine of this name has, as far as they are renewed. */
  Map<String, Object> renewed(String name) {
    Map<String, Object> details = new LinkedHashMap<>();
    Map<String, Object> secrets = renewal.shown(name);
    if (!secrets.isEmpty()) {
      details.put("secrets", secrets);
    }
    Supplier<Map<String, Object>> its = tls.get(name);
    if (its != null) {
      details.put("tls", its.get());
    }
    return details;
  }

  /** One that has broken meanwhile fails no start: that is for its health to say. */
  @Override
  public void start() {
    if (closing) {
      opened.keySet().stream()
          .findAny()
          .ifPresent(name -> {
            throw new IllegalStateException(
                "expected a new application context for the engine '"
                    + name
                    + "', got one that was stopped and is started again: an engine that has closed"
                    + " stays closed, and with it everything that was registered with it");
          });
    }
    super.start();
  }

  @Override
  Mono<Void> end() {
    return closeAll();
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  /** Where the context was never started, because another bean has failed, they are open still. */
  @Override
  public void destroy() {
    closeAndWait();
  }

  private void closeAndWait() {
    Duration longest =
        opened.values().stream()
            .map(engine -> engine.options().closeTimeout())
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    if (!Uninterrupted.await(closeAll(), longest.plus(CLOSING_NICS))) {
      LOG.warn("engines that were to be closed are closing still; NICs may touch their memory yet");
    }
  }

  /** Reads secrets of files again, which is done by itself every now and then. Blocks. */
  void readSecretsAgain() {
    renewal.readAgain();
  }

  private Mono<Void> closeAll() {
    closing = true;
    renewal.dispose();
    return Mono.when(
        opened.entrySet().stream()
            .map(each ->
                each.getValue()
                    .close()
                    .doOnError(e -> LOG.error("engine '" + each.getKey() + "': " + e.getMessage()))
                    .onErrorComplete())
            .toList());
  }
}
