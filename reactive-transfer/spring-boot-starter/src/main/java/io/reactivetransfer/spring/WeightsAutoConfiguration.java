package io.reactivetransfer.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.micrometer.WeightsMeters;
import io.reactivetransfer.micrometer.WeightsObservations;
import io.reactivetransfer.weights.version.VersionRecorder;
import io.reactivetransfer.weights.version.WeightsController;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import reactor.core.scheduler.Schedulers;

/**
 * Opens a controller of weights on the engine for whoever is given one, with meters and
 * observations where the application has registries for them, and with its recorders that are
 * beans. Meters and observations are beans, too, to be handed on to ranks and trainers, which need
 * memory of the application and so are opened by it. Where there are several engines the controller
 * is on the primary one, and where none is, there are only meters and observations, which serve
 * all.
 */
@AutoConfiguration(
    after = ReactiveTransferAutoConfiguration.class,
    afterName = {Registries.METERS, Registries.OBSERVATIONS})
@ConditionalOnClass(WeightsController.class)
@ConditionalOnBean(TransferEngine.class)
public final class WeightsAutoConfiguration {

  WeightsAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  @Lazy
  @ConditionalOnSingleCandidate(TransferEngine.class)
  @ConditionalOnMissingBean
  WeightsController reactiveTransferWeightsController(
      TransferEngine engine, ObjectProvider<VersionRecorder> recorders) {
    return recorders
        .orderedStream()
        .reduce(VersionRecorder::andThen)
        .map(all -> WeightsController.open(engine, Schedulers.parallel(), all))
        .orElseGet(() -> WeightsController.open(engine));
  }

  /** Where there is a registry of meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MeterRegistry.class, WeightsMeters.class})
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  static class Metered {

    @Bean
    @ConditionalOnMissingBean
    WeightsMeters reactiveTransferWeightsMeters(MeterRegistry registry) {
      return WeightsMeters.of(registry).build();
    }
  }

  /** Where there is a registry of observations. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ObservationRegistry.class, WeightsObservations.class})
  @ConditionalOnSingleCandidate(ObservationRegistry.class)
  static class Observed {

    @Bean
    @ConditionalOnMissingBean
    WeightsObservations reactiveTransferWeightsObservations(ObservationRegistry registry) {
      return WeightsObservations.of(registry);
    }
  }
}
