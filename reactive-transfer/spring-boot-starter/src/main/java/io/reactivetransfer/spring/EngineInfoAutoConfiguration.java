package io.reactivetransfer.spring;

import io.reactivetransfer.TransferEngine;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Shows all engines at the endpoint {@code info}, where there is one. */
@AutoConfiguration(after = ReactiveTransferAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnBean(TransferEngine.class)
public final class EngineInfoAutoConfiguration {

  EngineInfoAutoConfiguration() {}

  @Bean
  @ConditionalOnEnabledInfoContributor("reactive-transfer")
  @ConditionalOnMissingBean(name = "reactiveTransferInfoContributor")
  EngineInfoContributor reactiveTransferInfoContributor(ListableBeanFactory beans) {
    return new EngineInfoContributor(new NamedEngines(beans));
  }
}
