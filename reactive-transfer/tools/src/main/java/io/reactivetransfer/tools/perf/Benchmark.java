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
  private final BothSides sides;
  private final Progress progress;
  private final @Nullable Iperf3 iperf3;

  /** Whether the reference has the sides of ours, and leaves them with memory of the host. */
  private final boolean besideHost;

  Benchmark(Plan plan, Side origin, Side target, Progress progress) {
    this.plan = plan;
    this.origin = origin;
    this.target = target;
    this.sides = new BothSides(plan, origin, target);
    this.progress = progress;
    this.besideHost = plan.reference() && Reference.of(plan) == Reference.HOST;
    this.iperf3 =
        plan.reference()
                && Reference.of(plan) == Reference.NIO
                && plan.place() != Plan.Place.TWO_HOSTS
                && !plan.op().isOneByOne()
            ? Iperf3.find()
            : null;
  }

  List<Result> run() throws IOException, SideFailedException, InterruptedException {
    sides.introduce();
    List<Result> results = new ArrayList<>();
    try (ReferenceRuns reference = ReferenceRuns.open(plan, origin, target, sides, progress)) {
      for (long size : plan.sizes()) {
        results.add(measure(size, reference));
      }
    }
    return results;
  }

  private Result measure(long size, @Nullable ReferenceRuns reference)
      throws SideFailedException, InterruptedException {
    Layout layout = Layout.of(plan, size);
    sides.prepare(size, plan.device());
    if (reference != null) {
      reference.prepare(layout);
    }
    List<RunFigures> ours = new ArrayList<>();
    List<RunFigures> references = new ArrayList<>();
    List<Double> iperf3s = new ArrayList<>();
    warmUp(layout, sides::run);
    if (reference != null) {
      warmUp(layout, reference);
    }
    for (int round = 1; round <= plan.rounds(); round++) {
      String of = round + " of " + plan.rounds();
      progress.begin(layout, "round " + of, plan.roundNanos());
      if (besideHost) {
        sides.prepare(size, plan.device());
      }
      ours.add(sides.run(plan.roundNanos()));
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

  /** One that has the code of ours must be as warm as ours, or the ratio is of compilers. */
  private void warmUp(Layout layout, ReferenceRuns reference)
      throws SideFailedException, InterruptedException {
    if (besideHost) {
      warmUp(layout, reference::run);
    } else {
      reference.run(plan.warmupNanos() / 2);
    }
  }

  /**
   * As warm as in a process that has done this for a while: a second is not enough, least of all
   * where the compilers share their cores with what is measured.
   */
  private void warmUp(Layout layout, Runs runs) throws SideFailedException, InterruptedException {
    progress.begin(layout, "warm-up", plan.warmupNanos());
    runs.run(plan.warmupNanos());
    long compiled = sides.compiledMillis();
    for (int second = 0; plan.settles() && second < MOST_SECONDS; second++) {
      progress.begin(layout, "warm-up", SECOND_NANOS);
      runs.run(SECOND_NANOS);
      long before = compiled;
      compiled = sides.compiledMillis();
      if (compiled - before <= SETTLED_MILLIS) {
        break;
      }
    }
  }

  /** Of ours, or of the reference. */
  @FunctionalInterface
  private interface Runs {
    RunFigures run(long nanos) throws SideFailedException, InterruptedException;
  }
}
