package io.reactivetransfer.examples;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Stands in the list for an example that is a module of its own, since no other one is to have its
 * libraries on the class path; {@code examples/run} starts that one instead.
 */
@Command(
    name = "jlama",
    description = "Computes prompts in one process and continues them in another, on Jlama.")
final class JlamaElsewhere implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine()
        .getErr()
        .println(spec.qualifiedName() + ": not on this class path; start it by examples/run jlama");
    return ExitCode.SOFTWARE;
  }
}
