package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.Main;
import io.reactivetransfer.tools.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link ChildProcess}, seen from its parent. */
final class Child {

  /** What one side needs besides its pages: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  private final String name;
  private final Process process;
  private final CompletableFuture<@Nullable String> address = new CompletableFuture<>();
  private final Thread reader;
  private volatile @Nullable String report;
  private boolean stuck;

  private Child(String name, Process process, Progress progress) {
    this.name = name;
    this.process = process;
    this.reader = Thread.ofPlatform().name(name).daemon().start(() -> read(progress));
  }

  /** Same Java, same class path, same options, and a role. */
  static Child start(KvCacheCommand.Role role, Plan plan, Progress progress) throws IOException {
    String name = role.name().toLowerCase(Locale.ROOT);
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--role=" + role);
    Process process =
        ChildJvm.start(Main.class, plan.shape().layout().bytes() + EXTRA_BYTES, arguments);
    return new Child(name, process, progress);
  }

  long pid() {
    return process.pid();
  }

  /** Completes with null when the process ends without having said it. */
  CompletableFuture<@Nullable String> address() {
    return address;
  }

  /** Tells it where prefill is; if it is dead by now, its exit code will say so. */
  void tell(String line) {
    try {
      process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    } catch (IOException e) {
      process.destroy();
    }
  }

  void destroy() {
    process.destroyForcibly();
  }

  /** Waits until it has ended by itself, at most until then; then ends it. */
  void awaitEnd(long untilNanos) throws InterruptedException {
    if (!process.waitFor(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      stuck = true;
      process.destroyForcibly().waitFor();
    }
    reader.join();
  }

  /** What it reported, or null if it failed. */
  @Nullable String report() {
    return process.exitValue() == 0 ? report : null;
  }

  /** How it ended. */
  String ending() {
    int code = process.exitValue();
    String how =
        stuck
            ? "did not end by itself and was killed"
            : code > 128 ? "was killed by signal " + (code - 128) : "ended with exit code " + code;
    return name + " (process " + pid() + ") " + how;
  }

  private void read(Progress progress) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        int blank = line.indexOf(' ');
        handle(line.substring(0, Math.max(0, blank)), line.substring(blank + 1), progress);
      }
    } catch (IOException | UncheckedIOException e) {
      // it is gone; its exit code says more
    } finally {
      address.complete(null);
    }
  }

  private void handle(String word, String rest, Progress progress) {
    switch (word) {
      case ChildProcess.ADDRESS -> address.complete(rest);
      case ChildProcess.LAYERS -> progress.layersDone(Integer.parseInt(rest));
      case ChildProcess.SAID -> progress.say(rest);
      case ChildProcess.REPORT -> report = rest;
      default -> progress.say(name + ": " + word + " " + rest);
    }
  }
}
