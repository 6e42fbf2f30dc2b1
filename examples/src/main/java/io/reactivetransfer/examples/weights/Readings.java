package io.reactivetransfer.examples.weights;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What readers of all ranks have said. Versions are tried in their order and each only once, so
 * those that are served rise: no rank gives leases of one after another rank has given one of a
 * later one.
 */
final class Readings {

  private record First(String rank, long nanos) {}

  private record Last(String rank, long nanos) {}

  private final Map<Long, First> firsts = new TreeMap<>();
  private final Map<Long, Last> lasts = new TreeMap<>();
  private long batches;

  /**
   * What one reader has said, since it was started.
   *
   * @param before how many batches it had read when it was asked last
   * @param faults is told of what should not be
   * @return how many batches it has read
   */
  long add(String rank, String report, long before, List<String> faults) {
    if (report.isEmpty()) {
      return 0;
    }
    List<String> parts = List.of(report.split(" ", 3));
    long read = Long.parseLong(parts.get(0));
    batches += read - before;
    if (!parts.get(2).isEmpty()) {
      faults.add(rank + " has read what no version is: " + parts.get(2));
    }
    if (!parts.get(1).equals("-")) {
      for (String one : parts.get(1).split(",", -1)) {
        List<String> given = List.of(one.split(":", 3));
        given(
            rank,
            Long.parseLong(given.get(0)),
            Long.parseLong(given.get(1)),
            Long.parseLong(given.get(2)));
      }
    }
    return read;
  }

  private void given(String rank, long version, long first, long last) {
    firsts.merge(
        version,
        new First(rank, first),
        (one, other) -> one.nanos() <= other.nanos() ? one : other);
    lasts.merge(
        version, new Last(rank, last), (one, other) -> one.nanos() >= other.nanos() ? one : other);
  }

  /** Says which versions were given at the same time. */
  void check(List<String> faults) {
    String rank = "";
    long version = -1;
    long end = Long.MIN_VALUE;
    for (Map.Entry<Long, First> entry : firsts.entrySet()) {
      if (entry.getValue().nanos() < end) {
        faults.add(
            "version %d was given at %s after version %d had been given at %s"
                .formatted(version, rank, entry.getKey(), entry.getValue().rank()));
      }
      Last last = lasts.getOrDefault(entry.getKey(), new Last("", Long.MIN_VALUE));
      if (last.nanos() > end) {
        end = last.nanos();
        version = entry.getKey();
        rank = last.rank();
      }
    }
  }

  @Override
  public String toString() {
    return "%,d batches of %d versions, each byte of each of them compared"
        .formatted(batches, firsts.size());
  }
}
