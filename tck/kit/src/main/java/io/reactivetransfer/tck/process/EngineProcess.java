package io.reactivetransfer.tck.process;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Profile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process with an {@link EngineProgram}, seen from the test: to be asked, stopped, continued and
 * killed. What is asked must be answered within 40 seconds, or within 10 more than the kit waits
 * for a signal ({@link Profile#SIGNAL_TIMEOUT}); but its engine may need 150 seconds until it is
 * open, as a JVM does that starts where several others do.
 */
public final class EngineProcess implements AutoCloseable {

  /** Characters, so that who prints without end takes no memory. */
  private static final int MOST_NOTED = 2_000;

  private static final long START_SECONDS = 150;

  /** Beyond what the kit waits for a signal. */
  private static final Duration BEYOND = Duration.ofSeconds(10);

  /**
   * What the program answered instead of {@code ok}: the class of an exception, and its message.
   *
   * <p>What to do about it: docs/troubleshooting.md, section Refused.
   */
  public static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }

  private final Process process;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<Integer, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
  private volatile CompletableFuture<String> address;
  private volatile boolean isPaused;
  private volatile Duration patience = BEYOND.plus(Profile.defaults().signalTimeout());

  private EngineProcess(Process process) {
    this.process = process;
    this.address = within(Duration.ofSeconds(START_SECONDS), answer(0), "with its address");
    Thread.ofPlatform().daemon().name("of process " + process.pid()).start(this::read);
  }

  /**
   * Starts a process with the class path of this one. Returns at once; the first question waits
   * until its engine is open.
   *
   * @param program has a {@code main} that serves an {@link EngineProgram}
   * @param jvmOptions such as {@code -Xmx128m}
   * @param arguments of the program
   */
  public static EngineProcess start(
      Class<?> program, List<String> jvmOptions, Object... arguments) {
    List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    options.addAll(jvmOptions);
    String[] words = Stream.of(arguments).map(String::valueOf).toArray(String[]::new);
    List<String> rehearsal = new ArrayList<>(options);
    rehearsal.add("-D" + EngineProgram.REHEARSES + "=true");
    ClassCache.OF_THIS.make(
        classPath -> JavaProcess.command(rehearsal, classPath, program.getName(), words));
    ProcessBuilder command = JavaProcess.command(options, program.getName(), words);
    try {
      return new EngineProcess(command.redirectError(Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a process with an engine on a backend, of which nothing more is needed.
   *
   * @param backend gives the backend there; has a constructor without arguments
   * @param liveness the deadline after which that engine holds a silent peer for lost
   * @param jvmOptions such as {@code -Xmx128m}
   */
  public static EngineProcess start(
      Class<? extends Supplier<Backend>> backend, Duration liveness, List<String> jvmOptions) {
    return start(EngineProgram.class, jvmOptions, backend.getName(), liveness.toMillis());
  }

  /** The same, at an address: see {@link ProcessBackend#at}. */
  public static EngineProcess startAt(
      Class<? extends ProcessBackend> backend,
      String advertisedHost,
      int port,
      Duration liveness,
      List<String> jvmOptions) {
    return start(
        EngineProgram.class,
        jvmOptions,
        backend.getName(),
        liveness.toMillis(),
        advertisedHost,
        port);
  }

  /** Has it answer within 10 seconds more than this, instead of what the default profile says. */
  public EngineProcess withSignalTimeout(Duration signalTimeout) {
    patience = BEYOND.plus(signalTimeout);
    return this;
  }

  /** The address of its engine, as text. */
  public String addressText() {
    return result(address);
  }

  /** The address of its engine. */
  public PeerAddress address() {
    return PeerAddress.fromText(addressText());
  }

  /** The id of its engine. */
  public EngineId id() {
    return address().engine();
  }

  /**
   * Has it go on with another engine on the same backend, as if it had been started anew; what was
   * asked of the one before fails. Of a process with an {@link EngineProgram} of which nothing more
   * is needed.
   *
   * @param liveness the deadline after which that engine holds a silent peer for lost
   * @return whether it has another engine now; a process that has none is of no more use
   */
  public boolean renew(Duration liveness) {
    if (!isThere()) {
      return false;
    }
    try {
      if (isPaused) {
        resume();
      }
      address = CompletableFuture.completedFuture(call("renew", liveness.toMillis()));
      return true;
    } catch (Refused | CompletionException | IllegalStateException e) {
      return false; // the last where it has ended meanwhile and gets no signal any more
    }
  }

  /** Registers memory there, of zeros. */
  public RegionDescriptor memory(String name, int bytes) {
    return EngineProgram.descriptor(call("memory", name, bytes));
  }

  /** Has it do something, and waits for the answer; throws {@link Refused}. */
  public String call(Object... words) {
    return result(ask(words));
  }

  /** Has it do something; fails with {@link Refused}. */
  public CompletableFuture<String> ask(Object... words) {
    addressText();
    int number = count.incrementAndGet();
    CompletableFuture<String> answer = answer(number);
    String line = Arrays.stream(words).map(String::valueOf).collect(Collectors.joining(" "));
    CompletableFuture<String> inTime = within(patience, answer, "to: " + line);
    try {
      process.outputWriter(StandardCharsets.UTF_8).append(number + " " + line + "\n").flush();
    } catch (IOException e) {
      answer.completeExceptionally(e);
    }
    return inTime;
  }

  /** Of who does not answer, the error says so; by itself it would say nothing. */
  private CompletableFuture<String> within(
      Duration time, CompletableFuture<String> answer, String what) {
    CompletableFuture<String> told = new CompletableFuture<>(); // a stage of it would wrap failures
    var _ =
        answer
            .orTimeout(time.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((value, failure) -> {
              if (failure == null) {
                told.complete(value);
              } else {
                told.completeExceptionally(
                    failure instanceof TimeoutException ? late(time, what) : failure);
              }
            });
    return told;
  }

  private TimeoutException late(Duration time, String what) {
    return new TimeoutException(
        "process " + process.pid() + " has not answered within " + time.toSeconds() + " s " + what);
  }

  /** SIGSTOP; returns when every thread of it stands still. */
  public void pause() {
    isPaused = true;
    signal("-STOP");
    long begin = System.nanoTime();
    while (!isStopped()) {
      if (System.nanoTime() - begin > patience.toNanos()) {
        throw new IllegalStateException(
            "process "
                + process.pid()
                + " does not stand still after "
                + patience.toSeconds()
                + " s");
      }
      Thread.onSpinWait();
    }
  }

  /**
   * SIGSTOP for it and this process, and SIGCONT for both after that time, as if the machine stood
   * still; returns when they go on.
   */
  public void pauseWithThisProcess(Duration time) {
    String both = process.pid() + " " + ProcessHandle.current().pid();
    String seconds = String.format(Locale.ROOT, "%.3f", time.toNanos() / 1e9);
    run("sh", "-c", "kill -STOP %s; sleep %s; kill -CONT %s".formatted(both, seconds, both));
  }

  /** SIGCONT. */
  public void resume() {
    signal("-CONT");
    isPaused = false;
  }

  /** SIGKILL; returns when it is gone. */
  public void kill() {
    signal("-KILL");
    process.onExit().orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  /** Whether {@link #pause} has stopped it, and {@link #resume} has not had it go on since. */
  public boolean isPaused() {
    return isPaused;
  }

  /** Whether it has not ended. */
  public boolean isThere() {
    return process.isAlive();
  }

  private void signal(String signal) {
    run("kill", signal, String.valueOf(process.pid()));
  }

  private static void run(String... command) {
    try {
      int code = new ProcessBuilder(command).inheritIO().start().waitFor();
      if (code != 0) {
        throw new IllegalStateException(String.join(" ", command) + " ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean isStopped() {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      return threads.allMatch(EngineProcess::isStopped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The state is the letter behind the name, which is in parentheses. */
  private static boolean isStopped(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      if (Files.notExists(thread)) {
        return true; // that thread has ended, perhaps while its file was read
      }
      throw new UncheckedIOException(e);
    }
  }

  private CompletableFuture<String> answer(int number) {
    return answers.computeIfAbsent(number, _ -> new CompletableFuture<>());
  }

  private static String result(CompletableFuture<String> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Refused refused) {
        throw refused;
      }
      throw e;
    }
  }

  private void read() {
    StringBuilder others = new StringBuilder();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        String[] parts = line.split(" ", 3);
        if (parts.length < 3 || !parts[0].matches("\\d{1,9}")) {
          note(line, others);
          continue;
        }
        CompletableFuture<String> answer = answer(Integer.parseInt(parts[0]));
        if (parts[1].equals("ok")) {
          answer.complete(parts[2]);
        } else {
          answer.completeExceptionally(new Refused(parts[1] + ": " + parts[2]));
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // it is gone
    } finally {
      answers
          .values()
          .forEach(answer ->
              answer.completeExceptionally(
                  new Refused("process " + process.pid() + " is gone" + others)));
    }
  }

  /** A JVM that dies of an error says why, and so does who prints what is no answer. */
  private static void note(String line, StringBuilder others) {
    if (others.length() < MOST_NOTED) {
      others.append(others.isEmpty() ? ", and has said: " : "\n").append(line);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
