package io.reactivetransfer.examples.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/observability.md says of slow, stuck and lost engines is what is seen of them. */
class ObserveTest {

  private static final Path DOCUMENT = Path.of("..", "docs", "observability.md");
  private static final Duration INTERVAL = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final StringWriter out = new StringWriter();

  @TempDir private Path folder;

  /** Each act lasts until what it is to show was seen, and no longer than anybody can wait. */
  private Observation play(String scenario, Map<String, Predicate<List<Sample>>> seen)
      throws Exception {
    Pace pace =
        (act, samples) -> {
          Duration lasted = samples.getLast().at().minus(samples.getFirst().at());
          assertThat(lasted).as(() -> act.name() + " in\n" + out).isLessThan(PATIENCE);
          return seen.get(act.name()).test(samples);
        };
    Path file = folder.resolve("recording.jfr");
    Observation observation =
        Observation.play(scenario, pace, INTERVAL, file, new PrintWriter(out, true));
    assertThat(file).isNotEmptyFile();
    return observation;
  }

  private static double sum(List<Sample> samples, String title) {
    return samples.stream().mapToDouble(sample -> sample.of(title)).sum();
  }

  /** The recording on the page has the columns and acts of today, whatever its figures are. */
  private void assertThatThePageShowsIt() throws IOException {
    List<String> page = Files.readAllLines(DOCUMENT);
    List<String> printed = out.toString().lines().toList();
    assertThat(printed).contains("events:");
    assertThat(page)
        .containsAll(
            printed.subList(0, printed.indexOf("events:")).stream()
                .filter(line -> !line.matches(" +\\d+\\.\\d .*"))
                .toList());
  }

  @Test
  void whoTakesLessThanHeIsGivenIsSlow() throws Exception {
    String waitingForTwo = "prefill peer.transfers.waiting decode-2";
    String waitingForOne = "prefill peer.transfers.waiting decode-1";
    String refusals = "prefill peer.refusals decode-2";
    Observation observation =
        play(
            "slow",
            Map.of(
                "healthy",
                samples -> samples.getLast().of(waitingForTwo) == 0,
                "slow",
                samples ->
                    samples.getLast().of(waitingForTwo) > 20
                        && samples.getLast().of(waitingForOne) == 0
                        && sum(samples, refusals) > 0
                        && sum(samples, "prefill peer.queue decode-2") > 0
                        && sum(samples, "decode-2 stalls") > 0,
                "healed",
                samples ->
                    samples.getLast().of(waitingForTwo) == 0
                        && samples.getLast().of(refusals) == 0));
    assertThat(observation.events())
        .anyMatch(
            event -> event.name().equals("NicThreadStalled") && event.engine().equals("decode-2"));
    assertThatThePageShowsIt();
  }

  @Test
  void whoWaitsForAnApplicationIsStuck() throws Exception {
    String pending = "decode claims.pending";
    String arrivals = "decode nic.arrivals";
    String messages = "decode peer.messages.waiting prefill";
    String unclaimed = "decode imms.unclaimed";
    Observation observation =
        play(
            "stuck",
            Map.of(
                "healthy",
                samples -> samples.getLast().of(arrivals) > 0,
                "stuck",
                samples ->
                    samples.getLast().of(messages) > 3
                        && samples.getLast().of(pending) > samples.getLast().of(messages)
                        && samples.getLast().of(arrivals) == 0
                        && samples.getLast().of("prefill transfers.active") == 0,
                "healed",
                samples ->
                    samples.getLast().of(messages) == 0
                        && samples.getLast().of(pending) <= 1
                        && sum(samples, arrivals) > 0,
                "unclaimed",
                samples ->
                    samples.getLast().of(unclaimed) > 3
                        && samples.getLast().of(pending) == 0
                        && samples.getLast().of(messages) == 0,
                "claimed",
                samples -> samples.getLast().of(unclaimed) == 0));
    assertThat(observation.events())
        .as("of what is stuck there is no event")
        .allMatch(event -> event.name().equals("NicThreadStalled"));
    assertThatThePageShowsIt();
  }

  @Test
  void whoseProcessIsKilledIsLost() throws Exception {
    String done = "prefill transfers done";
    Observation observation =
        play(
            "lost",
            Map.of(
                "healthy",
                samples ->
                    samples.getLast().of("prefill peer.up decode-1") == 1 && sum(samples, done) > 0,
                "lost",
                samples ->
                    samples.getLast().of("prefill peer.up decode-1") == 0
                        && sum(samples, "prefill peers.lost") == 1
                        && sum(samples, "prefill peers.unreachable") > 0
                        && sum(samples, "prefill transfers peer_lost") > 0,
                "replaced",
                samples ->
                    samples.getLast().of("prefill peer.up decode-2") == 1
                        && samples.getLast().of("prefill peer.up decode-1") == 0
                        && samples.getLast().of("prefill peers.unreachable") == 0
                        && samples.getLast().of(done) > 0));
    assertThat(observation.samples())
        .filteredOn(sample -> !sample.act().equals("healthy"))
        .allMatch(sample -> sample.of("prefill nic.up") == 1, "its own NIC is well");
    assertThat(observation.events())
        .extracting(event -> event.name() + " " + event.fields().split(" ")[0])
        .containsSubsequence(
            "PeerFound address=decode-1",
            "PeerLost address=decode-1",
            "PeerFound address=decode-2");
    assertThatThePageShowsIt();
  }
}
