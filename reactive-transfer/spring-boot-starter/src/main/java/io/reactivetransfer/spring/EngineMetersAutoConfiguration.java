package io.reactivetransfer.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.micrometer.EngineMeters;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Has engines shown in the application's registry of Micrometer, where there is one: with their
 * names as the tag {@code name}, unless the application has {@link EngineMeters} of its own.
 */
@AutoConfiguration(after = ReactiveTransferAutoConfiguration.class, afterName = Registries.METERS)
@ConditionalOnClass({MeterRegistry.class, EngineMeters.class})
@ConditionalOnBean(Engines.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnMissingBean(EngineMeters.class)
public final class EngineMetersAutoConfiguration {

  EngineMetersAutoConfiguration() {}

  @Bean
  EngineRecorderFactory reactiveTransferMeters(MeterRegistry registry) {
    return name -> EngineMeters.of(registry).tags(Tags.of("name", name)).build();
  }
}
