package io.reactivetransfer.examples.moe;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * CPU time of one or more ranks, in nanoseconds.
 *
 * @param ofKinds what a group did on its scheduler, see {@link WorkScheduler#KINDS}
 * @param all what the processes took, with all that engines and compilers do
 */
record Work(List<Long> ofKinds, long all) {

  /** What was done since then. */
  Work since(Work before) {
    return new Work(
        IntStream.range(0, ofKinds.size())
            .mapToObj(kind -> ofKinds.get(kind) - before.ofKinds.get(kind))
            .toList(),
        all - before.all);
  }

  /** All of these together. */
  static Work sum(List<Work> ranks) {
    return new Work(
        IntStream.range(0, WorkScheduler.KINDS.size())
            .mapToObj(kind -> ranks.stream().mapToLong(work -> work.ofKinds.get(kind)).sum())
            .toList(),
        ranks.stream().mapToLong(Work::all).sum());
  }

  String toLine() {
    return all + "," + ofKinds.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  static Work of(String line) {
    List<Long> numbers = Arrays.stream(line.split(",", -1)).map(Long::parseLong).toList();
    return new Work(numbers.subList(1, numbers.size()), numbers.getFirst());
  }

  /** Milliseconds for each of so many steps, by kind. */
  String perStep(long steps) {
    return IntStream.range(0, ofKinds.size())
        .mapToObj(kind ->
            "%.2f %s".formatted(ofKinds.get(kind) / 1e6 / steps, WorkScheduler.KINDS.get(kind)))
        .collect(Collectors.joining(", "));
  }
}
