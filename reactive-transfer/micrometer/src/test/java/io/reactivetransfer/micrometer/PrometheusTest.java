package io.reactivetransfer.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus itself says of the rules and of the dashboard's queries. */
@Timeout(120)
class PrometheusTest {

  private static final Path FILES = Path.of("..", "..", "docs", "observability");
  private static final Path CASES = Path.of("src", "test", "alerts", "alerts.test.yaml");
  private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");
  private static final Pattern QUERY = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");

  @BeforeAll
  static void isThere() {
    boolean isThere =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool")));
    if (!isThere) {
      String why = "promtool is not available: no program of that name; apt-get install prometheus";
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why + "; skipping it is forbidden by -DrequireAll");
      }
      System.err.println("PrometheusTest is skipped: " + why);
      abort(why);
    }
  }

  /** Each of them fires where it should, and does not beside it: see the file. */
  @Test
  void alertsFireWhenTheyShouldAndNotOtherwise() throws Exception {
    String cases = Files.readString(CASES);
    String rules = Files.readString(FILES.resolve("alerts.yaml"));
    List<String> alerts = ALERT.matcher(rules).results().map(each -> each.group(1)).toList();
    assertThat(alerts).hasSizeGreaterThan(10).doesNotHaveDuplicates();
    for (String alert : alerts) {
      List<MatchResult> samples =
          Pattern.compile(alert + "\"[^\n]* exp_samples: \\[(.?)")
              .matcher(cases)
              .results()
              .toList();
      assertThat(samples)
          .as("cases of %s that fires", alert)
          .anyMatch(each -> each.group(1).equals("{"));
      assertThat(samples)
          .as("cases of %s that does not", alert)
          .anyMatch(each -> each.group(1).equals("]"));
    }
    assertThat(promtool("test", "rules", CASES.toString())).contains("SUCCESS");
  }

  @Test
  void queriesOfTheDashboardAreQueries(@TempDir Path folder) throws Exception {
    StringBuilder rules = new StringBuilder("groups: [{name: queries, rules: [\n");
    List<String> queries =
        QUERY
            .matcher(Files.readString(FILES.resolve("dashboard.json")))
            .results()
            .map(each -> each.group(1).replace("\\\"", "\"").replace("\\n", " "))
            .toList();
    assertThat(queries).hasSizeGreaterThan(50);
    for (int i = 0; i < queries.size(); i++) {
      // What Grafana puts in.
      String query = queries.get(i).replace("$__rate_interval", "1m").replace("$engine", "any");
      rules.append("{record: q").append(i).append(", expr: '").append(query.replace("'", "''"));
      rules.append("'},\n");
    }
    Path file = Files.writeString(folder.resolve("queries.yaml"), rules.append("]}]\n"));
    assertThat(promtool("check", "rules", file.toString()))
        .contains("SUCCESS: " + queries.size() + " rules found");
  }

  private static String promtool(String... arguments) throws IOException, InterruptedException {
    List<String> command = Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(Redirect.from(new File("/dev/null")))
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
