package io.reactivetransfer.examples.worker;

import io.reactivetransfer.examples.Main;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.ChildJvm;
import io.reactivetransfer.tools.process.LineChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Worker} in a process that this one has started. */
public final class AskedWorker implements Asked {

  /** Until it has answered, if nothing that it is asked for takes longer. */
  public static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final Duration UNTIL_GONE = Duration.ofSeconds(8);

  /** Longer than a worker waits for what it closes, so that it can say what has not closed. */
  private static final Duration UNTIL_CLOSED = Duration.ofSeconds(90);

  private static final String GONE = "gone";

  private final String name;
  private final Child child;
  private final Duration patience;
  private final @Nullable Events events;
  private final Thread listener;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /** How many answers have not been awaited; that it is ready is the first. */
  private int unanswered = 1;

  private boolean wasAskedToEnd;

  /** Of a process that speaks as {@link WorkerChild} does. */
  AskedWorker(String name, Process process, Duration patience, @Nullable Events events) {
    this.name = name;
    this.patience = patience;
    this.child = new Child(name, process);
    this.events = events;
    this.listener = child.listen(new Lines());
  }

  /**
   * Starts the examples again, in a process that runs {@link WorkerChild}.
   *
   * @param name for people
   * @param nativeBytes how much native memory it may allocate
   * @param arguments name of the example, and its options
   * @param events is told what happens there, on a thread of its own; null if nothing is told
   */
  public static AskedWorker start(
      String name, long nativeBytes, List<String> arguments, @Nullable Events events)
      throws IOException {
    return start(name, nativeBytes, arguments, PATIENCE, events);
  }

  /**
   * The same for one that may take long.
   *
   * @param patience until it has answered
   */
  public static AskedWorker start(
      String name,
      long nativeBytes,
      List<String> arguments,
      Duration patience,
      @Nullable Events events)
      throws IOException {
    Process process = ChildJvm.start(Main.class, nativeBytes, arguments);
    return new AskedWorker(name, process, patience, events);
  }

  /** The id of the process. */
  public long pid() {
    return child.pid();
  }

  @Override
  public void ask(String line) {
    child.tell(line); // refuses what is too long
    unanswered++;
  }

  /** Those that were asked before and whose answers nobody has awaited are answered first. */
  @Override
  public String answer(String line) throws IOException, InterruptedException {
    ask(line);
    while (unanswered > 1) {
      awaitAnswer();
    }
    return awaitAnswer();
  }

  @Override
  public String awaitAnswer() throws IOException, InterruptedException {
    String answer = awaitAnswer(patience);
    if (answer == null) {
      throw new IOException(this + " did not answer within " + patience.toSeconds() + " s");
    }
    return answer;
  }

  /**
   * The next answer, or null if there is none within this time.
   *
   * @throws IOException if the worker has failed, or is gone
   */
  public @Nullable String awaitAnswer(Duration patience) throws IOException, InterruptedException {
    String line = answers.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
    return line == null ? null : said(line);
  }

  private String said(String line) throws IOException, InterruptedException {
    String rest = line.substring(line.indexOf(' ') + 1);
    if (line.startsWith(WorkerChild.ANSWER + " ")) {
      unanswered--;
      return rest;
    }
    if (line.startsWith(WorkerChild.FAILED + " ")) {
      throw new IOException(this + ": " + rest);
    }
    answers.add(GONE); // whoever asks again hears it again
    child.awaitEnd(UNTIL_GONE);
    throw new IOException(line.equals(GONE) ? String.valueOf(child.ending()) : line);
  }

  /** Has it stand still ({@code STOP}), or go on ({@code CONT}). */
  public void signal(String signal) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-" + signal, String.valueOf(pid())).start().waitFor();
    if (code != 0) {
      throw new IOException("kill -" + signal + " of " + this + " has failed");
    }
  }

  @Override
  public void askToEnd() {
    if (!wasAskedToEnd) {
      wasAskedToEnd = true;
      child.tell(WorkerChild.BYE);
    }
  }

  @Override
  public void end() throws IOException, InterruptedException {
    askToEnd();
    child.awaitEnd(UNTIL_CLOSED);
    if (!child.endedWell()) {
      throw new IOException(whyItEnded());
    }
  }

  /** What it said last, if it said that it has failed; else how it ended. */
  private String whyItEnded() throws InterruptedException {
    listener.join(UNTIL_GONE); // what it says comes before its end, which may be known earlier
    return answers.stream()
        .filter(line -> line.startsWith(WorkerChild.FAILED + " "))
        .findFirst()
        .map(line -> this + ": " + line.substring(line.indexOf(' ') + 1))
        .orElseGet(() -> String.valueOf(child.ending()));
  }

  @Override
  public void close() {
    child.destroy();
  }

  @Override
  public String toString() {
    return name + " (process " + pid() + ")";
  }

  private final class Lines implements LineChannel.Listener {

    @Override
    public void line(String line) {
      int blank = line.indexOf(' ');
      String word = blank < 0 ? line : line.substring(0, blank);
      if (events == null || word.equals(WorkerChild.ANSWER) || word.equals(WorkerChild.FAILED)) {
        answers.add(line);
      } else {
        events.happened(word, line.substring(blank + 1));
      }
    }

    @Override
    public void unreadable(String why) {
      answers.add(WorkerChild.FAILED + " " + why);
    }

    @Override
    public void ended() {
      answers.add(GONE);
    }
  }
}
