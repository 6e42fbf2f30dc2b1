package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.Gpus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The table at the end, and how its figures came about. */
final class Report {

  private final Plan plan;
  private final boolean withIperf3;

  private Report(Plan plan, boolean withIperf3) {
    this.plan = plan;
    this.withIperf3 = withIperf3;
  }

  static String of(Plan plan, List<Result> results) {
    boolean withIperf3 = results.stream().anyMatch(it -> it.iperf3BytesPerSecond() != null);
    return new Report(plan, withIperf3).text(results);
  }

  private String text(List<Result> results) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(header());
    results.forEach(result -> rows.add(row(result)));
    StringBuilder text = new StringBuilder(System.lineSeparator());
    text.append(title(plan)).append(System.lineSeparator());
    if (!plan.inHostMemory()) {
      text.append("Memory: ")
          .append(Gpus.line(plan.device()))
          .append(plan.place() == Plan.Place.TWO_HOSTS ? ", as this host says" : "")
          .append(System.lineSeparator());
    }
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int at = column;
        int width = rows.stream().mapToInt(it -> it.get(at).length()).max().orElse(0);
        text.append(" ".repeat(width - row.get(at).length() + (at == 0 ? 0 : 2)));
        text.append(row.get(at));
      }
      text.append(System.lineSeparator());
    }
    footer().forEach(line -> text.append(line).append(System.lineSeparator()));
    return text.toString();
  }

  static String title(Plan plan) {
    String parts = plan.op().hasParts() ? String.format(" of %,d parts", plan.pages()) : "";
    String peers = plan.op() == Op.FAN_OUT ? String.format(" to %,d peers", plan.peers()) : "";
    return String.format(
        "%s%s over %s, %s, %,d outstanding%s, %d NIC%s on each side%s, signals %s",
        plan.op(),
        parts + peers,
        plan.carrier(),
        plan.place(),
        plan.outstanding(),
        plan.memory() == 0 ? "" : ", over " + new ByteCount(plan.memory()),
        plan.nics(),
        plan.nics() == 1 ? "" : "s",
        plan.inHostMemory() ? "" : ", memory of " + Gpus.name(plan.device()),
        plan.signals());
  }

  private List<String> header() {
    List<String> names =
        new ArrayList<>(
            List.of("size", "op/s", "GB/s", "p50 us", "p99 us", "p99.9 us", "CPU s/GB", "B/op"));
    Reference reference = Reference.of(plan);
    if (plan.reference()) {
      names.addAll(List.of(reference + " op/s", reference + " GB/s", reference + " p50", "ratio"));
    }
    if (withIperf3) {
      names.add("iperf3 GB/s");
    }
    return names;
  }

  private List<String> row(Result result) {
    List<String> row = new ArrayList<>();
    row.add(new ByteCount(result.layout().size()).toString());
    row.add(number("%,.0f", result.ours().operationsPerSecond()));
    row.add(number("%.3f", result.bytesPerSecond() / 1e9));
    row.add(number("%,.1f", result.ours().p50Micros()));
    row.add(number("%,.1f", result.ours().p99Micros()));
    row.add(number("%,.1f", result.ours().p999Micros()));
    row.add(number("%.2f", result.cpuSecondsPerGB()));
    row.add(number("%,.1f", result.ours().allocatedPerOperation()));
    Result.Medians reference = result.reference();
    if (reference != null) {
      row.add(number("%,.0f", reference.operationsPerSecond()));
      row.add(number("%.3f", result.referenceBytesPerSecond() / 1e9));
      row.add(reference.hasLatency() ? number("%,.1f", reference.p50Micros()) : "-");
      row.add(number("%.2f", result.ratio()));
    }
    if (withIperf3) {
      row.add(iperf3(result.iperf3BytesPerSecond()));
    }
    return row;
  }

  private static String iperf3(@Nullable Double bytesPerSecond) {
    return bytesPerSecond == null ? "-" : number("%.3f", bytesPerSecond / 1e9);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private List<String> footer() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "Medians of %d round%s, %.3g s of each size in all. Latency: %s.",
            plan.rounds(),
            plan.rounds() == 1 ? "" : "s",
            plan.seconds(),
            switch (plan.op()) {
              case PING_PONG -> "there and back, from submit to the signal of the claim";
              case MESSAGE_PING_PONG -> "there and back, from send to the answer";
              case FAN_OUT -> "from the first submit to the last completion";
              default -> "from submit to completion, as seen where it is emitted";
            }));
    lines.add(
        String.format(
            Locale.ROOT,
            "Warm-up: %.3g s%s.",
            plan.warmup(),
            plan.settles()
                ? ", and on until the compilers of both sides had hardly anything to do"
                : ""));
    if (plan.op() == Op.FAN_OUT) {
      lines.add(
          String.format(
              "An operation is a write to each of %,d engines, until all are done.", plan.peers()));
    }
    if (plan.op() == Op.SEND) {
      lines.add("A message is complete when the backend has taken it over.");
    }
    lines.add("CPU and allocated heap: of both sides. GB: 10^9 bytes.");
    if (plan.reference()) {
      lines.add(reference());
      lines.add("Ratio: of each round to the reference's one behind it; the median of these.");
    }
    if (plan.verify()) {
      lines.add(
          "verified: what arrived has the checksum of what was written, in every round"
              + (Reference.of(plan) == Reference.HOST && plan.reference()
                  ? " of ours and of the reference."
                  : "."));
    }
    return lines;
  }

  private String reference() {
    return switch (Reference.of(plan)) {
      case NIO -> nio();
      case MEMCPY -> "memcpy: one thread copies between two MemorySegments.";
      case C -> c();
      case IB_WRITE_BW ->
          "ib_write_bw: of perftest, two processes on the same port; as many outstanding as ours, a"
              + " completion for each "
              + IbWriteBw.signalEvery(plan.outstanding())
              + "; it tells no latency. Set-up is not measured. It goes over 4 KiB of memory, or"
              + " over that of one write again and again; so do ours with --memory of as much.";
      case HOST ->
          "host: the same backend, engines and operations, with memory of the host on both sides;"
              + " both have new memory in each round. So the ratio says what memory of "
              + plan.device()
              + " costs, such as copies through the host; at 1 it costs nothing.";
      case null -> throw new IllegalStateException("no reference of " + plan.backend());
    };
  }

  private String c() {
    String program =
        "c: a program in C on the same libfabric, one thread on each side, which spins; ";
    if (plan.op() == Op.PING_PONG) {
      return program
          + "its latency is there and back, from post to the arrival of the other side's.";
    }
    return program
        + (plan.op() == Op.WRITE ? "plain writes" : "writes with an immediate")
        + ", outstanding as many as ours; its latency is from post to completion.";
  }

  private String nio() {
    if (plan.op() == Op.FAN_OUT) {
      return "nio: one thread writes to as many blocking sockets, then reads a byte of each; at the"
          + " other end a thread for each reads and sends that byte.";
    }
    if (!plan.op().isPingPong()) {
      return "nio: blocking writes and reads of one socket, by one thread on each side; its latency"
          + " with a byte back for each operation, outstanding as many as ours, or as the socket"
          + " takes.";
    }
    return plan.signals() == Signals.NIC
        ? "nio: blocking writes and reads of one socket, by one thread on each side; neither it nor"
            + " ours hands over between threads."
        : "nio: blocking writes and reads of one socket; on each side it hands over between threads"
            + " twice, as ours does.";
  }
}
