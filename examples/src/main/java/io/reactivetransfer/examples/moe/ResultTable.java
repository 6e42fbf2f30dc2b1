package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Device;
import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Percentiles;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.Gpus;
import io.reactivetransfer.tools.Provider;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What the example prints. */
final class ResultTable {

  private ResultTable() {}

  /** The first lines: of what. */
  static void head(FigureTable table, Plan plan) {
    MoeShape shape = plan.shape(plan.ranks());
    table.line(
        "step",
        "%,d tokens of each of %d ranks to %d of %,d experts%s, over %s"
            .formatted(
                plan.tokens(),
                plan.ranks(),
                plan.topK(),
                plan.experts(),
                plan.skew() == 0 ? "" : ", skewed by " + plan.skew(),
                Provider.carrier(plan.backend(), plan.provider())));
    table.line(
        "out",
        ("%,d bytes of FP8 and %d scales for each token and expert; %,d private slots for each"
                + " other rank")
            .formatted(plan.hidden(), plan.scales(), shape.memory(0).privateSlots()));
    table.line("back", "%,d numbers of BF16".formatted(plan.hidden()));
    if (!plan.device().equals(Device.HOST)) {
      table.line("device", Gpus.line(plan.device(), "on all ranks"));
    }
    MoeMemory memory = shape.memory(0);
    table.line(
        "memory",
        "%s at rank 0, which may get %,d%s%s"
            .formatted(
                new ByteCount(memory.bytes()),
                memory.received(),
                plan.inPlace() ? ", for experts in place" : "",
                plan.lanes() == 1 ? "" : ", on each of %d lanes".formatted(plan.lanes())));
  }

  /** What the reference says. */
  static void verified(FigureTable table, int steps, long tokens) {
    table.line(
        "verified",
        "the sums of %,d tokens in %d steps, next to a reference of one process"
            .formatted(tokens, steps));
  }

  /** How long the halves took, on all ranks and on each. */
  static void steps(FigureTable table, Plan plan, List<Times> times) {
    table.gap();
    table.line(
        "p50/p99, ms",
        Half.WAITED_FOR.stream()
            .map(half -> "%-22s".formatted(half))
            .collect(Collectors.joining())
            .stripTrailing());
    row(table, "all ranks", Times.of(times));
    for (int rank = 0; rank < times.size(); rank++) {
      row(table, "rank " + rank, times.get(rank));
    }
    table.gap();
    double seconds = Times.of(times).percentiles(Half.STEP).p50Millis() / 1e3;
    long out = 0;
    long back = 0;
    MoeShape shape = plan.shape(plan.ranks());
    for (int rank = 0; rank < plan.ranks(); rank++) {
      int[] pairs =
          Routing.of(plan, RankWorker.TIMED.getFirst(), rank, plan.ranks())
              .pairs(shape.placement());
      int others = Arrays.stream(pairs).sum() - pairs[rank];
      out += others * (long) plan.tokenBytes();
      back += others * shape.resultBytes();
    }
    table.line(
        "between ranks",
        "%s out and %s back in a step, all ranks together; %.2f GB/s at the median of %,d steps"
            .formatted(
                new ByteCount(out),
                new ByteCount(back),
                (out + back) / seconds / 1e9,
                times.getFirst().of(Half.STEP).length));
  }

  /** The CPU time that the caller's own thread needs before it can go on. */
  static void enqueued(FigureTable table, Plan plan, List<Times> times) {
    Times all = Times.of(times);
    table.line(
        "caller",
        "%s of CPU in begin, %s to subscribe to dispatchSend, with %d peers"
            .formatted(
                micros(all.percentiles(Half.BEGIN)),
                micros(all.percentiles(Half.ENQUEUE)),
                plan.ranks() - 1));
  }

  private static String micros(Percentiles of) {
    return "p50 %.1f us, p99 %.1f us".formatted(of.p50Millis() * 1e3, of.p99Millis() * 1e3);
  }

  /** Where the CPU time went. */
  static void work(FigureTable table, Plan plan, Work work, long steps) {
    table.line(
        "CPU time",
        "%.2f ms for a step of a rank, of that %.2f compilers%s"
            .formatted(
                work.all() / 1e6 / steps,
                work.ofCompilers() / 1e6 / steps,
                plan.signals() == Signals.NIC
                    ? ""
                    : " and %.2f copies, sums and signals of its group"
                        .formatted(work.ofGroup() / 1e6 / steps)));
  }

  private static void row(FigureTable table, String name, Times times) {
    table.line(
        name,
        Half.WAITED_FOR.stream()
            .map(half -> "%-22s".formatted(text(times.percentiles(half))))
            .collect(Collectors.joining())
            .stripTrailing());
  }

  private static String text(Percentiles of) {
    return "%.3f / %.3f".formatted(of.p50Millis(), of.p99Millis());
  }
}
