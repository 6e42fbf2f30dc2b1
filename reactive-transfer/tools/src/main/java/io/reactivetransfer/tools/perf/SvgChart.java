package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.ByteCount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Throughput and latency over the size, as a picture that follows the reader's colour scheme. */
final class SvgChart {

  private static final int WIDTH = 880;
  private static final int HEIGHT = 364;
  private static final int LEFT_OF_LATENCY = 440;
  private static final int TOP = 64;

  /** Both schemes: text and lines have a contrast of at least 4.5 to the ground. */
  private static final String STYLE =
      """
      <style>
        text { font: 12px system-ui, sans-serif; fill: #1f2328; }
        .title { font-size: 15px; font-weight: 600; }
        .faint { fill: #59636e; }
        .ground { fill: #ffffff; }
        .grid { stroke: #d8dee4; }
        .line { fill: none; stroke-width: 2; }
        .dashed { stroke-dasharray: 6 4; }
        .ours { stroke: #0b5cad; }
        .reference { stroke: #a04100; }
        .iperf3 { stroke: #6639ba; }
        circle.ours { fill: #0b5cad; }
        circle.reference { fill: #a04100; }
        circle.iperf3 { fill: #6639ba; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .faint { fill: #9198a1; }
          .ground { fill: #0d1117; }
          .grid { stroke: #30363d; }
          .ours { stroke: #6cb6ff; }
          .reference { stroke: #f0a35e; }
          .iperf3 { stroke: #c297ff; }
          circle.ours { fill: #6cb6ff; }
          circle.reference { fill: #f0a35e; }
          circle.iperf3 { fill: #c297ff; }
        }
      </style>
      """;

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
    String title = escape(Report.title(plan));
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">%n"
                + "<title>%s</title>%n",
            WIDTH,
            HEIGHT,
            title));
    svg.append(STYLE);
    svg.append(
        String.format("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>%n", WIDTH, HEIGHT));
    svg.append(String.format("<text class=\"title\" x=\"16\" y=\"28\">%s</text>%n", title));
    svg.append(new SvgPanel("GB/s", 0, TOP, false, sizes, throughput()).text());
    svg.append(new SvgPanel("latency, us", LEFT_OF_LATENCY, TOP, true, sizes, latency()).text());
    return svg.append("</svg>").append(System.lineSeparator()).toString();
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
        results.stream().map(Result::reference).filter(it -> it != null).toList();
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
    return String.valueOf(Reference.of(plan.backend()));
  }

  private static double iperf3(Result result) {
    Double bytes = result.iperf3BytesPerSecond();
    return bytes == null ? 0 : bytes / 1e9;
  }

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
