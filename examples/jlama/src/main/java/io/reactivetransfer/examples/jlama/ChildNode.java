package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.ChildJvm;
import io.reactivetransfer.tools.process.LineChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** A node in a process of its own, which is told by stdin and tells by stdout. */
final class ChildNode implements NodeHandle {

  /** Weights, what a prompt needs while it is computed, blocks, and buffers of sockets. */
  private static final long NATIVE_BYTES = 2L << 30;

  private final Child child;
  private final Thread listener;

  private ChildNode(Child child, Thread listener) {
    this.child = child;
    this.listener = listener;
  }

  static ChildNode start(Plan plan, NodeProgram program, Listener listener) throws IOException {
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--node=" + program.name());
    arguments.add("--decode=" + program.number());
    if (program.prefills()) {
      arguments.add("--serve");
    }
    Process process =
        ChildJvm.start(JlamaMain.class, JlamaCommand.JVM_OPTIONS, NATIVE_BYTES, arguments);
    Child child = new Child(program.name(), process);
    return new ChildNode(child, child.listen(new Lines(listener)));
  }

  private record Lines(Listener listener) implements LineChannel.Listener {

    @Override
    public void line(String line) {
      int blank = line.indexOf(' ');
      listener.accept(line.substring(0, Math.max(0, blank)), line.substring(blank + 1));
    }

    @Override
    public void ended() {
      listener.accept(Listener.END, "");
    }
  }

  @Override
  public void tell(String word, String rest) {
    child.tell(word + " " + rest);
  }

  @Override
  public void kill() {
    child.destroy();
  }

  @Override
  public @Nullable String awaitEnd(Duration patience) throws InterruptedException {
    child.awaitEnd(patience);
    listener.join();
    return child.endedWell() ? null : child.ending();
  }

  @Override
  public String toString() {
    return child.toString();
  }

  /** The other end of it: runs a node in this process, and returns its exit code. */
  static int run(Plan plan, NodeProgram program) throws InterruptedException {
    StandardStreams parent = new StandardStreams();
    try {
      program.run(plan, parent);
      return ExitCode.OK;
    } catch (RuntimeException | OutOfMemoryError e) {
      if (plan.verbose()) {
        e.printStackTrace();
      }
      System.err.println(program.name() + ": " + CommandLines.describe(e));
      return ExitCode.SOFTWARE;
    }
  }

  private static final class StandardStreams implements Parent {

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final io.reactivetransfer.tools.process.Parent parent =
        new io.reactivetransfer.tools.process.Parent();

    StandardStreams() {
      var _ = parent.listen(told::add, line -> line.startsWith(Words.STOP));
    }

    @Override
    public void tell(String word, String rest) {
      parent.tell(word, rest);
    }

    @Override
    public String await(String word) throws InterruptedException {
      return Words.restOf(told.take(), word);
    }
  }
}
