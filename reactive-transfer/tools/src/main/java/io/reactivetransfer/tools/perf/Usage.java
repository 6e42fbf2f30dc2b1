package io.reactivetransfer.tools.perf;

/**
 * What was used of a process.
 *
 * @param cpuNanos time on CPUs, of all its threads
 * @param allocatedBytes heap that its threads allocated
 */
record Usage(long cpuNanos, long allocatedBytes) {

  static final Usage NONE = new Usage(0, 0);

  Usage plus(Usage other) {
    return new Usage(cpuNanos + other.cpuNanos, allocatedBytes + other.allocatedBytes);
  }

  /** In one line, to another process. */
  String toLine() {
    return cpuNanos + " " + allocatedBytes;
  }

  static Usage of(String line) {
    int blank = line.indexOf(' ');
    return new Usage(
        Long.parseLong(line.substring(0, blank)), Long.parseLong(line.substring(blank + 1)));
  }
}
