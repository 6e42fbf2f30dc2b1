package io.reactivetransfer.examples.cluster;

import java.util.List;

/**
 * What has become of the requests of a decode node.
 *
 * @param ordered how many there were
 * @param arrived how many of them arrived, with the bytes that belong to them
 * @param failed how many ended otherwise
 * @param asked how many orders were made for them: one, and one more for each node that was lost or
 *     refused
 * @param why the first one that failed has; empty if none did
 */
record Requests(int ordered, int arrived, int failed, int asked, String why) {

  static final Requests NONE = new Requests(0, 0, 0, 0, "");

  Requests plus(Requests more) {
    return new Requests(
        ordered + more.ordered,
        arrived + more.arrived,
        failed + more.failed,
        asked + more.asked,
        why.isEmpty() ? more.why : why);
  }

  boolean areAccountedFor() {
    return ordered == arrived + failed;
  }

  String toLine() {
    return "%d %d %d %d %s".formatted(ordered, arrived, failed, asked, why);
  }

  static Requests ofLine(String line) {
    List<String> parts = List.of(line.split(" ", 5));
    return new Requests(
        Integer.parseInt(parts.get(0)),
        Integer.parseInt(parts.get(1)),
        Integer.parseInt(parts.get(2)),
        Integer.parseInt(parts.get(3)),
        parts.get(4));
  }

  /** For people. */
  @Override
  public String toString() {
    return "%,d requests, %,d arrived, %,d failed; %,d were ordered again of another node"
        .formatted(ordered, arrived, failed, asked - ordered);
  }
}
