package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is known of a process that ends before it has answered. */
@Timeout(240)
class EngineProcessTest {

  /** Ends as a JVM does that has found an error of its own. */
  static final class Crashes {
    public static void main(String[] arguments) {
      System.out.println("#");
      System.out.println("# A fatal error has been detected");
    }
  }

  @Test
  void whatItSaidLastIsToldWithItsEnd() {
    try (EngineProcess process = EngineProcess.start(Crashes.class, List.of())) {
      assertThatExceptionOfType(EngineProcess.Refused.class)
          .isThrownBy(process::addressText)
          .withMessageStartingWith("process ")
          .withMessageEndingWith(" is gone, and has said: #\n# A fatal error has been detected");
    }
  }
}
