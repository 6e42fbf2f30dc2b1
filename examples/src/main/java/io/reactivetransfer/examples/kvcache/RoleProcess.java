package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.Main;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.ChildJvm;
import io.reactivetransfer.tools.process.LineChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A {@link ChildProcess}, seen from its parent. */
final class RoleProcess implements LineChannel.Listener {

  /** What one side needs besides its pages: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  private final String name;
  private final Progress progress;
  private final Child child;
  private final Thread listener;
  private final CompletableFuture<@Nullable String> address = new CompletableFuture<>();
  private volatile @Nullable String report;

  private RoleProcess(String name, Process process, Progress progress) {
    this.name = name;
    this.progress = progress;
    this.child = new Child(name, process);
    this.listener = child.listen(this);
  }

  /** Same Java, same class path, same options, and a role. */
  static RoleProcess start(Role role, Plan plan, Progress progress) throws IOException {
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--role=" + role);
    long bytes =
        Math.max(plan.shape().layout().bytes(0), plan.shape().sourceLayout().bytes(0))
            + EXTRA_BYTES;
    return new RoleProcess(role.side(), ChildJvm.start(Main.class, bytes, arguments), progress);
  }

  long pid() {
    return child.pid();
  }

  /** Completes with null when the process ends without having said it. */
  CompletableFuture<@Nullable String> address() {
    return address;
  }

  /** Tells it where prefill is; if it is dead by now, its exit code will say so. */
  void tell(String line) {
    child.tell(line);
  }

  void destroy() {
    child.destroy();
  }

  /** Waits until it has ended by itself, at most until then; then ends it. */
  void awaitEnd(long untilNanos) throws InterruptedException {
    child.awaitEnd(Duration.ofNanos(untilNanos - System.nanoTime()));
    listener.join();
  }

  /** What it reported, or null if it failed. */
  @Nullable String report() {
    return child.endedWell() ? report : null;
  }

  /** How it ended. */
  String ending() {
    return String.valueOf(child.ending());
  }

  @Override
  public void line(String line) {
    int blank = line.indexOf(' ');
    String word = line.substring(0, Math.max(0, blank));
    String rest = line.substring(blank + 1);
    switch (word) {
      case ChildProcess.ADDRESS -> address.complete(rest);
      case ChildProcess.LAYERS -> progress.layersDone(Integer.parseInt(rest));
      case ChildProcess.HAPPENED -> progress.happened(Moment.of(rest));
      case ChildProcess.SAID -> progress.say(rest);
      case ChildProcess.REPORT -> report = rest;
      default -> progress.say(name + ": " + line);
    }
  }

  @Override
  public void ended() {
    address.complete(null);
  }
}
