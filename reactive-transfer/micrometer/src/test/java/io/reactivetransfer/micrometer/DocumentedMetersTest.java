package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.reactivetransfer.TransferEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written about the meters, and what looks at them, is of meters that there are. */
class DocumentedMetersTest {

  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Set<String> TAGS = Set.of("outcome", "kind", "state", "cause");
  private static final Pattern QUOTED = Pattern.compile("`([a-z_]+)`");
  private static final Pattern LABEL = Pattern.compile("([a-z]+)(?:=~?|!=)\"");

  /** A name, behind it perhaps what it is asked for, and before it perhaps what it is summed by. */
  private static final Pattern SERIES =
      Pattern.compile(
          "(?:by \\(([a-z, ]+)\\) \\((?:rate\\()?)?(reactive_transfer_[a-z_]+)(?:\\{([^}]*)})?");

  private static final MeteredEngines ENGINES = new MeteredEngines();
  private static final PrometheusMeterRegistry REGISTRY =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @BeforeAll
  static void showAll() {
    EngineMeters meters = EngineMeters.of(REGISTRY).percentileHistogram().build();
    TransferEngine origin = ENGINES.open(meters);
    ENGINES.write(origin, ENGINES.open(meters), 3);
    until(1, REGISTRY, "peer.up", "engine", tag(origin));
    until(1, REGISTRY, "streams", "engine", tag(origin));
    new MeteredCaches(ENGINES, KvMeters.of(REGISTRY).percentileHistogram().build()).handOver();
    until(1, REGISTRY, "kv.orders");
    until(1, REGISTRY, "kv.requests");
    new MeteredExperts(ENGINES, MoeMeters.of(REGISTRY).percentileHistogram().build()).step(1);
    until(2, REGISTRY, "moe.steps");
    new MeteredWeights(ENGINES, WeightsMeters.of(REGISTRY).percentileHistogram().build()).update(1);
    until(1, REGISTRY, "weights.runs");
    until(1, REGISTRY, "weights.updates");
    until(1, REGISTRY, "weights.decisions");
  }

  @AfterAll
  static void close() {
    ENGINES.close();
  }

  @Test
  void theTableIsOfTheMetersThatThereAre() throws IOException {
    Set<String> rows = new TreeSet<>();
    for (Meter meter : REGISTRY.getMeters()) {
      rows.add(row(meter.getId()));
    }
    assertThat(Files.readString(DOCS.resolve("observability.md")).lines())
        .filteredOn(line -> line.startsWith("| `reactive"))
        .as("what must be there:%n%s%n", String.join("\n", rows))
        .containsExactlyInAnyOrderElementsOf(rows);
  }

  private static String row(Meter.Id id) {
    String tags =
        id.getTags().stream()
            .map(Tag::getKey)
            .filter(key -> !key.equals("engine") && !key.equals("backend"))
            .map(key -> "`" + key + "`")
            .collect(Collectors.joining(", "));
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(
            id.getName(),
            id.getType().name().toLowerCase(Locale.ROOT),
            Objects.toString(id.getBaseUnit(), ""),
            tags,
            id.getDescription());
  }

  /** Below each table is a paragraph that begins with the tag and quotes its values. */
  @Test
  void outcomesAreThoseThatAreWritten() throws IOException {
    String streams = paragraphOfOutcomes("## The meters");
    String caches = paragraphOfOutcomes("### Of KV caches");
    String requests =
        caches.split("; orders also")[0].replaceAll("`[a-z_]+` \\(orders only\\)", "");
    String[] weights = paragraphOfOutcomes("### Of weights").split("[Oo]f `weights\\.");
    Map<String, Set<String>> written = new TreeMap<>();
    written.put("streams", quoted(streams.replace("`" + Outcome.APART + "`", "")));
    written.put("transfers", quoted(streams));
    written.put("kv.orders", quoted(caches));
    written.put("kv.requests", quoted(requests));
    written.put("moe.steps", quoted(paragraphOfOutcomes("### Of mixtures of experts")));
    written.put("weights.runs", quoted(weights[1]));
    written.put("weights.updates", quoted(weights[2]));
    written.put("weights.updates.pause", quoted(weights[2]));
    written.put("weights.decisions", quoted(weights[3]));
    assertThat(written).isEqualTo(valuesByName("outcome"));
  }

  @ParameterizedTest
  @CsvSource({
    "kind, transfers.begun transfers.begun.bytes",
    "state, peers",
    "cause, nic.transfers.failed"
  })
  void valuesOfTagsAreThoseThatAreWritten(String tag, String meters) throws IOException {
    Set<String> written = quoted(paragraphOf(tag, "## The meters"));
    assertThat(valuesByName(tag))
        .containsOnlyKeys(meters.split(" "))
        .allSatisfy((_, values) -> assertThat(values).isEqualTo(written));
  }

  /** Of each meter that has this tag. */
  private static Map<String, Set<String>> valuesByName(String tag) {
    Map<String, Set<String>> values = new TreeMap<>();
    for (Meter meter : REGISTRY.getMeters()) {
      String value = meter.getId().getTag(tag);
      if (value != null) {
        String name = meter.getId().getName().substring(Meters.PREFIX.length());
        values.computeIfAbsent(name, _ -> new TreeSet<>()).add(value);
      }
    }
    return values;
  }

  private static String paragraphOfOutcomes(String heading) throws IOException {
    return paragraphOf("outcome", heading);
  }

  /** Begins with the tag; the first one that does below the heading. */
  private static String paragraphOf(String tag, String heading) throws IOException {
    String text = Files.readString(DOCS.resolve("observability.md"));
    return Stream.of(text.substring(text.indexOf(heading)).split("\n\n"))
        .filter(paragraph -> paragraph.startsWith("`" + tag + "` "))
        .findFirst()
        .orElseThrow(() ->
            new AssertionError(
                "expected a paragraph that begins with `" + tag + "` after " + heading));
  }

  /** What is in backquotes, and neither a name of code nor that of a tag. */
  private static Set<String> quoted(String text) {
    return QUOTED
        .matcher(text)
        .results()
        .map(each -> each.group(1))
        .filter(each -> !TAGS.contains(each))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void namesAndTagsAreAsMicrometerHasThem() {
    assertThat(REGISTRY.getMeters())
        .extracting(Meter::getId)
        .allSatisfy(id -> {
          assertThat(id.getName()).matches("reactive\\.transfer(\\.[a-z]+)+");
          assertThat(id.getTags()).extracting(Tag::getKey).contains("engine", "backend");
          assertThat(id.getTags()).extracting(Tag::getKey).allMatch(key -> key.matches("[a-z]+"));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"dashboard.json", "alerts.yaml"})
  void whatLooksAtMetersLooksAtSomeThatThereAre(String file) throws IOException {
    Map<String, Set<String>> scraped = labelsByName(REGISTRY.scrape());
    String text = Files.readString(DOCS.resolve("observability").resolve(file));
    List<MatchResult> asked = SERIES.matcher(text.replace("\\\"", "\"")).results().toList();
    assertThat(asked).hasSizeGreaterThan(10);
    for (MatchResult each : asked) {
      String name = each.group(2);
      assertThat(scraped).containsKey(name);
      Set<String> labels = new TreeSet<>();
      if (each.group(1) != null) {
        labels.addAll(List.of(each.group(1).split(", ")));
      }
      if (each.group(3) != null) {
        LABEL.matcher(each.group(3)).results().forEach(label -> labels.add(label.group(1)));
      }
      labels.remove("instance"); // Prometheus knows it, not we
      assertThat(scraped.get(name)).as(name).containsAll(labels);
    }
  }

  private static Map<String, Set<String>> labelsByName(String scraped) {
    Map<String, Set<String>> labels = new TreeMap<>();
    scraped
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(line -> {
          String name = line.substring(0, line.indexOf('{'));
          LABEL
              .matcher(line)
              .results()
              .forEach(
                  label -> labels.computeIfAbsent(name, _ -> new TreeSet<>()).add(label.group(1)));
        });
    return labels;
  }

  /** Of one engine, model, group, rank or controller; what is written says so in round numbers. */
  @Test
  void histogramsHaveAsManySeriesAsIsWritten() {
    Map<String, Integer> written =
        Map.of(
            "streams_(queue_|posted_)?seconds",
            2 * 950, // two engines
            "kv_orders_seconds",
            940,
            "kv_requests_(exposed_)?seconds",
            730,
            "moe_steps_(dispatch_|combine_)?seconds",
            2 * 530, // two ranks
            "weights_runs_seconds",
            260,
            "weights_updates_(filling_|pause_)?seconds",
            440,
            "weights_decisions_seconds",
            530);
    List<String> scraped = REGISTRY.scrape().lines().toList();
    written.forEach((names, series) -> {
      Pattern line = Pattern.compile("reactive_transfer_" + names + "_bucket.*");
      assertThat(scraped.stream().filter(each -> line.matcher(each).matches()).count())
          .as(names)
          .isCloseTo(series, withinPercentage(3));
    });
  }

  @Test
  void aHistogramIsPublishedOnRequestOnly() {
    assertThat(REGISTRY.scrape())
        .contains("reactive_transfer_streams_seconds_bucket")
        .contains("reactive_transfer_streams_queue_seconds_bucket")
        .contains("reactive_transfer_streams_posted_seconds_bucket")
        .contains("reactive_transfer_kv_orders_seconds_bucket")
        .contains("reactive_transfer_kv_requests_seconds_bucket")
        .contains("reactive_transfer_kv_requests_exposed_seconds_bucket")
        .contains("reactive_transfer_moe_steps_seconds_bucket")
        .contains("reactive_transfer_moe_steps_dispatch_seconds_bucket")
        .contains("reactive_transfer_moe_steps_combine_seconds_bucket")
        .contains("reactive_transfer_weights_runs_seconds_bucket")
        .contains("reactive_transfer_weights_updates_pause_seconds_bucket")
        .contains("reactive_transfer_weights_decisions_seconds_bucket");
    PrometheusMeterRegistry plain = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    ENGINES.open(EngineMeters.of(plain).build());
    new MeteredCaches(ENGINES, KvMeters.of(plain).build()).handOver();
    until(2, plain, "nic.up");
    until(1, plain, "kv.orders");
    until(1, plain, "kv.requests");
    new MeteredExperts(ENGINES, MoeMeters.of(plain).build()).step(1);
    until(2, plain, "moe.steps");
    new MeteredWeights(ENGINES, WeightsMeters.of(plain).build()).update(1);
    until(1, plain, "weights.runs");
    until(1, plain, "weights.updates");
    until(1, plain, "weights.decisions");
    assertThat(plain.scrape())
        .contains("reactive_transfer_streams_seconds_count")
        .contains("reactive_transfer_kv_orders_seconds_count")
        .contains("reactive_transfer_moe_steps_seconds_count")
        .contains("reactive_transfer_weights_updates_seconds_count")
        .doesNotContain("bucket");
  }
}
