package io.reactivetransfer.tools.soak;

import io.reactivetransfer.tools.ChildJvm;
import io.reactivetransfer.tools.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** A side in a process of its own, as its parent sees it; see {@link ChildProcess}. */
final class Child implements Side {

  private static final long NATIVE_BYTES = 1L << 30;
  private static final int SIGNALLED = 128;

  private final int side;
  private final Process process;
  private final AtomicLong questions = new AtomicLong();
  private final Map<String, CompletableFuture<String>> open = new ConcurrentHashMap<>();
  private volatile boolean gone;

  private Child(int side, Process process) {
    this.side = side;
    this.process = process;
    Thread.ofPlatform().name("side-" + side).daemon().start(this::read);
  }

  static Child start(Plan plan, int side) throws IOException {
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--side=" + side);
    return new Child(side, ChildJvm.start(Main.class, NATIVE_BYTES, arguments));
  }

  long pid() {
    return process.pid();
  }

  @Override
  public String ask(String line) throws InterruptedException {
    String id = String.valueOf(questions.incrementAndGet());
    CompletableFuture<String> answer = new CompletableFuture<>();
    open.put(id, answer);
    tell(id + " " + line);
    if (gone) {
      answer.completeExceptionally(ended());
    }
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SoakFailure failure
          ? failure
          : new SoakFailure(e.toString(), e);
    } finally {
      open.remove(id);
    }
  }

  private synchronized void tell(String line) {
    try {
      process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    } catch (IOException e) {
      process.destroy(); // it is gone; the end of what it says follows
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        answered(line.split(" ", 3));
      }
    } catch (IOException | UncheckedIOException e) {
      // it is gone; its exit code says more
    } finally {
      gone = true;
      SoakFailure failure = ended();
      open.values().forEach(answer -> answer.completeExceptionally(failure));
    }
  }

  /** A word, the number of the question, the rest. */
  private void answered(String[] words) {
    CompletableFuture<String> answer = words.length < 3 ? null : open.get(words[1]);
    if (answer == null) {
      return;
    }
    if (words[0].equals(ChildProcess.ANSWER)) {
      answer.complete(words[2]);
    } else {
      answer.completeExceptionally(new SoakFailure("side " + side + ": " + words[2], null));
    }
  }

  private SoakFailure ended() {
    String how;
    try {
      int code = process.waitFor();
      how = code > SIGNALLED ? "was killed by signal " + (code - SIGNALLED) : "ended with " + code;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      how = "is gone";
    }
    return new SoakFailure(
        "expected side %d (process %d) to live, got: it %s".formatted(side, pid(), how), null);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
