package io.reactivetransfer.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which engine has failed the start, and why. */
final class EngineOpeningFailureAnalyzer extends AbstractFailureAnalyzer<EngineOpeningException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, EngineOpeningException failure) {
    return new FailureAnalysis(
        String.valueOf(failure.getMessage()),
        "Look at the reason above: is the host an address of this machine, is the port free, and"
            + " can the backend run here? The program doctor of reactive-transfer-tools says which"
            + " backends can.",
        failure);
  }
}
