package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.Device;
import io.reactivetransfer.examples.report.Round;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link KvCacheMeasuresTest} wants of other processes, in a process of its own, which keeps
 * what they complain of.
 */
final class MeasuresProgram {

  static final String REFERENCE = "reference";
  static final String SCALING = "scaling";
  static final String TROUBLE = "trouble";
  static final String FAULT = "fault: ";

  /** What a machine with other things to do may take longer. */
  private static final Duration SLACK = Duration.ofSeconds(15);

  private MeasuresProgram() {}

  static Plan plan(String backend, int rows, long seed) {
    return new Plan(
        backend,
        null,
        1,
        Device.HOST,
        new Shape(3, 6, 8192).inRows(rows),
        null,
        null,
        Duration.ofSeconds(20),
        Duration.ofMillis(3),
        seed,
        0,
        false,
        false);
  }

  static String reference(String backend, int rows) throws Exception {
    Comparison.Result result = Comparison.run(plan(backend, rows, 1), 1, 1, Round.ofMillis(50));
    return "%sshort of the same: %s%nshort of more: %s%n"
        .formatted(
            result.table(), result.shortOf(result.ratio()), result.shortOf(result.ratio() + 1));
  }

  static String scaling(String backend) throws Exception {
    return Scaling.run(plan(backend, 1, 1), 2, 1, 1, Round.ofMillis(50));
  }

  /** Prints what came of it. */
  public static void main(String[] arguments) throws Exception {
    String backend = arguments[1];
    switch (arguments[0]) {
      case REFERENCE -> System.out.print(reference(backend, 1));
      case SCALING -> System.out.print(scaling(backend));
      case TROUBLE -> {
        Plan plan = plan(backend, 1, Long.parseLong(arguments[2]));
        List<String> faults = new ArrayList<>();
        System.out.print(Trouble.run(plan, Integer.parseInt(arguments[3]), SLACK, faults));
        faults.forEach(fault -> System.out.println(FAULT + fault));
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    System.exit(0);
  }
}
