package io.reactivetransfer.examples.weights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The checksums of the tensors of a rank, on as many lines as it takes: some have many thousand.
 */
final class TensorSums {

  /** Each takes nine bytes at most, and a line may have 64 KiB. */
  static final int ON_A_LINE = 4_000;

  private TensorSums() {}

  /** One line for every {@link #ON_A_LINE}. */
  static List<String> toLines(List<Integer> sums) {
    List<String> lines = new ArrayList<>();
    for (int from = 0; from < sums.size(); from += ON_A_LINE) {
      lines.add(
          sums.subList(from, Math.min(sums.size(), from + ON_A_LINE)).stream()
              .map(Integer::toHexString)
              .collect(Collectors.joining(",")));
    }
    return lines;
  }

  /** Those of one line. */
  static List<Integer> of(String line) {
    return Arrays.stream(line.split(",")).map(sum -> Integer.parseUnsignedInt(sum, 16)).toList();
  }
}
