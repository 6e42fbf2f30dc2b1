package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Whether a process is there is asked of the kernel, and of the very process. */
class ExporterTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** One of which the tests say what the kernel says. */
  private static final Exporter EXPORTER = new Exporter(1, 4_711, 123_456);

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
    Mono<String> thread = Mono.fromCallable(() -> Thread.currentThread().getName());
    assertThat(before.ended().then(thread).block(PATIENCE)).startsWith("boundedElastic");
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

  @Test
  void aNameMayLookLikeWhatIsBehindIt(@TempDir Path processes) throws IOException {
    write(processes, "a) Z 1 (b) X", 'S', 1);
    assertThat(EXPORTER.hasEnded(processes)).isFalse();
    Exporter before = new Exporter(EXPORTER.namespace(), EXPORTER.pid(), EXPORTER.started() - 1);
    assertThat(before.hasEnded(processes)).isTrue();
    write(processes, "a) S 1 (b", 'Z', 1);
    assertThat(EXPORTER.hasEnded(processes)).isTrue();
  }

  @Test
  void whoseFirstThreadHasEndedRunsAsLongAsAnotherOne(@TempDir Path processes) throws IOException {
    write(processes, "native", 'Z', 2);
    assertThat(EXPORTER.hasEnded(processes)).isFalse();
    for (int threads : new int[] {1, 0}) {
      write(processes, "native", 'Z', threads);
      assertThat(EXPORTER.hasEnded(processes)).as(threads + " threads").isTrue();
    }
  }

  /** Such as where this process has too many files open. */
  @Test
  void whatCannotBeReadSaysNothing(@TempDir Path processes) throws IOException {
    Path folder = processes.resolve(Long.toString(EXPORTER.pid()));
    Path unreadable = Files.createDirectories(folder.resolve("stat"));
    assertThat(EXPORTER.hasEnded(processes)).isFalse();
    Files.delete(unreadable);
    assertThat(EXPORTER.hasEnded(processes)).as("while it is there").isFalse();
    Files.delete(folder);
    assertThat(EXPORTER.hasEnded(processes)).isTrue();
  }

  /** Who watches many has as few threads as who watches none, but for moments. */
  @Test
  void whoWatchesHoldsNoWorker() {
    Looks looks = new Looks();
    Disposable watch = Exporter.here().ended(looks).subscribe();
    until(() -> looks.tasks.get() >= 4 || looks.workers.get() > 0);
    watch.dispose();
    assertThat(looks.workers).hasValue(0);
  }

  /** Counts what it is asked for. */
  private static final class Looks implements Scheduler {

    private final AtomicInteger tasks = new AtomicInteger();
    private final AtomicInteger workers = new AtomicInteger();

    @Override
    public Disposable schedule(Runnable task) {
      tasks.incrementAndGet();
      return Schedulers.boundedElastic().schedule(task);
    }

    @Override
    public Worker createWorker() {
      workers.incrementAndGet();
      return Schedulers.boundedElastic().createWorker();
    }
  }

  /** As the kernel does for the exporter, up to when it began. */
  private static void write(Path processes, String name, char state, int threads)
      throws IOException {
    Path folder = Files.createDirectories(processes.resolve(Long.toString(EXPORTER.pid())));
    Files.writeString(
        folder.resolve("stat"),
        EXPORTER.pid()
            + " ("
            + name
            + ") "
            + state
            + " 0".repeat(16)
            + " "
            + threads
            + " 0 "
            + EXPORTER.started()
            + " 0 0\n");
  }

  private static Path file(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  private static void until(Callable<Boolean> condition) {
    Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
