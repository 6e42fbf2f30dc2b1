package io.reactivetransfer.ffm;

import java.util.BitSet;
import java.util.StringJoiner;

/** Writes a set of CPUs as Linux does, such as {@code 0-3,8}. */
final class CpuList {

  private CpuList() {}

  static String of(BitSet cpus) {
    StringJoiner list = new StringJoiner(",");
    int first = cpus.nextSetBit(0);
    while (first >= 0) {
      int end = cpus.nextClearBit(first);
      list.add(first == end - 1 ? String.valueOf(first) : first + "-" + (end - 1));
      first = cpus.nextSetBit(end);
    }
    return cpus.isEmpty() ? "no CPU" : list.toString();
  }
}
