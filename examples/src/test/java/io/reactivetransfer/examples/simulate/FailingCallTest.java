package io.reactivetransfer.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.simulate.Simulation.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One call of the SPI fails, whichever it is: everything still ends once, quietly, without leaks.
 */
class FailingCallTest {

  /** Far more than any of the scenarios makes. */
  private static final int MAX_CALLS = 20_000;

  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "3, false", "1, true", "2, true", "3, true"})
  void isSurvivedWhicheverItIs(long seed, boolean breaks) {
    for (int n = 1; n < MAX_CALLS; n++) {
      FailingCall call = new FailingCall(n, breaks);
      Result result = new Simulation(call::in, true).run(seed);
      assertThat(result.violation())
          .as("call %d of seed %d\n%s", n, seed, String.join("\n", result.trace()))
          .isNull();
      if (!call.hasFailed()) {
        return;
      }
    }
  }
}
