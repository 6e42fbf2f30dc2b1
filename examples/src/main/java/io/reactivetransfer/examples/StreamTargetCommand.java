package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.StreamTarget;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "stream-target",
    description = "A program in docs/getting-started.md: takes 20 parts, 4 at a time.")
public final class StreamTargetCommand implements Runnable {

  @Parameters(index = "0", paramLabel = "HOST", description = "The address of this machine.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String host;

  @Parameters(
      index = "1",
      paramLabel = "PORT",
      description = "Where to listen; the NICs have the two ports behind it. 0: any free ones.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String port;

  @Parameters(
      index = "2",
      paramLabel = "SECRET",
      description = "The file with the cluster secret, the same on both machines.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String secret;

  @Override
  public void run() {
    StreamTarget.main(new String[] {host, port, secret});
  }
}
