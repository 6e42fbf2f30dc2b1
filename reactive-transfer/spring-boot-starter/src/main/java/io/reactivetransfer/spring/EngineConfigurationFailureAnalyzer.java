package io.reactivetransfer.spring;

import io.reactivetransfer.config.EngineConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Says which property has failed the start. Asked before that of Spring Boot for all properties.
 */
@Order(0)
final class EngineConfigurationFailureAnalyzer
    extends AbstractFailureAnalyzer<EngineConfigurationException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, EngineConfigurationException failure) {
    return new FailureAnalysis(
        "The property " + failure.property() + " is refused: " + failure.reason() + ".",
        "Change " + failure.property() + ", or what it depends on.",
        failure);
  }
}
