package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.worker.AskedWorker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Starts one side as a worker in a process of its own. */
final class WorkerProcess {

  /** What one side needs besides its pages: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  private WorkerProcess() {}

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
    return AskedWorker.start(role.side(), bytes, arguments, null);
  }
}
