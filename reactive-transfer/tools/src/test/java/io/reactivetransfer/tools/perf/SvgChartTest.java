package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

class SvgChartTest {

  @TempDir private Path folder;

  /** The names of the lines that it draws. */
  static Document parse(Path file) throws Exception {
    return DocumentBuilderFactory.newNSInstance().newDocumentBuilder().parse(file.toFile());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isWellFormedAndDrawsEverySize(boolean reference) throws Exception {
    Path file = folder.resolve("chart.svg");
    List<Result> results = List.of(Plans.result(64, reference), Plans.result(1 << 20, reference));
    SvgChart.write(file, results.getFirst().plan(), results);

    Document svg = parse(file);
    assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(svg.getElementsByTagName("circle").getLength()).isGreaterThanOrEqualTo(6);
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("write-imm over tcp", "GB/s", "latency, us", "64 bytes", "1 MiB");
    assertThat(Files.readString(file)).contains("prefers-color-scheme: dark").doesNotContain("NaN");
  }
}
