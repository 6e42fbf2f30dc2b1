package io.reactivetransfer.tools.perf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measures each size: ours and the reference in turn, some rounds, and takes medians. */
final class Benchmark {

  private static final int MOST_SECONDS = 30;
  private static final long SECOND_NANOS = 1_000_000_000;

  /** So much of a second or less is hardly anything. */
  private static final long SETTLED_MILLIS = 50;

  private final Plan plan;
  private final Side origin;
  private final Side target;
  private final Progress progress;
  private final @Nullable Iperf3 iperf3;
  private long seed;

  Benchmark(Plan plan, Side origin, Side target, Progress progress) {
    this.plan = plan;
    this.origin = origin;
    this.target = target;
    this.progress = progress;
    this.iperf3 =
        plan.reference()
                && Reference.of(plan.backend()) == Reference.NIO
                && plan.place() != Plan.Place.TWO_HOSTS
                && !plan.op().isOneByOne()
            ? Iperf3.find()
            : null;
  }

  List<Result> run() throws IOException, SideFailedException, InterruptedException {
    origin.ask("target " + target.ask("address"));
    List<Result> results = new ArrayList<>();
    try (ReferenceRuns reference = ReferenceRuns.open(plan, origin, target, progress)) {
      for (long size : plan.sizes()) {
        results.add(measure(size, reference));
      }
    }
    return results;
  }

  private Result measure(long size, @Nullable ReferenceRuns reference)
      throws SideFailedException, InterruptedException {
    Layout layout = Layout.of(plan, size);
    String source = origin.ask("prepare " + size + " " + target.ask("prepare " + size));
    if (plan.op().isPingPong()) {
      target.ask("return " + source);
    }
    if (reference != null) {
      reference.prepare(layout);
    }
    List<RunFigures> ours = new ArrayList<>();
    List<RunFigures> references = new ArrayList<>();
    List<Double> iperf3s = new ArrayList<>();
    warmUp(layout);
    if (reference != null) {
      reference.run(plan.warmupNanos() / 2);
    }
    for (int round = 1; round <= plan.rounds(); round++) {
      String of = round + " of " + plan.rounds();
      progress.begin(layout, "round " + of, plan.roundNanos());
      ours.add(runOurs(plan.roundNanos()));
      if (reference != null) {
        progress.begin(layout, "reference " + of, plan.roundNanos());
        references.add(reference.run(plan.roundNanos()));
      }
      if (iperf3 != null) {
        iperf3s.add(iperf3.bytesPerSecond(size));
      }
    }
    Result result = Result.of(plan, layout, ours, references, iperf3s);
    progress.measured(result);
    return result;
  }

  /**
   * As warm as in a process that has done this for a while: a second is not enough, least of all
   * where the compilers share their cores with what is measured.
   */
  private void warmUp(Layout layout) throws SideFailedException, InterruptedException {
    progress.begin(layout, "warm-up", plan.warmupNanos());
    runOurs(plan.warmupNanos());
    long compiled = compiledMillis();
    for (int second = 0; plan.settles() && second < MOST_SECONDS; second++) {
      progress.begin(layout, "warm-up", SECOND_NANOS);
      runOurs(SECOND_NANOS);
      long before = compiled;
      compiled = compiledMillis();
      if (compiled - before <= SETTLED_MILLIS) {
        break;
      }
    }
  }

  /** Of both sides; twice the same where they are one process. */
  private long compiledMillis() throws SideFailedException, InterruptedException {
    return Long.parseLong(origin.ask("compiled")) + Long.parseLong(target.ask("compiled"));
  }

  private RunFigures runOurs(long nanos) throws SideFailedException, InterruptedException {
    target.ask("begin");
    RunFigures run = RunFigures.of(origin.ask("run " + nanos + " " + ++seed));
    Usage used = Usage.of(target.ask("end " + run.operations() + " " + run.checksum()));
    // in one process the origin has metered both
    return plan.inProcess() ? run : run.with(run.usage().plus(used));
  }
}
