package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.process.LineChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A side that takes questions as a {@link ChildProcess} does, wherever it runs. */
abstract class AskedSide implements Side, LineChannel.Listener {

  /** The other side has ended; the rest says how, if it is known. */
  static final String GONE = "gone";

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String name;
  private final LongConsumer progress;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private Duration patience = PATIENCE;

  AskedSide(String name, LongConsumer progress) {
    this.name = name;
    this.progress = progress;
  }

  /**
   * Waits for answers as long as a run of this plan takes, and until a deadline ends a stuck one.
   */
  final void expect(Plan plan) {
    patience = PATIENCE.plusNanos((plan.warmupNanos() + plan.roundNanos()) * 2);
  }

  abstract void tell(String line);

  /** Waits until it has ended by itself; if it does not, ends it. */
  abstract void awaitEnd() throws InterruptedException;

  /** How it ended, or null if it runs. */
  abstract @Nullable String ending();

  /** Where it runs, for people. */
  abstract String place();

  abstract void destroy();

  /** It is ready when its engine is open; returns what it says of itself. */
  final String awaitReady() throws SideFailedException, InterruptedException {
    return answer();
  }

  @Override
  public final String ask(String line) throws SideFailedException, InterruptedException {
    tell(line);
    return answer();
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
  final void end() throws InterruptedException {
    tell(ChildProcess.BYE);
    awaitEnd();
  }

  /** Forgets what it has answered. */
  final void forget() {
    answers.clear();
  }

  @Override
  public void line(String line) {
    if (Role.word(line).equals(ChildProcess.PROGRESS)) {
      progress.accept(Long.parseLong(Role.rest(line)[0]));
    } else {
      answers.add(line);
    }
  }

  @Override
  public void ended() {
    answers.add(GONE);
  }

  @Override
  public String toString() {
    return name + " (" + place() + ")";
  }
}
