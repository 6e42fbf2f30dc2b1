package io.reactivetransfer.tools.perf;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The reference, ready to be measured in turn with ours. */
interface ReferenceRuns extends AutoCloseable {

  /** From now on it is about this size; both sides have memory for it. */
  void prepare(Layout layout) throws SideFailedException, InterruptedException;

  RunFigures run(long nanos) throws SideFailedException, InterruptedException;

  @Override
  void close();

  /** The one of the plan's backend and device, or null if it is not asked for. */
  static @Nullable ReferenceRuns open(
      Plan plan, Side origin, Side target, BothSides sides, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    if (!plan.reference()) {
      return null;
    }
    return switch (Reference.of(plan)) {
      case MEMCPY -> new RoleReference(origin, () -> "memcpy");
      case NIO -> new RoleReference(origin, () -> "nio " + target.ask("listen"));
      case C -> CReference.start(plan, progress);
      case IB_WRITE_BW -> IbWriteBw.find(plan);
      case HOST -> new HostReference(sides);
      case null -> throw new IllegalStateException("no reference of " + plan.backend());
    };
  }
}
