package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.Main;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.ChildJvm;
import io.reactivetransfer.tools.process.LineChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Worker} in a process that this one has started. */
final class AskedWorker implements Asked, LineChannel.Listener {

  /** What one side needs besides its pages: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration UNTIL_GONE = Duration.ofSeconds(8);
  private static final String GONE = "gone";

  private final String name;
  private final Child child;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private AskedWorker(String name, Process process) {
    this.name = name;
    this.child = new Child(name, process);
    this.child.listen(this);
  }

  /**
   * Starts it.
   *
   * @param handOvers how many it has memory for
   */
  static AskedWorker start(Role role, Plan plan, int handOvers) throws IOException {
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--role=" + role);
    arguments.add("--hand-overs=" + handOvers);
    Shape shape = plan.shape();
    long bytes =
        Math.max(shape.layout(handOvers).bytes(0), shape.sourceLayout().bytes(0))
            + handOvers * (TailBuffer.bytes(shape) + (8L << 20))
            + EXTRA_BYTES;
    return new AskedWorker(role.side(), ChildJvm.start(Main.class, bytes, arguments));
  }

  long pid() {
    return child.pid();
  }

  @Override
  public void ask(String line) {
    child.tell(line);
  }

  @Override
  public String awaitAnswer() throws IOException, InterruptedException {
    String line = answers.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    if (line == null) {
      throw new IOException(this + " did not answer within " + PATIENCE.toSeconds() + " s");
    }
    String rest = line.substring(line.indexOf(' ') + 1);
    if (line.startsWith(WorkerChild.ANSWER + " ")) {
      return rest;
    }
    if (line.startsWith(WorkerChild.FAILED + " ")) {
      throw new IOException(this + ": " + rest);
    }
    child.awaitEnd(UNTIL_GONE);
    throw new IOException(line.equals(GONE) ? String.valueOf(child.ending()) : line);
  }

  @Override
  public void line(String line) {
    answers.add(line);
  }

  @Override
  public void ended() {
    answers.add(GONE);
  }

  @Override
  public void end() throws InterruptedException {
    child.tell(WorkerChild.BYE);
    child.awaitEnd(UNTIL_GONE);
  }

  @Override
  public void close() {
    child.destroy();
  }

  @Override
  public String toString() {
    return name + " (process " + pid() + ")";
  }
}
