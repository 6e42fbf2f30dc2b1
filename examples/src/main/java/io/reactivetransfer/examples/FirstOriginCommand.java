package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.FirstOrigin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "first-origin",
    description = "A program in docs/getting-started.md: writes to first-target.")
public final class FirstOriginCommand implements Runnable {

  @Parameters(index = "0", paramLabel = "HOST", description = "The address of this machine.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String host;

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "host:port of the target, as it says it.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String target;

  @Parameters(
      index = "2",
      paramLabel = "SECRET",
      description = "The file with the cluster secret, the same on both machines.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String secret;

  @Override
  public void run() {
    FirstOrigin.main(new String[] {host, target, secret});
  }
}
