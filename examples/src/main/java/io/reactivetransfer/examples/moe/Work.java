package io.reactivetransfer.examples.moe;

import java.util.List;

/**
 * CPU time of one or more ranks, in nanoseconds.
 *
 * @param ofGroup what groups did on their {@link WorkScheduler}; 0 where they work on the NIC's
 *     thread
 * @param all what the processes took, with all that engines and compilers do
 */
record Work(long ofGroup, long all) {

  /** What was done since then. */
  Work since(Work before) {
    return new Work(ofGroup - before.ofGroup, all - before.all);
  }

  /**
   * All of these together.
   *
   * @param inOneProcess whether what the process took is the same in all of them
   */
  static Work sum(List<Work> ranks, boolean inOneProcess) {
    return new Work(
        ranks.stream().mapToLong(Work::ofGroup).sum(),
        ranks.stream().limit(inOneProcess ? 1 : ranks.size()).mapToLong(Work::all).sum());
  }

  String toLine() {
    return all + "," + ofGroup;
  }

  static Work of(String line) {
    int comma = line.indexOf(',');
    return new Work(
        Long.parseLong(line.substring(comma + 1)), Long.parseLong(line.substring(0, comma)));
  }
}
