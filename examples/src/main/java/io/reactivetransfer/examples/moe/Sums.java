package io.reactivetransfer.examples.moe;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * Checksums of the sums of a rank, each of a few tokens.
 *
 * @param tokens how many tokens one of them is for
 * @param sums the checksums
 */
record Sums(int tokens, List<Integer> sums) {

  private static final int MOST = 64;

  /** Of sums in BF16 that lie one behind the other. */
  static Sums of(Plan plan, int count, MemorySegment memory) {
    long bytes = 2L * plan.hidden();
    int tokens = Math.max(1, Math.ceilDiv(count, MOST));
    List<Integer> sums = new ArrayList<>();
    for (int token = 0; token < count; token += tokens) {
      CRC32C sum = new CRC32C();
      int here = Math.min(tokens, count - token);
      sum.update(memory.asSlice(token * bytes, here * bytes).asByteBuffer());
      sums.add((int) sum.getValue());
    }
    return new Sums(tokens, sums);
  }

  String toLine() {
    return tokens + " " + sums.stream().map(Integer::toHexString).collect(Collectors.joining(","));
  }

  static Sums of(String line) {
    int blank = line.indexOf(' ');
    String rest = line.substring(blank + 1);
    return new Sums(
        Integer.parseInt(line.substring(0, blank)),
        rest.isEmpty()
            ? List.of()
            : Arrays.stream(rest.split(","))
                .map(sum -> Integer.parseUnsignedInt(sum, 16))
                .toList());
  }

  /** Which tokens have other sums, for people; empty if none has. */
  String difference(Sums other) {
    if (tokens != other.tokens || sums.size() != other.sums.size()) {
      return "another number of tokens";
    }
    for (int i = 0; i < sums.size(); i++) {
      if (!sums.get(i).equals(other.sums.get(i))) {
        return "another sum among tokens " + i * tokens + " to " + ((i + 1) * tokens - 1);
      }
    }
    return "";
  }
}
