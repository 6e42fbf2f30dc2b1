package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.SvgDrawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Throughput and latency over the size, as a picture that follows the reader's colour scheme. */
final class SvgChart {

  private static final int WIDTH = 880;
  private static final int HEIGHT = 364;
  private static final int LEFT_OF_LATENCY = 440;
  private static final int TOP = 64;

  private final Plan plan;
  private final List<Result> results;
  private final List<String> sizes;

  private SvgChart(Plan plan, List<Result> results) {
    this.plan = plan;
    this.results =
        results.stream().sorted(Comparator.comparingLong(it -> it.layout().size())).toList();
    this.sizes =
        this.results.stream().map(it -> new ByteCount(it.layout().size()).toString()).toList();
  }

  static void write(Path file, Plan plan, List<Result> results) throws IOException {
    Files.writeString(file, new SvgChart(plan, results).text());
  }

  private String text() {
    SvgDrawing svg = new SvgDrawing(WIDTH, HEIGHT, Report.title(plan));
    new SvgPanel("GB/s", 0, TOP, false, sizes, throughput()).draw(svg);
    new SvgPanel("latency, us", LEFT_OF_LATENCY, TOP, true, sizes, latency()).draw(svg);
    return svg.text();
  }

  private List<SvgPanel.Line> throughput() {
    List<SvgPanel.Line> lines = new ArrayList<>();
    lines.add(line(plan.backend(), "ours", it -> it.bytesPerSecond() / 1e9));
    if (plan.reference()) {
      lines.add(line(reference(), "reference", it -> it.referenceBytesPerSecond() / 1e9));
    }
    if (results.stream().allMatch(it -> it.iperf3BytesPerSecond() != null)) {
      lines.add(line("iperf3", "iperf3", SvgChart::iperf3));
    }
    return lines;
  }

  private List<SvgPanel.Line> latency() {
    List<SvgPanel.Line> lines = new ArrayList<>();
    lines.add(line(plan.backend() + " p50", "ours", it -> it.ours().p50Micros()));
    lines.add(line(plan.backend() + " p99", "ours dashed", it -> it.ours().p99Micros()));
    List<Result.Medians> references =
        results.stream()
            .map(Result::reference)
            .filter(it -> it != null && it.hasLatency())
            .toList();
    if (references.size() == results.size()) {
      lines.add(
          new SvgPanel.Line(
              reference() + " p50",
              "reference",
              references.stream().map(Result.Medians::p50Micros).toList()));
      lines.add(
          new SvgPanel.Line(
              reference() + " p99",
              "reference dashed",
              references.stream().map(Result.Medians::p99Micros).toList()));
    }
    return lines;
  }

  private SvgPanel.Line line(String name, String style, ToDoubleFunction<Result> figure) {
    return new SvgPanel.Line(name, style, results.stream().mapToDouble(figure).boxed().toList());
  }

  private String reference() {
    return String.valueOf(Reference.of(plan));
  }

  private static double iperf3(Result result) {
    Double bytes = result.iperf3BytesPerSecond();
    return bytes == null ? 0 : bytes / 1e9;
  }
}
