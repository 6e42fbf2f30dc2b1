package io.reactivetransfer.spring;

import io.reactivetransfer.TransferEngine;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Shows the health of all engines under {@code reactiveTransfer}, where there is such a thing. */
@AutoConfiguration(after = ReactiveTransferAutoConfiguration.class)
@ConditionalOnClass({ReactiveHealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(TransferEngine.class)
@EnableConfigurationProperties(ReactiveTransferProperties.class)
@Import(BlankProperties.class)
public final class EngineHealthAutoConfiguration {

  EngineHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnEnabledHealthIndicator("reactive-transfer")
  @ConditionalOnMissingBean(name = "reactiveTransferHealthContributor")
  EngineHealthContributor reactiveTransferHealthContributor(
      ListableBeanFactory beans,
      ReactiveTransferProperties properties,
      ObjectProvider<Engines> engines) {
    Engines ours = engines.getIfAvailable();
    return new EngineHealthContributor(
        new NamedEngines(beans),
        properties,
        ours == null ? null : ours.faults(),
        ours == null ? _ -> Map.of() : ours::renewed);
  }
}
