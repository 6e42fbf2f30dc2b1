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
abstract class Elsewhere implements Callable<Integer> {

  @Command(
      name = "jlama",
      description = "Computes prompts in one process and continues them in another, on Jlama.")
  static final class Jlama extends Elsewhere {}

  @Command(
      name = "spring",
      customSynopsis = "examples/run spring [a|b [PROPERTY...]]",
      description = "Shows in a browser how two applications of Spring Boot write to each other.",
      footer = {
        "",
        "Without an argument both nodes: http://127.0.0.1:8081 and http://127.0.0.1:8082. With a or"
            + " b",
        "that one, and properties of Spring Boot, such as --server.port=8090."
      })
  static final class Spring extends Elsewhere {}

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine()
        .getErr()
        .println(
            spec.qualifiedName()
                + ": not on this class path; start it by examples/run "
                + spec.name());
    return ExitCode.SOFTWARE;
  }
}
