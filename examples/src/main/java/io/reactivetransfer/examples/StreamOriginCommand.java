package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.StreamOrigin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "stream-origin",
    description = "A program in docs/getting-started.md: writes 20 parts to stream-target.")
public final class StreamOriginCommand implements Runnable {

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
    StreamOrigin.main(new String[] {host, target, secret});
  }
}
