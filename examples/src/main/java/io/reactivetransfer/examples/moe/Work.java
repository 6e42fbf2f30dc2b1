package io.reactivetransfer.examples.moe;

import java.util.List;

/**
 * CPU time of one or more ranks, in nanoseconds.
 *
 * @param ofGroup what groups did on their {@link WorkScheduler}; 0 where they work on the NIC's
 *     thread
 * @param ofCompilers what the virtual machines' compilers took
 * @param all what the processes took, with all that engines and compilers do
 */
record Work(long ofGroup, long ofCompilers, long all) {

  /** None. */
  static final Work NONE = new Work(0, 0, 0);

  /** What was done since then. */
  Work since(Work before) {
    return new Work(ofGroup - before.ofGroup, ofCompilers - before.ofCompilers, all - before.all);
  }

  /** This and that. */
  Work and(Work other) {
    return new Work(ofGroup + other.ofGroup, ofCompilers + other.ofCompilers, all + other.all);
  }

  /** What is left of it without compilers. */
  long withoutCompilers() {
    return all - ofCompilers;
  }

  /**
   * All of these together.
   *
   * @param inOneProcess whether what the process took is the same in all of them
   */
  static Work sum(List<Work> ranks, boolean inOneProcess) {
    List<Work> processes = ranks.subList(0, inOneProcess ? 1 : ranks.size());
    return new Work(
        ranks.stream().mapToLong(Work::ofGroup).sum(),
        processes.stream().mapToLong(Work::ofCompilers).sum(),
        processes.stream().mapToLong(Work::all).sum());
  }

  String toLine() {
    return ofGroup + "," + ofCompilers + "," + all;
  }

  static Work of(String line) {
    String[] parts = line.split(",", -1);
    return new Work(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
  }
}
