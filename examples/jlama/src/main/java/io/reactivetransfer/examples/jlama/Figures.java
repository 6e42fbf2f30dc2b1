package io.reactivetransfer.examples.jlama;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Figures on their way from one process to another. */
final class Figures {

  private Figures() {}

  static String join(long... figures) {
    return Arrays.stream(figures).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  static int[] ints(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  static List<Integer> list(int[] tokens) {
    return Arrays.stream(tokens).boxed().toList();
  }

  static long[] split(String line) {
    return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  static long[] split(String line, int count) {
    long[] figures = split(line);
    if (figures.length != count) {
      throw new IllegalArgumentException("expected " + count + " figures, got '" + line + "'");
    }
    return figures;
  }
}
