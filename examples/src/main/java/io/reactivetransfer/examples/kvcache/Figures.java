package io.reactivetransfer.examples.kvcache;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Figures on their way from a child process to its parent. */
final class Figures {

  private Figures() {}

  static String join(long... figures) {
    return Arrays.stream(figures).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  static long[] split(String line, int count) {
    long[] figures = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    if (figures.length != count) {
      throw new IllegalArgumentException("expected " + count + " figures, got '" + line + "'");
    }
    return figures;
  }
}
