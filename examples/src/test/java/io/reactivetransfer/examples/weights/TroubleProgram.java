package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Device;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The trouble of {@link WeightsMeasuresTest}, in a process of its own, which starts the others. */
final class TroubleProgram {

  static final String FAULT = "fault: ";

  private TroubleProgram() {}

  static Plan plan(String backend, String from, String to, long seed) {
    return new Plan(
        backend,
        null,
        1,
        Device.HOST,
        200 << 10,
        null,
        Layout.of("--from", from),
        Layout.of("--to", to),
        64 << 20,
        2,
        Checks.NONE,
        Mode.OUTLIVE,
        Duration.ofSeconds(20),
        Duration.ofMillis(Trouble.LIVENESS_MILLIS),
        Signals.PARALLEL,
        seed,
        false,
        false);
  }

  /** Prints what came of so many updates; the seed decides what happens to each. */
  public static void main(String[] arguments) throws Exception {
    long seed = Long.parseLong(arguments[0]);
    List<String> faults = new ArrayList<>();
    Progress progress = new Progress(new PrintWriter(Writer.nullWriter()));
    try (Cluster cluster = Cluster.start(plan("tcp", "fsdp=2", "tp=2", seed), progress)) {
      try {
        System.out.print(
            new Trouble(cluster, progress, faults).run(Integer.parseInt(arguments[1])));
      } finally { // closing may fail for the same reason
        faults.forEach(fault -> System.out.println(FAULT + fault));
      }
    }
    System.exit(0);
  }
}
