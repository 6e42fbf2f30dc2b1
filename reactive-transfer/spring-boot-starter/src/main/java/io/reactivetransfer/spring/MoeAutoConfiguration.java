package io.reactivetransfer.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.micrometer.MoeMeters;
import io.reactivetransfer.moe.MoeNode;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Opens a node for groups of experts on the engine for whoever is given one; it ends with its
 * engine. Meters are a bean, too, to be handed on to the options of a group, where the application
 * has a registry for them. Where there are several engines it is on the primary one, and where none
 * is, there are only the meters, which serve all.
 */
@AutoConfiguration(after = ReactiveTransferAutoConfiguration.class, afterName = Registries.METERS)
@ConditionalOnClass(MoeNode.class)
@ConditionalOnBean(TransferEngine.class)
public final class MoeAutoConfiguration {

  MoeAutoConfiguration() {}

  /** Its engine closes it, and waits for what is under way. */
  @Bean(destroyMethod = "")
  @Lazy
  @ConditionalOnSingleCandidate(TransferEngine.class)
  @ConditionalOnMissingBean
  MoeNode reactiveTransferMoeNode(TransferEngine engine) {
    return MoeNode.open(engine);
  }

  /** Where there is a registry of meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MeterRegistry.class, MoeMeters.class})
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  static class Metered {

    @Bean
    @ConditionalOnMissingBean
    MoeMeters reactiveTransferMoeMeters(MeterRegistry registry) {
      return MoeMeters.of(registry).build();
    }
  }
}
