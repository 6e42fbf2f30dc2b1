package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.EngineProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What becomes of a process that a rule has left. */
@Timeout(240)
@EnabledOnOs(OS.LINUX)
class IdleProcessesTest {

  static final class Loopback implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new LoopbackBackend();
    }
  }

  private static final Duration LIVENESS = Duration.ofMinutes(1);
  private static final List<String> OPTIONS = List.of("-Xmx64m");
  private static final IdleProcesses.Kind KIND = new IdleProcesses.Kind(Loopback.class, OPTIONS);

  /** One test of all that takes a process: it is a JVM. */
  @Test
  void oneIsTakenOnceWithAnotherEngineUntilItIsGone() {
    IdleProcesses processes = new IdleProcesses(true);
    try (EngineProcess process = EngineProcess.start(Loopback.class, LIVENESS, OPTIONS)) {
      EngineId before = process.id();
      process.memory("m", 64);
      CompletableFuture<String> claim = process.ask("count", 7, 1);
      process.pause();

      processes.leave(KIND, process);

      assertThat(process.isPaused()).as("one that is left stands still").isFalse();
      IdleProcesses.Kind other = new IdleProcesses.Kind(Loopback.class, List.of());
      assertThat(processes.take(other, LIVENESS)).as("one with other options").isNull();
      assertThat(processes.take(KIND, LIVENESS)).isSameAs(process);
      assertThat(processes.take(KIND, LIVENESS)).as("one that was taken").isNull();
      assertThat(process.id()).isNotEqualTo(before);
      assertThat(claim)
          .as("what the engine before was asked for")
          .failsWithin(LIVENESS)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(EngineProcess.Refused.class); // an answer, and not the lack of one
      assertThatExceptionOfType(EngineProcess.Refused.class)
          .isThrownBy(() -> process.call("values", "m"))
          .withMessageContaining("no memory m");

      process.pause();
      new IdleProcesses(false).leave(KIND, process);
      await("the end of who is not kept", () -> !process.isThere());
      processes.leave(KIND, process);
      assertThat(processes.take(KIND, LIVENESS)).as("one that is gone").isNull();
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    new Patience(LIVENESS, Duration.ZERO).until(what, condition);
  }
}
