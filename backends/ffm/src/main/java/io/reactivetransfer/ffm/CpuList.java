package io.reactivetransfer.ffm;

import java.util.BitSet;
import java.util.StringJoiner;

/** Writes and reads sets of CPUs as Linux does, such as {@code 0-3,8}. */
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

  /** The CPUs of such a text; none if it is another one. */
  static BitSet parse(String list) {
    BitSet cpus = new BitSet();
    if (!list.matches("\\d{1,6}(-\\d{1,6})?(,\\d{1,6}(-\\d{1,6})?)*")) {
      return cpus;
    }
    for (String range : list.split(",", -1)) {
      int dash = range.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
      int last = Integer.parseInt(range.substring(dash + 1));
      if (first <= last) {
        cpus.set(first, last + 1);
      }
    }
    return cpus;
  }
}
