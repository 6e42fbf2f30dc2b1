package io.reactivetransfer.examples.kvcache;

import java.util.Locale;

/** The figures at the end, each with where it was measured. */
final class ResultTable {

  private final StringBuilder text = new StringBuilder();

  private ResultTable() {}

  static String of(Plan plan, PrefillReport prefill, DecodeReport decode) {
    ResultTable table = new ResultTable();
    long pages = plan.shape().allPages();
    table.text.append(System.lineSeparator());
    table.line(
        "kv-cache",
        "%s over %s, %d NIC%s on each side, pages shuffled on both",
        plan.shape(),
        plan.backend(),
        plan.nics(),
        plan.nics() == 1 ? "" : "s");
    table.line(
        "bytes",
        "%s in %,d pages, and a tail of %s",
        new ByteCount(plan.shape().bytes()),
        pages,
        new ByteCount(decode.bytes() - plan.shape().bytes()));
    table.rate("at the origin", prefill.bytes(), pages, prefill.nanos());
    table.text.append("first submit to last completion").append(System.lineSeparator());
    table.rate("at the target", decode.bytes(), pages, decode.firstToLastNanos());
    table.text.append("first arrival to last arrival").append(System.lineSeparator());
    table.line(
        "layer writes",
        "p50 %s, p99 %s from submit to completion; %d writes of %,d pages, %d at a time",
        millis(prefill.p50Nanos()),
        millis(prefill.p99Nanos()),
        prefill.writes(),
        plan.shape().pages(),
        Node.LAYERS_IN_FLIGHT);
    table.line(
        "arrivals",
        "%,d counted of %,d; the first one %s after the request",
        decode.arrivals(),
        plan.shape().layout().arrivals(plan.shape().pages()),
        millis(decode.untilFirstNanos()));
    if (decode.outBytes() >= 0) {
      table.line("out", "%,d bytes written to %s", decode.outBytes(), plan.out());
    }
    table.line(
        "verified",
        "%,d pages by CRC-32C at the target; %,d spare pages untouched",
        decode.verifiedPages(),
        decode.untouchedPages());
    return table.text.toString();
  }

  private void rate(String name, long bytes, long pages, long nanos) {
    double seconds = Math.max(1, nanos) / 1e9;
    text.append(
        String.format(
            Locale.ROOT,
            "%-15s%.2f GB/s, %,.0f pages/s in %.3f s, ",
            name,
            bytes / seconds / 1e9,
            pages / seconds,
            seconds));
  }

  private void line(String name, String format, Object... values) {
    text.append(String.format(Locale.ROOT, "%-15s", name))
        .append(String.format(Locale.ROOT, format, values))
        .append(System.lineSeparator());
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }
}
