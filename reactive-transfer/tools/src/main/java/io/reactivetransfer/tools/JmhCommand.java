package io.reactivetransfer.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs JMH on the benchmarks of {@link io.reactivetransfer.tools.jmh}. */
@Command(
    name = "jmh",
    description =
        "Measures the engine alone; what follows goes to JMH, such as SubmitBenchmark -prof gc.")
public final class JmhCommand implements Callable<Integer> {

  @Parameters(paramLabel = "ARGUMENT", description = "Arguments of JMH; -help lists them.")
  private final List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    org.openjdk.jmh.Main.main(arguments.toArray(String[]::new));
    return 0;
  }
}
