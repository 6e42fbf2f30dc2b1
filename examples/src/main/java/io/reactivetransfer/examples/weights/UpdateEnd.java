package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.version.RankOutcome;
import io.reactivetransfer.weights.version.UpdateResult;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How an update or a recovery has ended, on its way from the controller's process.
 *
 * @param decision of the controller
 * @param update its number
 * @param beganNanos when the controller began with it
 * @param toldNanos when it told the trainers to write; 0 if it did not come to that
 * @param writtenNanos when the last trainer had said that it has; 0 if it did not come to that
 * @param endedNanos when the end was known
 * @param ranks what has become of each rank
 * @param reason why, for people
 */
record UpdateEnd(
    UpdateResult.Decision decision,
    String update,
    long beganNanos,
    long toldNanos,
    long writtenNanos,
    long endedNanos,
    Map<String, RankOutcome.End> ranks,
    String reason) {

  static UpdateEnd of(UpdateResult result, long began, long told, long written) {
    Map<String, RankOutcome.End> ranks = new LinkedHashMap<>();
    result.ranks().forEach((name, outcome) -> ranks.put(name, outcome.end()));
    return new UpdateEnd(
        result.decision(),
        result.update().toString(),
        began,
        told,
        written,
        Moment.nanosNow(),
        ranks,
        result.reason());
  }

  boolean isFlipped() {
    return decision == UpdateResult.Decision.FLIPPED;
  }

  /** Whether each rank has said that it has flipped. */
  boolean isFlippedEverywhere() {
    return isFlipped() && ranks.values().stream().allMatch(RankOutcome.End.FLIPPED::equals);
  }

  double millis() {
    return (endedNanos - beganNanos) / 1e6;
  }

  String toLine() {
    String ends =
        ranks.entrySet().stream()
            .map(rank -> rank.getKey() + "=" + rank.getValue())
            .collect(Collectors.joining(","));
    return String.join(
        " ",
        decision.toString(),
        update,
        String.valueOf(beganNanos),
        String.valueOf(toldNanos),
        String.valueOf(writtenNanos),
        String.valueOf(endedNanos),
        ends,
        reason.replaceAll("\\s+", " "));
  }

  static UpdateEnd of(String line) {
    List<String> parts = Arrays.asList(line.split(" ", 8));
    Map<String, RankOutcome.End> ranks = new LinkedHashMap<>();
    for (String rank : parts.get(6).split(",", -1)) {
      int sign = rank.indexOf('=');
      ranks.put(rank.substring(0, sign), RankOutcome.End.valueOf(rank.substring(sign + 1)));
    }
    return new UpdateEnd(
        UpdateResult.Decision.valueOf(parts.get(0)),
        parts.get(1),
        Long.parseLong(parts.get(2)),
        Long.parseLong(parts.get(3)),
        Long.parseLong(parts.get(4)),
        Long.parseLong(parts.get(5)),
        ranks,
        parts.get(7));
  }

  /** What it came to, for people. */
  @Override
  public String toString() {
    return decision + (reason.isEmpty() ? "" : ": " + reason) + "; " + ranks;
  }
}
