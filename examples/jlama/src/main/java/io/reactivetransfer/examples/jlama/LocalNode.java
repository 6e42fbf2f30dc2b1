package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.tools.CommandLines;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A node on a thread of its own in this process, for a network that is within one. */
final class LocalNode implements NodeHandle {

  private final NodeProgram program;
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile @Nullable String failure;

  private LocalNode(Plan plan, NodeProgram program, Listener listener) {
    this.program = program;
    this.thread =
        Thread.ofPlatform()
            .name(program.name())
            .daemon()
            .unstarted(() -> run(plan, new Queues(listener)));
  }

  static LocalNode start(Plan plan, NodeProgram program, Listener listener) {
    LocalNode node = new LocalNode(plan, program, listener);
    node.thread.start();
    return node;
  }

  private void run(Plan plan, Queues parent) {
    try {
      program.run(plan, parent);
    } catch (InterruptedException e) {
      failure = program.name() + " was ended";
    } catch (RuntimeException | OutOfMemoryError e) {
      if (plan.verbose()) {
        e.printStackTrace();
      }
      failure = program.name() + ": " + CommandLines.describe(e);
    } finally {
      parent.listener.accept(Listener.END, "");
    }
  }

  @Override
  public void tell(String word, String rest) {
    told.add(word + " " + rest);
  }

  /** As good as it can be within a process: it is not as if it had never been there. */
  @Override
  public void kill() {
    thread.interrupt();
  }

  @Override
  public @Nullable String awaitEnd(Duration patience) throws InterruptedException {
    if (!thread.join(patience)) {
      return program.name() + " did not end by itself";
    }
    return failure;
  }

  @Override
  public String toString() {
    return program.name();
  }

  private final class Queues implements Parent {

    private final Listener listener;

    Queues(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void tell(String word, String rest) {
      listener.accept(word, rest);
    }

    @Override
    public String await(String word) throws InterruptedException {
      return Words.restOf(told.take(), word);
    }
  }
}
