package io.reactivetransfer.tck.process;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of NICs, which opens one for each line on its stdin, and says on stdout what it is
 * like. All else goes through the shared memory. Ends when its stdin does, so with its parent.
 */
final class NicProcess {

  /** Said instead of what a NIC is like. */
  static final String NOT_OPENED = "not-opened";

  private static final int SPINS = 20;
  private static final long PAUSE_NANOS = 50_000;

  /** After so many turns without work: tests wait for most of their time, and some have 64 NICs. */
  private static final int RESTS = 60;

  private static final long REST_NANOS = 1_000_000;

  private final Backend backend;
  private final SharedMemory memory;
  private final PrintStream out;

  private NicProcess(Backend backend, SharedMemory memory, PrintStream out) {
    this.backend = backend;
    this.memory = memory;
    this.out = out;
  }

  /** The class of what gives the backend, and the file of the shared memory. */
  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    });
    NicProcess process =
        new NicProcess(
            EngineProgram.backendOf(Class.forName(args[0])),
            SharedMemory.map(Path.of(args[1])),
            System.out);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = in.readLine()) != null) {
      process.open(line.split(" ", -1));
    }
    Runtime.getRuntime().halt(0);
  }

  /** What {@link #open} understands. */
  static String line(int index, int nic, int nics, OpenContext context) {
    return String.join(
        " ",
        String.valueOf(index),
        String.valueOf(nic),
        String.valueOf(nics),
        String.valueOf(context.engine().high()),
        String.valueOf(context.engine().low()),
        String.valueOf(context.nicIndex()),
        String.valueOf(context.nicDepth()),
        String.valueOf(context.connectTimeout().toNanos()));
  }

  private void open(String[] words) {
    int index = Integer.parseInt(words[0]);
    Nic nic = backend.nics(Integer.parseInt(words[2])).get(Integer.parseInt(words[1]));
    WorkerLoop loop = backend.newLoop();
    OpenContext context =
        OpenContext.builder(
                new EngineId(Long.parseLong(words[3]), Long.parseLong(words[4])),
                Integer.parseInt(words[5]),
                () -> {}) // it is polled anyway
            .loop(loop)
            .nicDepth(Integer.parseInt(words[6]))
            .connectTimeout(Duration.ofNanos(Long.parseLong(words[7])))
            .build();
    if (loop == null) {
      Thread.ofPlatform()
          .daemon()
          .name("nic-" + index)
          .start(() -> {
            ServedNic served;
            try {
              served = opened(begun(nic, context).toCompletableFuture().join(), index);
            } catch (CompletionException | BackendException e) {
              notOpened(index, e);
              return;
            }
            turn(served);
          });
    } else {
      loop.execute(() ->
          begun(nic, context)
              .whenComplete((domain, error) -> {
                if (error == null) {
                  loop.execute(() -> turn(opened(domain, index), loop, 0));
                } else {
                  notOpened(index, error);
                  var _ = loop.close();
                }
              }));
    }
  }

  /** What the backend throws at once ends like what it fails with later. */
  private CompletionStage<Domain> begun(Nic nic, OpenContext context) {
    try {
      return backend.open(nic, context);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /** That concerns who has asked for it, and none of the other NICs. */
  private void notOpened(int index, Throwable error) {
    error.printStackTrace();
    say(index + " " + NOT_OPENED + " " + String.valueOf(error.getMessage()).replace('\n', ' '));
  }

  private void say(String line) {
    synchronized (out) {
      out.println(line);
      out.flush();
    }
  }

  private ServedNic opened(Domain domain, int index) {
    Capabilities can = domain.capabilities();
    String line =
        String.join(
            " ",
            String.valueOf(index),
            can.completion().name(),
            String.valueOf(can.maxWriteBytes()),
            String.valueOf(can.queueDepth()),
            String.valueOf(can.fencesLostPeers()),
            String.valueOf(can.maxRows()),
            String.valueOf(can.maxGather()),
            Base64.getEncoder().encodeToString(domain.address()));
    ServedNic served = new ServedNic(domain, memory, index);
    say(line);
    return served;
  }

  private static void turn(ServedNic nic) {
    int idle = 0;
    while (!nic.isClosed()) {
      idle = nic.turn() > 0 ? 0 : idle + 1;
      if (idle > SPINS) {
        LockSupport.parkNanos(pauseNanos(idle));
      }
    }
  }

  private static void turn(ServedNic nic, WorkerLoop loop, int before) {
    int idle = nic.turn() > 0 ? 0 : before + 1;
    if (nic.isClosed()) {
      var _ = loop.close();
    } else {
      loop.schedule(() -> turn(nic, loop, idle), idle == 0 ? 0 : pauseNanos(idle));
    }
  }

  private static long pauseNanos(int idle) {
    return idle > RESTS ? REST_NANOS : PAUSE_NANOS;
  }
}
