package io.reactivetransfer.tools.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the program of somebody else says. */
final class Output {

  private Output() {}

  /**
   * All that it says until it ends; it is ended in any case.
   *
   * @throws IOException if it has not ended within this time
   */
  static String of(Process program, Duration patience) throws IOException {
    AtomicBoolean late = new AtomicBoolean();
    CompletableFuture<Void> timer =
        CompletableFuture.runAsync(
            () -> {
              late.set(true);
              program.destroyForcibly();
            },
            CompletableFuture.delayedExecutor(patience.toNanos(), TimeUnit.NANOSECONDS));
    String said = "";
    IOException closed = null;
    try {
      said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) { // as when it is ended between two reads
      closed = e;
    } finally {
      timer.cancel(false);
      program.destroyForcibly();
    }
    if (late.get()) {
      throw new IOException(
          "expected an end within " + patience.toSeconds() + " s, got none; it said: " + said,
          closed);
    }
    if (closed != null) {
      throw closed;
    }
    return said;
  }
}
