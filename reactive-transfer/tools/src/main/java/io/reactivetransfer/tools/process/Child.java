package io.reactivetransfer.tools.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that this one has started, and speaks with by its stdin and stdout. */
public final class Child {

  private static final int SIGNALLED = 128;

  private final String name;
  private final Process process;
  private final LineChannel channel;
  private volatile boolean stuck;

  /**
   * Of a process that runs; nobody listens to it yet.
   *
   * @param name for people
   */
  public Child(String name, Process process) {
    this.name = name;
    this.process = process;
    this.channel = new LineChannel(process.getInputStream(), process.getOutputStream());
  }

  /** Begins to listen. What it says last comes before {@code ended}, even if it was killed. */
  public Thread listen(LineChannel.Listener listener) {
    return channel.listen(name, listener);
  }

  /** The id of the process. */
  public long pid() {
    return process.pid();
  }

  /** Says a line to it. If it takes none, it is ended, and so is what it says. */
  public void tell(String line) {
    if (!channel.tell(line)) {
      process.destroy();
    }
  }

  /** Waits until it has ended by itself; if it has not by then, ends it. */
  public void awaitEnd(Duration patience) throws InterruptedException {
    if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      stuck = true;
      process.destroyForcibly().waitFor();
    }
  }

  /** Ends it at once. */
  public void destroy() {
    process.destroyForcibly();
  }

  /** Whether it has ended, and well. */
  public boolean endedWell() {
    return !process.isAlive() && process.exitValue() == 0;
  }

  /** How it ended, or null if it runs. */
  public @Nullable String ending() {
    if (process.isAlive()) {
      return null;
    }
    int code = process.exitValue();
    String how =
        stuck
            ? " did not end by itself and was killed"
            : code > SIGNALLED
                ? " was killed by signal " + (code - SIGNALLED)
                : " ended with exit code " + code;
    return this + how;
  }

  @Override
  public String toString() {
    return name + " (process " + pid() + ")";
  }
}
