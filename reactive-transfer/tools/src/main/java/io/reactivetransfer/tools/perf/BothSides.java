package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;

/** Has both sides take memory, and run. */
final class BothSides {

  private final Plan plan;
  private final Side origin;
  private final Side target;
  private long seed;

  BothSides(Plan plan, Side origin, Side target) {
    this.plan = plan;
    this.origin = origin;
    this.target = target;
  }

  /** The origin learns where the target is. */
  void introduce() throws SideFailedException, InterruptedException {
    origin.ask("target " + target.ask("address"));
  }

  /** From now on it is about this size, in new memory of this device. */
  void prepare(long size, Device device) throws SideFailedException, InterruptedException {
    String prepare = "prepare " + size + " " + device;
    String source = origin.ask(prepare + " " + target.ask(prepare));
    if (plan.op().isPingPong()) {
      target.ask("return " + source);
    }
  }

  /** Runs for so long; the target has got all of it then, and compared it if that is asked for. */
  RunFigures run(long nanos) throws SideFailedException, InterruptedException {
    target.ask("begin");
    RunFigures run = RunFigures.of(origin.ask("run " + nanos + " " + ++seed));
    Usage used = Usage.of(target.ask("end " + run.operations() + " " + run.checksum()));
    // in one process the origin has metered both
    return plan.inProcess() ? run : run.with(run.usage().plus(used));
  }

  /** Milliseconds of the compilers of both sides; twice the same where they are one process. */
  long compiledMillis() throws SideFailedException, InterruptedException {
    return Long.parseLong(origin.ask("compiled")) + Long.parseLong(target.ask("compiled"));
  }
}
