package io.reactivetransfer.libfabric.process;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.disabled;
import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.process.ProcessBackend;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Peers in processes that are killed, stopped, started anew and cut off, over the provider tcp. In
 * a usual build only the rules that a NIC can break: what the clock of an engine and its control
 * channel do is the same over the backend tcp, which runs them all.
 */
@ExtendWith(LibfabricProcessConformanceTest.OfNics.class)
class LibfabricProcessConformanceTest extends ProcessConformance {

  /** Leaves out the rules about clocks and the control channel, unless all are asked for. */
  static final class OfNics implements ExecutionCondition {

    private static final Set<String> OF_ENGINES =
        Set.of(
            "r25_3_aShortStopFailsNothing",
            "r25_6_soItIsAtTheSameAddressAndNobodyElseNotices",
            "r25_7_revokingNeedsNoHelpOfAStoppedProcess", // closing begins with it
            "r25_8_aProcessThatStoodStillLearnsWhatWasGivenUpMeanwhile",
            "r25_9_timeInWhichAllStandStillIsNobodysSilence",
            "r25_9_whoStoodStillItselfHoldsNobodyForLost",
            "r25_10_whoIsCutOffIsLostOnBothSidesAndComesBack",
            "r25_12_norDoesADeadlineWhichEndsATransferWhenItIsQuiet");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getTestMethod().filter(rule -> OF_ENGINES.contains(rule.getName())).isPresent()
              && !Boolean.getBoolean(Chapters.ALL)
          ? disabled("left out to save time; -D" + Chapters.ALL + "=true runs it")
          : enabled("a rule that a NIC can break");
    }
  }

  static final class Tcp implements ProcessBackend {
    @Override
    public Backend get() {
      return LibfabricBackend.builder().provider("tcp").build();
    }

    /**
     * What the provider listens on is its own choice: of the network, the control channel is cut.
     */
    @Override
    public Backend at(String advertisedHost, int port) {
      return LibfabricBackend.builder()
          .provider("tcp")
          .advertised(advertisedHost)
          .port(port)
          .build();
    }
  }

  @Override
  protected Class<? extends Supplier<Backend>> backend() {
    return Tcp.class;
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().skipIfUnavailable();
  }
}
