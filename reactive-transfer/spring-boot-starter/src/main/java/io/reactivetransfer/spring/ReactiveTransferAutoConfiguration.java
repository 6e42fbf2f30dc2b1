package io.reactivetransfer.spring;

import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.spi.Backend;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Opens the engines that {@link ReactiveTransferProperties} name, each as a bean of type {@link
 * TransferEngine} with its name as the qualifier, and closes them when the context stops. Does
 * nothing where the application defines a {@link TransferEngine} itself.
 */
@AutoConfiguration(after = SslAutoConfiguration.class)
@ConditionalOnMissingBean(TransferEngine.class)
@ConditionalOnBooleanProperty(name = "reactive-transfer.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ReactiveTransferProperties.class)
@Import({EngineRegistrar.class, BlankProperties.class})
public final class ReactiveTransferAutoConfiguration {

  private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

  /** What Spring Boot waits for, unless it is told otherwise. */
  private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);

  ReactiveTransferAutoConfiguration() {}

  /** Static, because it is made before all other beans. */
  @Bean
  static CloseBeforeDestruction reactiveTransferCloseBeforeDestruction() {
    return new CloseBeforeDestruction();
  }

  @Bean(Engines.BEAN)
  Engines engines(
      CloseBeforeDestruction closing,
      ReactiveTransferProperties properties,
      Environment environment,
      ObjectProvider<Backend> backends,
      ObjectProvider<SslBundles> bundles,
      ObjectProvider<EngineOptionsCustomizer> customizers,
      ObjectProvider<EngineRecorder> recorders,
      ObjectProvider<EngineRecorderFactory> factories) {
    Duration phaseTimeout =
        Binder.get(environment).bind(PHASE_TIMEOUT, Duration.class).orElse(DEFAULT_PHASE_TIMEOUT);
    Engines engines =
        new Engines(
            properties,
            phaseTimeout,
            new BackendChoice(backends.orderedStream().toList(), bundles.getIfAvailable()),
            customizers.orderedStream().toList(),
            recorders.orderedStream().toList(),
            factories.orderedStream().toList());
    closing.of(engines);
    return engines;
  }
}
