package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Whether a process is there is asked of the kernel, and of the very process. */
class ExporterTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  @Test
  void whoRunsHasNotEnded() {
    Exporter here = Exporter.here();
    assertThat(here.pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(here.isInSight()).isTrue();
    assertThat(here.hasEnded()).isFalse();
    assertThat(here).isEqualTo(Exporter.here());
  }

  @Test
  void anotherProcessOfThatNumberIsAnotherOne() {
    Exporter here = Exporter.here();
    Exporter before = new Exporter(here.namespace(), here.pid(), here.started() - 1);
    assertThat(before.hasEnded()).isTrue();
    before.ended().block(PATIENCE);
  }

  @Test
  void ofAnotherNamespaceNothingIsKnown() {
    Exporter here = Exporter.here();
    for (long namespace : new long[] {here.namespace() + 1, 0}) {
      Exporter there = new Exporter(namespace, here.pid(), here.started());
      assertThat(there.isInSight()).isFalse();
      assertThatThrownBy(() -> there.ended().block(PATIENCE))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("expected a process that can be seen")
          .hasMessageContaining("got process " + here.pid() + " of another namespace")
          .hasMessageContaining("one namespace of processes");
    }
  }

  /** As one is that was killed, and whose parent does nothing: its memory is gone all the same. */
  @Test
  void whoseParentHasNotAskedHowItEndedHasEnded() throws Exception {
    Process parent =
        new ProcessBuilder("sh", "-c", "sleep 1000 & echo $!; exec sleep 1000").start();
    try (BufferedReader out = parent.inputReader(StandardCharsets.US_ASCII)) {
      long pid = Long.parseLong(out.readLine());
      // By then it is a program that asks for no child of it, as a shell would.
      until(() -> Files.readString(file(parent.pid(), "comm")).equals("sleep\n"));
      Path stat = file(pid, "stat");
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      until(() -> Files.readString(stat).contains(") Z "));
      long started = Long.parseLong(Files.readString(stat).split(" ")[21]);
      assertThat(new Exporter(Exporter.here().namespace(), pid, started).hasEnded()).isTrue();
    } finally {
      parent.destroyForcibly();
    }
  }

  private static Path file(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  private static void until(Callable<Boolean> condition) {
    Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
