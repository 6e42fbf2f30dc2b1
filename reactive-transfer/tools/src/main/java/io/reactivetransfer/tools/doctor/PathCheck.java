package io.reactivetransfer.tools.doctor;

import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.perf.HostSide;
import io.reactivetransfer.tools.perf.RoundTrip;
import io.reactivetransfer.tools.perf.SideFailedException;
import io.reactivetransfer.tools.process.HostPort;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Whether the backends that two hosts have connect, and what the path between them carries. */
final class PathCheck {

  /** The question what the other host has found. */
  static final String EXAMINE = "examine";

  private final HostSide other;
  private final Remedy remedy;
  private final double seconds;
  private final Consumer<String> out;

  private PathCheck(HostSide other, double seconds, Consumer<String> out) {
    this.other = other;
    this.seconds = seconds;
    this.remedy = new Remedy(other.localHost(), other.remoteHost());
    this.out = out;
  }

  /**
   * Checks the path to the host that listens there.
   *
   * @param seconds how long each of its two measurements takes of each backend
   * @return whether any backend connects and carries long writes
   */
  static boolean run(HostPort to, Findings here, double seconds, Consumer<String> out)
      throws IOException, SideFailedException, InterruptedException {
    try (HostSide other = HostSide.connect(to)) {
      Findings there = Findings.of(other.ask(EXAMINE));
      out.accept("There, at " + to + ":");
      there.lines().forEach(out);
      out.accept("");
      out.accept("From " + other.localHost() + " to " + other.remoteHost() + ":");
      return new PathCheck(other, seconds, out).check(here, there);
    }
  }

  private boolean check(Findings here, Findings there) throws IOException, InterruptedException {
    List<String> both =
        here.available().stream()
            .filter(there.available()::contains)
            .filter(name -> !name.equals("loopback")) // within one JVM only
            .toList();
    if (both.isEmpty()) {
      out.accept("no backend can run on both hosts");
      out.accept("fix: see above what is missing on either; tcp needs nothing");
    }
    boolean connects = false;
    for (String backend : both) {
      connects |= check(backend);
    }
    return connects;
  }

  private boolean check(String backend) throws IOException, InterruptedException {
    RoundTrip roundTrip;
    try {
      roundTrip = other.roundTrip(backend, seconds);
    } catch (SideFailedException e) {
      String reason = CommandLines.describe(e);
      tell(backend, "does not connect: " + reason, remedy.of(backend, reason));
      return false;
    }
    String connects =
        String.format(
            Locale.ROOT,
            "connects: 8 bytes there and back in %,.1f us (p50; p99 %,.1f us), ",
            roundTrip.p50Micros(),
            roundTrip.p99Micros());
    try {
      double bytesPerSecond = other.bytesPerSecond(backend, seconds);
      out.accept(
          Findings.line(
              backend,
              connects
                  + String.format(
                      Locale.ROOT, "%.3f GB/s in writes of 1 MiB", bytesPerSecond / 1e9)));
      return true;
    } catch (SideFailedException e) {
      String failure = "and writes of 1 MiB fail: " + CommandLines.describe(e);
      tell(backend, connects + failure, remedy.ofLongWrites());
      return false;
    }
  }

  private void tell(String backend, String failure, String fix) {
    out.accept(Findings.line(backend, failure));
    out.accept(Findings.line("", "fix: " + fix));
  }
}
