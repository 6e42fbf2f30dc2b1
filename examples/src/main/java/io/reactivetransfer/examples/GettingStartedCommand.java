package io.reactivetransfer.examples;

import java.util.function.Consumer;
import picocli.CommandLine.Parameters;

/** Runs a program of docs/getting-started.md with the arguments that all of them take. */
abstract class GettingStartedCommand implements Runnable {

  private final Consumer<String[]> program;

  @Parameters(index = "0", paramLabel = "HOST", description = "The address of this machine.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String host;

  @Parameters(
      index = "2",
      paramLabel = "SECRET",
      description = "The file with the cluster secret, the same on both machines.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String secret;

  GettingStartedCommand(Consumer<String[]> program) {
    this.program = program;
  }

  /** The argument between the two. */
  abstract String second();

  @Override
  public void run() {
    program.accept(new String[] {host, second(), secret});
  }

  /** One that waits to be written to. */
  abstract static class Target extends GettingStartedCommand {

    @Parameters(
        index = "1",
        paramLabel = "PORT",
        description = "Where to listen; the NICs have the two ports behind it. 0: any free ones.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String port;

    Target(Consumer<String[]> program) {
      super(program);
    }

    @Override
    String second() {
      return port;
    }
  }

  /** One that writes. */
  abstract static class Origin extends GettingStartedCommand {

    @Parameters(
        index = "1",
        paramLabel = "TARGET",
        description = "host:port of the target, as it says it.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String target;

    Origin(Consumer<String[]> program) {
      super(program);
    }

    @Override
    String second() {
      return target;
    }
  }
}
