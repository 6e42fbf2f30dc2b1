package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Percentiles;
import io.reactivetransfer.tools.ByteCount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Updates of next to no bytes: what is left is the time that the flip itself takes.
 *
 * <p>A flip takes from the moment when the last rank knows that it has all bytes and that nothing
 * can be written to it any more, by that rank's clock, until the controller has heard from all
 * ranks that they serve the new version, by its clock; both are that of this machine. Between these
 * are five messages: filled, hold, held, commit, flipped. In turn with them messages go from the
 * controller to the ranks and come back, between the same engines and on the same threads: to one
 * rank after the other, and to all of them at once, as a flip does it. That comes first behind
 * every second flip, and the other one behind the others, so that both find the processes as a flip
 * does.
 */
final class Flips {

  private static final long VERSION = 1;

  private Flips() {}

  /**
   * The lines of the table.
   *
   * @param warmUps updates before those that count
   * @param count of those
   */
  static String run(Cluster cluster, int warmUps, int count)
      throws IOException, InterruptedException {
    cluster.fill(VERSION);
    for (int i = 0; i < warmUps; i++) {
      Updates.requireFlipped(cluster.update(VERSION));
      pings(cluster);
      round(cluster);
    }
    List<Long> rounds = new ArrayList<>();
    List<Long> flips = new ArrayList<>();
    List<Long> whole = new ArrayList<>();
    List<Long> pings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cluster.ofRanks("moments"); // those of the update before
      UpdateEnd end = cluster.update(VERSION);
      Updates.requireFlipped(end);
      flips.add(end.endedNanos() - filled(cluster));
      whole.add(end.endedNanos() - end.beganNanos());
      if (i % 2 == 0) {
        rounds.add(round(cluster));
      } else {
        pings.addAll(pings(cluster));
      }
    }
    long bytes = cluster.verify(VERSION);
    Percentiles flip = Percentiles.of(flips);
    Percentiles ping = Percentiles.of(pings);
    Percentiles round = Percentiles.of(rounds);
    FigureTable table = new FigureTable();
    table.gap();
    ResultTable.head(table, cluster);
    table.line(
        "updates",
        "%,d, each of %s; %s".formatted(count, new ByteCount(bytes), Percentiles.of(whole)));
    table.line(
        "flip",
        flip + " from the last byte at the last rank until the controller knew of the last flip");
    table.line("message", ping + " from the controller to a rank and back, in turn with these");
    table.line("messages", round + " from the controller to all ranks and back, as in a flip");
    table.line("ratio", ratios(flip, ping) + " to a message there and back");
    table.line("", ratios(flip, round) + " to messages to all ranks and back");
    table.line(
        "", "%.1f at p99 to the p50 of a message".formatted(flip.p99Millis() / ping.p50Millis()));
    table.line("verified", "%,d bytes behind the last update".formatted(bytes));
    return table.text();
  }

  private static long filled(Cluster cluster) throws IOException, InterruptedException {
    return cluster.ofRanks("moments").stream()
        .flatMap(line -> Moment.of(line).stream())
        .filter(moment -> moment.what() == Moment.What.FILLED)
        .mapToLong(Moment::nanos)
        .max()
        .orElseThrow(() -> new IOException("expected ranks that are filled, got none"));
  }

  private static String ratios(Percentiles flip, Percentiles message) {
    return "%.1f at p50, %.1f at p99"
        .formatted(flip.p50Millis() / message.p50Millis(), flip.p99Millis() / message.p99Millis());
  }

  private static long round(Cluster cluster) throws IOException, InterruptedException {
    return Long.parseLong(cluster.controller().answer("round"));
  }

  private static List<Long> pings(Cluster cluster) throws IOException, InterruptedException {
    return Arrays.stream(cluster.controller().answer("ping").split(" "))
        .map(Long::valueOf)
        .toList();
  }
}
