package io.reactivetransfer.spring;

import io.reactivetransfer.config.EngineConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which property has failed the start. */
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
