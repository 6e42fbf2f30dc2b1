package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.Main;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A side in a process that this one has started. */
final class ChildSide extends AskedSide {

  /** What one side needs besides its memory: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  /** What the buffers of one engine may take: room in memory that is not touched unless needed. */
  private static final long ENGINE_BYTES = 8L << 20;

  private static final Duration UNTIL_GONE = Duration.ofSeconds(8);

  private final Child child;

  private ChildSide(String name, Process process, LongConsumer progress) {
    super(name, progress);
    this.child = new Child(name, process);
  }

  static ChildSide start(PerfCommand.Side side, Plan plan, LongConsumer progress)
      throws IOException {
    return of(side.toString(), startJvm(side, plan), plan, progress);
  }

  /** The process of a side: what it says is for whoever has its plan. */
  static Process startJvm(PerfCommand.Side side, Plan plan) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("perf"));
    arguments.addAll(plan.toArguments());
    arguments.add("--side=" + side);
    long bytes =
        Layout.mostBytes(plan) + Layout.MAX_BYTES + EXTRA_BYTES + plan.peers() * ENGINE_BYTES;
    return ChildJvm.start(Main.class, bytes, arguments);
  }

  static ChildSide of(String name, Process process, Plan plan, LongConsumer progress) {
    ChildSide side = new ChildSide(name, process, progress);
    side.expect(plan);
    side.child.listen(side);
    return side;
  }

  @Override
  void tell(String line) {
    child.tell(line);
  }

  @Override
  void awaitEnd() throws InterruptedException {
    child.awaitEnd(UNTIL_GONE);
  }

  @Override
  void destroy() {
    child.destroy();
  }

  @Override
  @Nullable String ending() {
    return child.ending();
  }

  @Override
  String place() {
    return "process " + child.pid();
  }
}
