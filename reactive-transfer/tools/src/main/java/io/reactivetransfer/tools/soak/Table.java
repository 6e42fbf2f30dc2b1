package io.reactivetransfer.tools.soak;

/** A line for each side and minute. */
final class Table {

  private static final long MIB = 1 << 20;

  private Table() {}

  static String head() {
    return String.format(
        "%6s %4s %9s %10s %8s %8s %8s %9s %8s %8s %7s %8s %8s %7s %6s",
        "minute",
        "side",
        "rounds",
        "transfers",
        "MiB",
        "revoked",
        "deadline",
        "cancelled",
        "messages",
        "barriers",
        "engines",
        "heap MiB",
        "RSS MiB",
        "threads",
        "files");
  }

  static String row(String minute, int side, Sample sample) {
    return String.format(
        "%6s %4d %,9d %,10d %,8d %,8d %,8d %,9d %,8d %,8d %,7d %,8.1f %,8.1f %,7d %,6d",
        minute,
        side,
        sample.figure(Tally.ROUNDS),
        sample.figure(Tally.TRANSFERS),
        sample.figure(Tally.BYTES) / MIB,
        sample.figure(Round.Trouble.REVOKED.toString()),
        sample.figure(Round.Trouble.DEADLINE.toString()),
        sample.figure(Round.Trouble.CANCELLED.toString()),
        sample.figure(Tally.MESSAGES),
        sample.figure(Tally.BARRIERS),
        sample.figure(Tally.ENGINES),
        sample.figure(Sample.HEAP) / (double) MIB,
        sample.figure(Sample.RSS) / (double) MIB,
        sample.figure(Sample.THREADS),
        sample.figure(Sample.FILES));
  }
}
