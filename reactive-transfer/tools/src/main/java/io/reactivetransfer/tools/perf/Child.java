package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.ChildJvm;
import io.reactivetransfer.tools.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A process that takes questions as a {@link ChildProcess} does, seen from its parent. */
final class Child implements Side {

  /** What one side needs besides its memory: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration UNTIL_GONE = Duration.ofSeconds(8);
  private static final int SIGNALLED = 128;

  /** Stands for the end of what it says. */
  private static final String GONE = "gone ";

  private final String name;
  private final Process process;
  private final LongConsumer progress;
  private final Duration patience;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private Child(String name, Process process, Plan plan, LongConsumer progress) {
    this.name = name;
    this.process = process;
    this.progress = progress;
    // the longest run, and until a deadline of the engine has ended one that is stuck
    long run = plan.warmupNanos() + plan.roundNanos();
    this.patience = PATIENCE.plusNanos(run * 2).plusSeconds(90);
    Thread.ofPlatform().name(name).daemon().start(this::read);
  }

  static Child start(PerfCommand.Side side, Plan plan, LongConsumer progress) throws IOException {
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--side=" + side);
    long bytes = Layout.of(plan, plan.largest()).bytes() + Layout.MAX_BYTES + EXTRA_BYTES;
    String name = side.name().toLowerCase(Locale.ROOT);
    return of(name, ChildJvm.start(Main.class, bytes, arguments), plan, progress);
  }

  static Child of(String name, Process process, Plan plan, LongConsumer progress) {
    return new Child(name, process, plan, progress);
  }

  long pid() {
    return process.pid();
  }

  /** It is ready when its engine is open; returns what it says of itself. */
  String awaitReady() throws SideFailedException, InterruptedException {
    return answer();
  }

  @Override
  public String ask(String line) throws SideFailedException, InterruptedException {
    tell(line);
    return answer();
  }

  private void tell(String line) {
    try {
      process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    } catch (IOException e) {
      process.destroy(); // it is gone; the end of what it says follows
    }
  }

  private String answer() throws SideFailedException, InterruptedException {
    String line = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (line == null) {
      throw new SideFailedException(
          this + " did not answer within " + patience.toSeconds() + " s", null);
    }
    String rest = line.substring(line.indexOf(' ') + 1);
    return switch (Role.word(line)) {
      case ChildProcess.ANSWER -> rest;
      case ChildProcess.FAILED -> throw new SideFailedException(name + ": " + rest, null);
      default -> {
        awaitEnd();
        throw new SideFailedException(String.valueOf(ending()), null);
      }
    };
  }

  /** Has it end by itself. */
  void end() throws InterruptedException {
    tell(ChildProcess.BYE);
    awaitEnd();
  }

  private void awaitEnd() throws InterruptedException {
    if (!process.waitFor(UNTIL_GONE.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  void destroy() {
    process.destroyForcibly();
  }

  /** How it ended, or null if it runs. */
  @Nullable String ending() {
    if (process.isAlive()) {
      return null;
    }
    int code = process.exitValue();
    return this
        + (code > SIGNALLED
            ? " was killed by signal " + (code - SIGNALLED)
            : " ended with exit code " + code);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (Role.word(line).equals(ChildProcess.PROGRESS)) {
          progress.accept(Long.parseLong(Role.rest(line)[0]));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // it is gone; its exit code says more
    } finally {
      answers.add(GONE);
    }
  }

  @Override
  public String toString() {
    return name + " (process " + pid() + ")";
  }
}
