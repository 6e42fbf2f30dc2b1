package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

  /** Understands two more words: of one an error comes, of the other nothing. */
  static final class Odd {
    public static void main(String[] arguments) throws IOException {
      TransferEngine engine =
          Objects.requireNonNull(TransferEngineBuilder.create().backend("loopback").open().block());
      new EngineProgram(engine)
          .with(
              "fail",
              _ -> {
                throw new AssertionError("not to be");
              })
          .with(
              "wait",
              _ -> {
                new CompletableFuture<String>().join();
                return "";
              })
          .serve();
    }
  }

  @Test
  void anErrorIsAnAnswerAndNoAnswerIsAnError() {
    try (EngineProcess process = EngineProcess.start(Odd.class, List.of())) {
      assertThatExceptionOfType(EngineProcess.Refused.class)
          .isThrownBy(() -> process.call("fail"))
          .withMessage("AssertionError: not to be");
      Duration lessThanNone = Duration.ofSeconds(-9); // it answers 10 s later at most
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> process.withSignalTimeout(lessThanNone).call("wait", 7))
          .withMessageContaining(" has not answered within 1 s to: wait 7");
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
