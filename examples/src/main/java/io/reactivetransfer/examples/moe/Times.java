package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.Percentiles;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** How long the halves of some steps took, in nanoseconds. */
final class Times {

  private final Map<Half, long[]> nanos = new EnumMap<>(Half.class);

  private Times(Function<Half, long[]> of) {
    for (Half half : Half.values()) {
      nanos.put(half, of.apply(half));
    }
  }

  /** Of so many steps, not taken yet. */
  static Times of(int steps) {
    return new Times(half -> new long[steps]);
  }

  /** All of these, one behind the other. */
  static Times of(List<Times> all) {
    return new Times(
        half -> all.stream().flatMapToLong(times -> LongStream.of(times.of(half))).toArray());
  }

  /** All but those of the first step. */
  Times withoutFirst() {
    return new Times(half -> Arrays.copyOfRange(of(half), 1, of(half).length));
  }

  /** Not a copy. */
  long[] of(Half half) {
    return nanos.getOrDefault(half, new long[0]);
  }

  void set(Half half, int step, long took) {
    of(half)[step] = took;
  }

  Percentiles percentiles(Half half) {
    return Percentiles.of(of(half));
  }

  /** In tenths of a microsecond. */
  String toLine() {
    return Stream.of(Half.values()).map(half -> toLine(of(half))).collect(Collectors.joining(";"));
  }

  static Times of(String line) {
    List<String> parts = List.of(line.split(";", -1));
    List<Half> halves = List.of(Half.values());
    return new Times(half -> ofLine(parts.get(halves.indexOf(half))));
  }

  static String toLine(long[] nanos) {
    return LongStream.of(nanos)
        .mapToObj(one -> String.valueOf(one / 100))
        .collect(Collectors.joining(","));
  }

  static long[] ofLine(String line) {
    return Stream.of(line.split(",", -1)).mapToLong(Long::parseLong).map(t -> t * 100).toArray();
  }
}
