package io.reactivetransfer.examples.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a process that is asked ends, and what is said of that. */
class AskedWorkerTest {

  /** A shell that speaks as a worker does. */
  private static AskedWorker of(String script) throws IOException {
    return of(script, AskedWorker.PATIENCE);
  }

  private static AskedWorker of(String script, Duration patience) throws IOException {
    return new AskedWorker(
        "a worker", new ProcessBuilder(List.of("sh", "-c", script)).start(), patience, null);
  }

  @Test
  void whoEndsWellHasEnded() throws Exception {
    try (AskedWorker worker = of("echo answer ready; read bye; [ $bye = bye ]")) {
      assertThat(worker.awaitAnswer()).isEqualTo("ready");
      assertThatCode(worker::end).doesNotThrowAnyException();
    }
  }

  @Test
  void whoFailsWhileItClosesIsHeard() throws Exception {
    try (AskedWorker worker = of("read bye; echo failed memory is in use; exit 1")) {
      assertThatThrownBy(worker::end)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("a worker (process ")
          .hasMessageEndingWith("): memory is in use");
    }
  }

  @Test
  void whoEndsWithoutAWordIsNoticed() throws Exception {
    try (AskedWorker worker = of("read bye; exit 3")) {
      assertThatThrownBy(worker::end)
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith("ended with exit code 3");
    }
  }

  @Test
  void allAreEndedWhateverBecomesOfTheFirst() throws Exception {
    try (AskedWorker first = of("read bye; exit 3");
        AskedWorker second = of("read bye; exit 4");
        AskedWorker third = of("read bye")) {
      assertThatThrownBy(() -> Asked.endAll(List.of(first, second, third)))
          .hasMessageEndingWith("ended with exit code 3")
          .satisfies(failure ->
              assertThat(failure.getSuppressed())
                  .singleElement()
                  .asString()
                  .endsWith("ended with exit code 4"));
      third.end(); // has ended well
    }
  }

  @Test
  void answersAreAwaitedAsLongAsItMayTake() throws Exception {
    try (AskedWorker worker = of("read bye", Duration.ZERO)) {
      assertThatThrownBy(worker::awaitAnswer).hasMessageEndingWith("did not answer within 0 s");
    }
  }

  /** Whoever awaits the first of several answers and fails leaves the others behind. */
  @Test
  void answersThatNobodyAwaitedAreNoneToWhatIsAskedNow() throws Exception {
    try (AskedWorker worker =
        of("echo answer ready; while read line; do echo answer to $line; done")) {
      worker.awaitAnswer();
      worker.ask("one");
      worker.ask("two");
      assertThat(worker.answer("three")).isEqualTo("to three");
      assertThat(worker.answer("four")).isEqualTo("to four");
    }
  }

  @Test
  void whatCannotBeReadIsSaid() throws Exception {
    try (AskedWorker worker = of("head -c 70000 /dev/zero | tr '\\0' x; echo")) {
      assertThatThrownBy(worker::awaitAnswer)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected lines of up to 65536 bytes, got more");
    }
  }
}
