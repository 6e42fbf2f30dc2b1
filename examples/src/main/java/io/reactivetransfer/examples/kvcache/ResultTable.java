package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.Device;
import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.Gpus;
import io.reactivetransfer.tools.Provider;

/** The figures at the end, each with where it was measured. */
final class ResultTable {

  private ResultTable() {}

  static String of(Plan plan, PrefillReport prefill, DecodeReport decode) {
    FigureTable table = new FigureTable();
    long pages = plan.shape().allPages();
    table.gap();
    table.line(
        "kv-cache",
        "%s over %s, %d NIC%s on each side, pages shuffled on both"
            .formatted(
                plan.shape(),
                Provider.carrier(plan.backend(), plan.provider()),
                plan.nics(),
                plan.nics() == 1 ? "" : "s"));
    if (!plan.device().equals(Device.HOST)) {
      table.line("pages", Gpus.line(plan.device()));
    }
    table.line(
        "bytes",
        "%s in %,d pages, and a tail of %s"
            .formatted(
                new ByteCount(plan.shape().bytes()),
                pages,
                new ByteCount(decode.bytes() - plan.shape().bytes())));
    String origin = rate(prefill.bytes(), pages, prefill.nanos());
    table.line("at the origin", "%s, first submit to last completion".formatted(origin));
    String target = rate(decode.bytes(), pages, decode.firstToLastNanos());
    table.line("at the target", "%s, first arrival to last arrival".formatted(target));
    table.line(
        "layer writes",
        "p50 %s, p99 %s from submit to completion; %d writes of %,d pages, %d at a time"
            .formatted(
                millis(prefill.p50Nanos()),
                millis(prefill.p99Nanos()),
                prefill.writes(),
                plan.shape().pages(),
                Node.LAYERS_IN_FLIGHT));
    table.line(
        "arrivals",
        "%,d counted of %,d; the first one %s after the request"
            .formatted(
                decode.arrivals(), plan.shape().arrivals(), millis(decode.untilFirstNanos())));
    if (plan.out() != null) {
      table.line("out", "%,d bytes written to %s".formatted(decode.outBytes(), plan.out()));
    }
    table.line(
        "verified",
        "%,d pages by CRC-32C at the target; %,d spare pages untouched"
            .formatted(decode.verifiedPages(), decode.untouchedPages()));
    return table.text();
  }

  private static String rate(long bytes, long pages, long nanos) {
    double seconds = Math.max(1, nanos) / 1e9;
    return "%.2f GB/s, %,.0f pages/s in %.3f s"
        .formatted(bytes / seconds / 1e9, pages / seconds, seconds);
  }

  private static String millis(long nanos) {
    return "%.2f ms".formatted(nanos / 1e6);
  }
}
