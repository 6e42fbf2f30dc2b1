package io.reactivetransfer.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvRecorder;
import io.reactivetransfer.micrometer.KvMeters;
import io.reactivetransfer.micrometer.KvObservations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Opens a KV cache on the engine for whoever is given one, with meters and observations where the
 * application has registries for them, and with its recorders that are beans; disposes of it, or of
 * those that the application defines itself, when the context stops, before engines close. Nothing
 * is opened while nobody asks for it. Where there are several engines it is on the primary one, and
 * where none is, there are meters and observations only, for caches that the application opens;
 * {@link KvCacheOptions} that are a bean take the place of all of this.
 */
@AutoConfiguration(
    after = ReactiveTransferAutoConfiguration.class,
    afterName = {Registries.METERS, Registries.OBSERVATIONS})
@ConditionalOnClass(KvCache.class)
@ConditionalOnBean(TransferEngine.class)
public final class KvCacheAutoConfiguration {

  KvCacheAutoConfiguration() {}

  @Bean(destroyMethod = "dispose")
  @Lazy
  @ConditionalOnSingleCandidate(TransferEngine.class)
  @ConditionalOnMissingBean
  KvCache reactiveTransferKvCache(
      TransferEngine engine,
      ObjectProvider<KvCacheOptions> options,
      ObjectProvider<KvRecorder> recorders) {
    return KvCache.open(
        engine, engine.address().toString(), options.getIfAvailable(() -> options(recorders)));
  }

  @Bean
  KvCacheLifecycle reactiveTransferKvCacheLifecycle(ConfigurableListableBeanFactory beans) {
    return new KvCacheLifecycle(beans);
  }

  private static KvCacheOptions options(ObjectProvider<KvRecorder> recorders) {
    KvCacheOptions.Builder builder = KvCacheOptions.builder();
    recorders.orderedStream().reduce(KvRecorder::andThen).ifPresent(builder::recorder);
    return builder.build();
  }

  /** Where there is a registry of meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MeterRegistry.class, KvMeters.class})
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  static class Metered {

    @Bean
    @ConditionalOnMissingBean
    KvMeters reactiveTransferKvMeters(MeterRegistry registry) {
      return KvMeters.of(registry).build();
    }
  }

  /** Where there is a registry of observations. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ObservationRegistry.class, KvObservations.class})
  @ConditionalOnSingleCandidate(ObservationRegistry.class)
  static class Observed {

    @Bean
    @ConditionalOnMissingBean(name = "reactiveTransferKvObservations")
    KvRecorder reactiveTransferKvObservations(ObservationRegistry registry) {
      return KvObservations.of(registry);
    }
  }
}
