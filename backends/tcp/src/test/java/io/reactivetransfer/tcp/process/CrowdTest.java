package io.reactivetransfer.tcp.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.JavaProcess;
import io.reactivetransfer.tcp.MeasuredBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** One engine with many peers, in another process. */
// A usual build has several peers at once by the kit.
@Tag("merge")
class CrowdTest {

  private static final int PEERS = Integer.getInteger("reactivetransfer.rounds", 1) > 1 ? 100 : 40;

  /** So many engines of one process meet this one, on a machine that may do a lot else. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final int WRITES = 50;
  private static final int BYTES = 10_000;

  private final MeasuredBackend backend = new MeasuredBackend();
  private final Local hub =
      Local.open(PEERS * BYTES, Local.options().livenessDeadline(Local.CALM), backend);
  private Process crowd;
  private BufferedReader said;

  @AfterEach
  void close() {
    if (crowd != null) {
      crowd.destroyForcibly();
    }
    hub.close();
  }

  private void start() throws IOException {
    List<String> options =
        List.of(
            "-XX:+UseSerialGC", "-Xmx1g", "-XX:TieredStopAtLevel=1", "-Dio.netty.noUnsafe=true");
    crowd =
        JavaProcess.command(
                options, CrowdProgram.class.getName(), "" + PEERS, "" + WRITES, "" + BYTES)
            .redirectError(Redirect.INHERIT)
            .start();
    said = crowd.inputReader(StandardCharsets.UTF_8);
  }

  private void say(String line) throws IOException {
    crowd.outputWriter(StandardCharsets.UTF_8).append(line + "\n").flush();
  }

  /** Sockets and all, of this process. */
  private static long openFiles() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  private static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long loopThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("transfer-"))
        .count();
  }

  @Test
  void manyPeersAreServedByOneThread() throws IOException {
    start();
    List<RemoteRegion> targets = new ArrayList<>();
    for (int i = 0; i < PEERS; i++) {
      targets.add(hub.remote(EngineProgram.descriptor(said.readLine())));
    }
    long filesBefore = openFiles();
    long threadsBefore = loopThreads();
    long heapBefore = heapBytes();

    say(hub.descriptorText(0));
    for (int i = 0; i < PEERS; i++) {
      hub.engine.counter(Imm.of(1 + i)).next(WRITES).block(PATIENCE);
    }
    assertThat(said.readLine()).isEqualTo("written");
    byte[] expected = new byte[PEERS * BYTES];
    for (int i = 0; i < PEERS; i++) {
      Arrays.fill(expected, i * BYTES, (i + 1) * BYTES, (byte) (1 + i));
    }
    assertThat(hub.memory.mismatch(MemorySegment.ofArray(expected)))
        .as("first byte that is not its peer's")
        .isEqualTo(-1);
    long written =
        Flux.fromIterable(targets)
            .flatMap(
                target ->
                    hub.engine.submit(
                        Flux.just(
                                WriteImm.of(hub.region.slice(0, BYTES), target.whole(), Imm.of(1)))
                            .repeat(WRITES - 1L)),
                PEERS)
            .count()
            .block(PATIENCE);

    assertThat(written).isEqualTo(PEERS * WRITES);
    long heap = (heapBytes() - heapBefore) / PEERS;
    System.out.println(
        PEERS
            + " peers: "
            + loopThreads()
            + " thread, "
            + (openFiles() - filesBefore)
            + " sockets, "
            + (heap >> 10)
            + " KiB of heap for each, "
            + (backend.directBytes() >> 20)
            + " MiB of buffers in all");
    assertThat(loopThreads()).as("threads").isEqualTo(threadsBefore);
    assertThat(heap).as("heap for each peer").isLessThan(128 << 10);
    assertThat(backend.directBytes()).as("buffers").isLessThan(32 << 20);

    say("close");
    assertThat(said.readLine()).isEqualTo("closed");
    Awaitility.await().until(() -> openFiles() <= filesBefore + 5);
    say("end");
  }
}
