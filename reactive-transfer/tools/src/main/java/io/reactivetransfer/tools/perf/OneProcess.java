package io.reactivetransfer.tools.perf;

import java.io.IOException;
import java.util.List;

/** Both sides in this JVM. */
final class OneProcess {

  private OneProcess() {}

  static List<Result> run(Plan plan, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    try (Role target = TargetRole.open(plan);
        Role origin = OriginRole.open(plan, progress::operations)) {
      return new Benchmark(
              plan, new LocalSide("origin", origin), new LocalSide("target", target), progress)
          .run();
    }
  }
}
